"""Do the cards, their driver and the CUDA toolkit fit each other? Asked before anything is compiled
for them: a kernel that does not fit is no error to a program that does not ask, it "runs" and
writes nothing. Started as a program it says what is here: nothing of the suite need be built."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob

OLDEST = (12, 0)  # of the toolkit, as cmake/GemmlabCuda.cmake has it
_NO_CARD = 100  # CUDA_ERROR_NO_DEVICE: CUDA_VISIBLE_DEVICES hides them
_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…

Version = tuple[int, int]


@dataclass(frozen=True)
class Card:
    name: str
    capability: Version


@dataclass(frozen=True)
class Driver:
    """As its library tells it."""

    cuda: Version  # the newest that it knows
    cards: Sequence[Card] = ()
    fault: str = ""  # why it shows none


@dataclass(frozen=True)
class Toolkit:
    """As its nvcc tells it."""

    cuda: Version
    capabilities: Sequence[Version]  # that it compiles for


def text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def nvcc() -> str:
    """The one that CMake takes, or nothing."""
    places = (os.environ.get("CUDACXX") or "", shutil.which("nvcc") or "",
              "/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc")
    return next((place for place in places if os.access(place, os.X_OK)), "")


def gpu_is_here() -> bool:
    """Device files instead of nvidia-smi, which takes seconds. /dev/dxg: WSL."""
    of_wsl = os.path.exists("/dev/dxg") and shutil.which("nvidia-smi")
    return bool(glob("/dev/nvidia[0-9]*") or of_wsl)


def driver() -> Driver:
    """Asked without a context on any card."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Driver((0, 0), fault="the driver's library (libcuda.so.1) is not here: a container "
                      "is given the GPU by --gpus all, or the like")
    number = ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(number))
    knows = (number.value // 1000, number.value % 1000 // 10)
    if code := cuda.cuInit(0):
        return Driver(knows, fault="" if code == _NO_CARD else f"the driver answers with error "
                      f"{code}: see whether nvidia-smi works")
    cuda.cuDeviceGetCount(ctypes.byref(number))
    cards = []
    for index in range(number.value):
        device, name = ctypes.c_int(), ctypes.create_string_buffer(96)
        cuda.cuDeviceGet(ctypes.byref(device), index)
        cuda.cuDeviceGetName(name, len(name), device)
        parts = []
        for attribute in (_MAJOR, _MINOR):
            cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
            parts.append(number.value)
        cards.append(Card(name.value.decode(errors="replace"), (parts[0], parts[1])))
    return Driver(knows, cards)


def toolkit() -> Toolkit | None:
    """None where no nvcc is here, or none that answers."""
    def asked(word: str) -> str:
        try:
            return subprocess.run([nvcc(), word], capture_output=True, text=True, timeout=60,
                                  check=False).stdout
        except (OSError, subprocess.SubprocessError):
            return ""

    found = re.search(r"release (\d+)\.(\d+)", asked("--version"))
    if not found:
        return None
    listed = re.findall(r"compute_(\d+)(\d)\b", asked("--list-gpu-arch"))
    return Toolkit((int(found[1]), int(found[2])),
                   [(int(major), int(minor)) for major, minor in listed])


def misfit(here: Driver, tools: Toolkit) -> str:
    """Why code that this toolkit compiles cannot run on the cards that are here; nothing where it
    can."""
    if here.fault:
        return here.fault
    if tools.cuda < OLDEST:
        return f"nvcc is of CUDA {text(tools.cuda)}; {text(OLDEST)} or later is needed"
    if here.cuda[0] < tools.cuda[0]:
        return (f"the driver knows CUDA {text(here.cuda)}, and nvcc is of {text(tools.cuda)}: "
                "update the driver, or take a toolkit of the driver's major version (CUDACXX=NVCC)")
    for card in here.cards:
        is_told = f"{card.name} is compute capability {text(card.capability)}"
        if tools.capabilities and card.capability < min(tools.capabilities):
            return (f"{is_told}, and nvcc of CUDA {text(tools.cuda)} compiles for "
                    f"{text(min(tools.capabilities))} and later: take an older toolkit "
                    "(CUDACXX=NVCC)")
        if (tools.capabilities and card.capability not in tools.capabilities
                and here.cuda < tools.cuda):
            return (f"{is_told}, for which nvcc of CUDA {text(tools.cuda)} has no code of its own, "
                    f"and the driver, of {text(here.cuda)}, cannot read that nvcc's PTX: update it")
    return ""


def told() -> list[str]:
    """In lines: cards, driver, toolkit, and whether they fit."""
    if not gpu_is_here():
        return ["no GPU is here: CUDA kernels run by emulation"]
    here, tools = driver(), toolkit()
    lines = [f"{card.name}: compute capability {text(card.capability)}; the driver knows CUDA "
             f"{text(here.cuda)}; nvcc: {text(tools.cuda) if tools else 'none'}"
             for card in here.cards]
    if not tools:
        return [*lines, "does not fit: there is no nvcc, so nothing can be compiled for the GPU; "
                f"install CUDA {text(OLDEST)} or later"]
    if why := misfit(here, tools):
        return [*lines, f"does not fit: {why}"]
    if here.cuda < tools.cuda:
        first = here.cards[0].capability if here.cards else OLDEST
        return [*lines, "fits where code is compiled for the card itself: an nvcc that is newer "
                "than the driver makes PTX that the driver cannot read. By hand: nvcc -arch=sm_"
                f"{first[0]}{first[1]}"]
    return [*lines, "driver, toolkit and architecture fit"]


if __name__ == "__main__":
    print("\n".join(told()))
