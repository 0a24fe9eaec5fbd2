"""What several tests use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


class CommandLine:
    """The program ``filch``, to compare with."""

    def __init__(self, program: str) -> None:
        self.program = program

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False)

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def complaint(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode == 2, done
        return done.stderr.removeprefix("filch: ").removesuffix("\n")


@pytest.fixture(scope="session")
def filch_program() -> CommandLine:
    """``FILCH_PROGRAM`` is the program; ``.ci/python`` builds and names it."""
    program = os.environ.get("FILCH_PROGRAM") or shutil.which("filch")
    if program is None:
        pytest.skip("there is no program filch to compare with: set FILCH_PROGRAM")
    return CommandLine(program)
