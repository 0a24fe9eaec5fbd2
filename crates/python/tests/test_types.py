"""The package is typed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import filch
from filch import _native


def test_mypy_is_content():
    project = Path(__file__).parents[1] / "pyproject.toml"
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(project)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_users_policy_is_checked(tmp_path):
    program = """
import filch

class Good:
    def __init__(self, servers: int) -> None: ...
    def whole(self, jobs: int, view: filch.View) -> int:
        return int(view.queues.argmin())

class Bad:
    def __init__(self, servers: int) -> None: ...
    def whole(self, jobs: int, view: filch.View) -> str:
        return ""

filch.farm(policy=["pi", Good])
reveal_type(filch.farm(policy=Good)["Good"].mean_total_queue)
filch.farm(policy=["pi", Bad])
filch.natural(processors="many", lambda_=0.5)
"""
    file = tmp_path / "mine.py"
    file.write_text(program)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    lines = checked.stdout.splitlines()
    errors = [line.split(":")[1] for line in lines if ": error:" in line]
    assert errors == ["16", "17"], checked.stdout
    assert any("Revealed type" in line and 'float"' in line for line in lines), checked.stdout


def test_the_stub_names_what_the_module_has():
    stub = (Path(filch.__file__).parent / "_native.pyi").read_text(encoding="utf-8")
    names = {name for name in dir(_native) if not name.startswith("_")}
    for name in names:
        assert f"def {name}(" in stub or f"class {name}:" in stub, name
    classes = [_native, *(getattr(_native, name) for name in names if name[0].isupper())]
    for name in re.findall(r"def (\w+)", stub):
        assert any(hasattr(one, name) for one in classes), name


def test_everything_listed_is_there():
    for name in filch.__all__:
        assert getattr(filch, name).__doc__, name
