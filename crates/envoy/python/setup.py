"""Builds the module with cargo and puts it into the wheel."""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

WORKSPACE = Path(__file__).resolve().parents[3]
MODULE = "libfilch_envoy.so"


def built():
    """The module: the one that FILCH_ENVOY_LIBRARY names, or one that cargo builds here."""
    if library := os.environ.get("FILCH_ENVOY_LIBRARY"):
        return Path(library)
    subprocess.check_call(
        ["cargo", "build", "--release", "--locked", "-p", "filch-envoy", "--lib"], cwd=WORKSPACE
    )
    target = Path(os.environ.get("CARGO_TARGET_DIR", WORKSPACE / "target"))
    return target / "release" / MODULE


class Build(build_py):
    def run(self):
        super().run()
        shutil.copy(built(), Path(self.build_lib) / "filch_envoy" / MODULE)


def glibc(library):
    """The newest version of the C library that the module's symbols ask for."""
    versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", library.read_bytes())
    return max((tuple(map(int, it)) for it in versions), default=None)


class Wheel(bdist_wheel):
    """One wheel for all Pythons, and for systems with the C library that the module needs."""

    def get_tag(self):
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        libraries = list(Path(self.bdist_dir or os.devnull).rglob(MODULE))
        needed = glibc(libraries[0]) if libraries else None
        if needed and platform.startswith("linux_"):
            platform = f"manylinux_{needed[0]}_{needed[1]}_" + platform[len("linux_") :]
        return "py3", "none", platform


class Binary(Distribution):
    """What the wheel holds is not for every system."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
