"""The program ``filch`` that the package installs."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest
from conftest import CommandLine
from filch import _native

INSTALLED = str(Path(sysconfig.get_path("scripts")) / "filch")
SWEEP = """
model = "natural"
replications = 2
[grid]
processors = [16, 32]
lambda = 0.5
steps = 100
"""


@pytest.fixture
def installed() -> CommandLine:
    return CommandLine(INSTALLED)


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("policies",),
        ("natural", "--processors", "64", "--lambda", "0.5", "--steps", "500", "--json"),
        ("natural", "--processors", "0", "--lambda", "0.5"),
        ("dispach",),
        ("dag", "measure", "--file", "/nonexistent/computation.json"),
        (),
    ],
)
def test_it_does_what_the_program_does(
    installed: CommandLine, filch_program: CommandLine, words: tuple[str, ...]
) -> None:
    here, there = installed.run(*words), filch_program.run(*words)
    assert (here.returncode, here.stdout, here.stderr) == (
        there.returncode,
        there.stdout,
        there.stderr,
    )


def test_the_module_is_the_program(installed: CommandLine) -> None:
    module = [sys.executable, "-m", "filch", "--version"]
    done = subprocess.run(module, capture_output=True, text=True, check=True)
    assert done.stdout == installed.run("--version").stdout


def test_a_reader_that_goes_away_is_no_failure() -> None:
    with subprocess.Popen([INSTALLED, "reference"], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.wait() == 0


def test_ctrl_c_ends_it() -> None:
    words = ["natural", "--processors", "1000000", "--lambda", "0.9", "--steps", "100000000"]
    with subprocess.Popen([INSTALLED, *words], stderr=subprocess.DEVNULL) as running:
        # By then Python has handed over. A signal that comes before that ends Python itself.
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == -signal.SIGINT


def test_a_sweep_knows_the_build_that_began_it(installed: CommandLine, tmp_path: Path) -> None:
    """The extension computes, not the interpreter that has loaded it."""
    (tmp_path / "sweep.toml").write_text(SWEEP)
    out = tmp_path / "out"
    done = installed.run("sweep", str(tmp_path / "sweep.toml"), "--shard", "1/2", "--out", str(out))
    assert done.returncode == 0, done.stderr
    build = re.search(rb'"build":(\d+)', (out / "shard-1-of-2.rows").read_bytes())
    assert build is not None
    code = Path(_native.__file__).read_bytes()
    assert int(build[1]) == int.from_bytes(hashlib.sha256(code).digest()[:8], "big")
