"""The build: which preset, configured when that is due, and its progress."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterable, Sequence
from glob import glob
from pathlib import Path
from typing import IO

from commands.progress import redraws
from commands.terminal_output import draw
from files.tree import ROOT

from . import card_fit
from .card_fit import gpu_is_here, nvcc
from .messages import STATE, Refused, fingerprint, must, read, show_end, tell

PLAIN_S = 20  # between two lines where none gives way to the next
_FEW, _MANY = 5, 40  # steps: no more than a moment's work, some minutes


def preset() -> str:
    """Of CMakePresets.json, as GEMMLAB_CUDA asks."""
    asked = os.environ.get("GEMMLAB_CUDA") or "AUTO"
    if asked not in ("AUTO", "ON", "OFF"):
        raise Refused(f"GEMMLAB_CUDA is '{asked}'; it may be AUTO, ON or OFF")
    if asked == "ON" and not nvcc():
        raise Refused("GEMMLAB_CUDA=ON, but there is no nvcc on PATH, in CUDACXX or in "
                      "/usr/local/cuda/bin; install CUDA 12.0 or later "
                      "(https://developer.nvidia.com/cuda-downloads)")
    if asked == "OFF" or not nvcc() or not (gpu_is_here() or asked == "ON"):
        return "cpu"
    if gpu_is_here() and (why := _misfit()):
        tell(f"{'the GPU cannot be used' if asked == 'ON' else 'the GPU side is left out'}: {why}")
        return "cuda" if asked == "ON" else "cpu"
    return "cuda"


def _cards() -> str:
    """As the driver's files name them, which costs nothing."""
    told = [read(Path(path)) for path in glob("/proc/driver/nvidia/gpus/*/information")]
    return "\n".join(sorted(set(re.findall("^Model.*", "\n".join(told), re.MULTILINE))))


def _misfit() -> str:
    """Asked again only where card, driver or toolkit are others: the driver takes up to seconds."""
    version, compiler = read(Path("/proc/driver/nvidia/version")), nvcc()
    asked = fingerprint(Path(card_fit.__file__), _cards(), version, compiler,
                        str(os.stat(compiler).st_mtime_ns),
                        os.environ.get("CUDA_VISIBLE_DEVICES", "all"))
    fits = STATE / "card_fits"
    if version and read(fits) == asked:
        return ""
    tools = card_fit.toolkit()
    why = card_fit.misfit(card_fit.driver(), tools) if tools else f"{compiler} does not answer"
    if not why:
        fits.write_text(asked, encoding="utf-8")
    return why


def _key(folder: Path, rows: Sequence[str]) -> str:
    """A build is for the GPUs that were there when it was configured, a part for the processor."""
    cards = _cards() if folder.name == "cuda" else ""
    flags = re.findall("^(?:flags|Features).*", read(Path("/proc/cpuinfo")), re.MULTILINE)[:1]
    return fingerprint(ROOT / "CMakePresets.json", str(ROOT), cards,
                       " ".join([*rows, *flags]) if rows else "")


def build(folder: Path, target: str, rows: Sequence[str]) -> None:
    """Configures where the folder, the preset, the GPU or `rows` is new; Ninja sees to the rest.

    `rows`: those that `run quick` needs, and nothing else (cmake/Only.cmake); none: all is built.
    """
    what = "what has changed"
    if rows:
        what = "what 'run quick' needs"
    elif not (folder / "runner/gemmlab").exists():
        what = "everything"
        if (folder / "runner/gemmlab-quick").exists():
            what = ("what 'run quick' did without: other instruction sets, implementations and "
                    "operations")
    key = _key(folder, rows)
    if not (folder / "build.ninja").exists() or read(folder / ".gemmlab") != key:
        tell(f"configuring ({folder.name})")
        must("configure", "cmake", "-S", ROOT, "--preset", folder.name, "--fresh",
             *([f"-DGEMMLAB_ONLY={';'.join(rows)}"] if rows else []))
        (folder / ".gemmlab").write_text(f"{key}\n", encoding="utf-8")
    log = STATE / "build.log"
    with log.open("wb") as copy, subprocess.Popen(
            ["cmake", "--build", folder, "--target", target], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as ninja:
        assert ninja.stdout
        show_progress(what, ninja.stdout, copy)
    if ninja.returncode:
        show_end(log, 40)
        raise Refused(f"the build failed; the whole log: {log}")


def show_progress(what: str, lines: Iterable[bytes], copy: IO[bytes]) -> None:
    """Copies Ninja's output; says what is compiled where that is more than a moment's work, and
    counts: on a terminal each step, elsewhere now and then."""
    told = 0.0
    for line in lines:
        copy.write(line)
        count = re.match(rb"\[(\d+)/(\d+)\]", line)
        if not count or int(count[2]) <= _FEW:
            continue
        done, of = int(count[1]), int(count[2])
        if not told:
            tell(f"compiling {what} ({of} steps{'' if of < _MANY else '; some minutes'})")
            told = time.monotonic()
        elif redraws(2):
            draw(f"gemmlab: compiling {done}/{of} ")
        elif time.monotonic() - told >= PLAIN_S:
            tell(f"compiling {done}/{of}")
            told = time.monotonic()
    if told and redraws(2):
        draw("")


def built_last() -> str:
    """The program that was built last, whatever it was built for; nothing where none is there."""
    given = os.environ.get("GEMMLAB_BUILD")
    folders = [Path(given)] if given else [ROOT / "build/cuda", ROOT / "build/cpu"]
    there = [program for name in ("gemmlab", "gemmlab-quick") for folder in folders
             if os.access(program := folder / "runner" / name, os.X_OK)]
    return str(max(there, key=lambda program: program.stat().st_mtime, default=""))
