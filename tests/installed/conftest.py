"""The suite as it is installed, moved once more, and a way to run it with its origin out of sight."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("GEMMLAB_BUILD_FOLDER", "no-build")
# Hides folders under an empty one, then goes on; $1 to $N are they, -- ends them.
_HIDE = 'while [ "$1" != -- ]; do mount --bind "$EMPTY" "$1" || exit; shift; done; shift; exec "$@"'


@pytest.fixture(name="installed", scope="session")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the suite was moved to after it was installed into another."""
    if not (BUILD / "submissions/gemmlab-judge").is_file():
        pytest.skip("GEMMLAB_BUILD_FOLDER names no build: ctest -R python.installed does")
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", BUILD, "--component", "suite", "--prefix",
                    folder / "first"], check=True, capture_output=True)
    return (folder / "first").rename(folder / "moved on")


class Elsewhere:
    """Runs commands of the moved suite in a folder of their own."""

    def __init__(self, installed: Path, folder: Path):
        self.installed, self.folder = installed, folder
        (folder / "empty").mkdir()
        (folder / "bin").mkdir()
        python = folder / "bin/python3"  # a link would lose the packages of its environment
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        hidden = [BUILD, *(path for path in sorted(ROOT.iterdir()) if path.is_dir()
                           and path.name not in (".venv", ".git") and path != BUILD.parent)]
        self._before = ["unshare", "--map-root-user", "--mount", "sh", "-c", _HIDE, "sh",
                        *map(str, hidden), "--"]
        self._environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8",
            "EMPTY": str(folder / "empty"), "GEMMLAB_WORK": str(folder)}

    def __call__(self, *arguments: str | Path, hiding: bool = True
                 ) -> subprocess.CompletedProcess[str]:
        before = self._before if hiding else []
        return subprocess.run([*before, "bash", self.installed / "gemmlab", *arguments],
                              cwd=self.folder, env=self._environment, text=True,
                              capture_output=True, timeout=300, check=False)


@pytest.fixture(name="elsewhere")
def _elsewhere(installed: Path, tmp_path: Path) -> Elsewhere:
    probe = ["unshare", "--map-root-user", "--mount", "mount", "--bind", tmp_path, tmp_path]
    if not shutil.which("unshare") or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("no folder can be hidden here: unshare --map-root-user --mount is refused")
    return Elsewhere(installed, tmp_path)
