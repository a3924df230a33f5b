"""This machine as it is now, and the rules on it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands.program import ask
from records.cases.hosts import UUID_SHOWN
from records.names.numbers import counted, joined, percent, plain

from .rules.finding import Finding, note, problem

LOOK_S = 0.3
MOST_BUSY = 0.1  # of all cores, by others
MOST_STOLEN = 0.02


@dataclass(frozen=True)
class Machine:
    """`info` is what `gemmlab info --json` says; the rest is None where the system does not
    tell."""

    info: dict[str, Any]
    gpu_files: bool = False  # are there device files of an NVIDIA GPU?
    quota_cores: float | None = None  # what the container may use, in cores
    busy: float | None = None  # share of all cores that others took while we slept
    stolen: float | None = None  # share that the hypervisor gave to others
    missing_packages: str = ""  # optional packages, as the launcher lists them
    # the command that installs them; empty where the system's archive has none of them
    add_packages: str = ""


def quota_cores(root: Path = Path("/")) -> float | None:
    """The CPU quota of this process' control group or of one above it, in cores; None where there
    is none."""
    found = []
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in groups:
        _, controllers, name = line.split(":", 2)
        if controllers not in ("", "cpu", "cpu,cpuacct", "cpuacct,cpu"):
            continue
        base = root / "sys/fs/cgroup" / controllers
        folder = base / name.lstrip("/")
        # a container's own root stands where its group's name leads nowhere
        for place in (folder, *folder.parents):
            found.append(_quota(place))
            if place == base:
                break
    return min((quota for quota in found if quota is not None), default=None)


def _quota(folder: Path) -> float | None:
    try:
        if (folder / "cpu.max").exists():
            allowed, period = (folder / "cpu.max").read_text().split()
        else:
            allowed = (folder / "cpu.cfs_quota_us").read_text()
            period = (folder / "cpu.cfs_period_us").read_text()
        return float(allowed) / float(period) if float(allowed) > 0 else None
    except (OSError, ValueError):  # "max", or no quota here
        return None


def cpu_shares(before: str, after: str) -> tuple[float, float] | None:
    """(busy, stolen) shares of all cores between two readings of /proc/stat."""
    first, second = ([int(field) for field in text.split("\n", 1)[0].split()[1:9]]
                     for text in (before, after))
    spent = [late - early for early, late in zip(first, second)]
    if len(spent) < 8 or sum(spent) <= 0:
        return None
    idle, stolen = spent[3] + spent[4], spent[7]
    return (sum(spent) - idle - stolen) / sum(spent), stolen / sum(spent)


def _watch() -> tuple[float, float] | None:
    stat = Path("/proc/stat")
    try:
        before = stat.read_text()
        time.sleep(LOOK_S)
        return cpu_shares(before, stat.read_text())
    except (OSError, ValueError):
        return None


def _gpu_files() -> bool:
    return any(Path("/dev").glob("nvidia[0-9]*"))


def this_machine(program: str) -> Machine:
    """Asks the program and the system. Raises InputError where the program cannot say."""
    busy, stolen = _watch() or (None, None)
    return Machine(ask(program, "info", "--json"), _gpu_files(), quota_cores(),
                   busy, stolen, os.environ.get("GEMMLAB_MISSING_PACKAGES", ""),
                   os.environ.get("GEMMLAB_ADD_PACKAGES", ""))


def gpu_unused(machine: Machine) -> Iterator[Finding]:
    """A GPU is plugged in, but the program cannot use it."""
    why = str(machine.info.get("gpu_unavailable") or "")
    if not machine.gpu_files or (machine.info.get("gpus") and not why):
        return
    if "without code" in why:
        yield problem("gpu-unused", f"The NVIDIA GPU here cannot be used: {why}.",
                      "Let ./gemmlab build for the card that is here: without GEMMLAB_BUILD, "
                      "CUDAARCHS and CMAKE_CUDA_ARCHITECTURES.")
    elif "without CUDA" in why:
        yield problem("gpu-unused",
                      "There is an NVIDIA GPU here, but the program was built without CUDA.",
                      "Install CUDA 12.0 or later (nvcc) and call ./gemmlab again, or "
                      "GEMMLAB_CUDA=ON ./gemmlab …, which says what is missing.")
    else:
        yield problem("gpu-unused", "There is an NVIDIA GPU here, but it cannot be used: "
                      f"{why or 'no reason given'}.", "See whether `nvidia-smi` works; update the "
                      "driver, or give the container the GPU (--gpus all).")


def quota_below_cores(machine: Machine) -> Iterator[Finding]:
    """More threads than the quota pays for are stopped together until the next period."""
    cores = (machine.info.get("host") or {}).get("cores") or 0
    if machine.quota_cores is not None and machine.quota_cores < cores - 0.01:
        yield problem("cpu-quota", f"This container may use {plain(machine.quota_cores)} cores' "
                      f"worth of time, but shows {counted(cores, 'core')}: threads are stopped "
                      "when the quota is spent.",
                      "Give it whole cores (docker: --cpuset-cpus instead of --cpus), or measure "
                      f"with at most {max(int(machine.quota_cores), 1)} threads.")


def others_busy(machine: Machine) -> Iterator[Finding]:
    """Other programs, or other machines on the same host, use the cores."""
    if machine.busy is not None and machine.busy > MOST_BUSY:
        yield problem("busy",
                      f"Other programs take {percent(machine.busy)} of the cores at this moment.",
                      "See `top`; end them before you measure.")
    if machine.stolen is not None and machine.stolen > MOST_STOLEN:
        yield problem("stolen", f"The hypervisor gives {percent(machine.stolen)} of the cores' "
                      "time to others at this moment.",
                      "Measure at a quieter time or on a machine of your own.")


def libraries_missing(machine: Machine) -> Iterator[Finding]:
    """References that a comparison would want."""
    for name, why in sorted((machine.info.get("unavailable") or {}).items()):
        yield note("library-missing", f"{name} is not available: {why}.",
                   "Install it, or leave it out of the experiment.")


def packages_missing(machine: Machine) -> Iterator[Finding]:
    """Optional packages of packages.txt: reference libraries, the sandbox, the PDF."""
    if machine.missing_packages:
        yield note("packages-missing",
                   f"Optional packages are missing: {machine.missing_packages}.",
                   f"Add them:\n{machine.add_packages}" if machine.add_packages else "This "
                   "system's archive has none of them: `apt-get update`, or go without.")


def _card_name(card: dict[str, Any]) -> str:
    return f"GPU {card.get('index')} ({card.get('name')}, {str(card.get('uuid'))[:UUID_SHOWN]})"


def _idle(card: dict[str, Any]) -> bool:
    return (card.get("busy_percent") or 0) <= 100 * MOST_BUSY and not card.get("throttle_reasons")


def cards_at_work(machine: Machine) -> Iterator[Finding]:
    """Each card that the driver lists: busy with other work, or its clock held down, at this
    moment."""
    cards = [card for card in machine.info.get("cards") or () if card.get("visible")]
    idle = [str(card.get("index")) for card in cards if _idle(card)]
    elsewhere = (f"Measure on another: --gpu {idle[0]}." if idle
                 else "End what runs there (`nvidia-smi`), or wait for it.")
    for card in cards:
        busy, reasons = card.get("busy_percent") or 0, card.get("throttle_reasons") or []
        if busy > 100 * MOST_BUSY:
            yield problem("gpu-busy", f"{_card_name(card)} is {plain(busy, 0)} % busy with other "
                          "work at this moment.", elsewhere)
        if reasons:
            yield problem("gpu-throttled", f"{_card_name(card)} holds its clock down at this "
                          f"moment: {joined(reasons)}.", "See to its cooling and its power limit "
                          f"(`nvidia-smi -q -d PERFORMANCE`). {elsewhere if idle else ''}".strip())


def several_cards(machine: Machine) -> Iterator[Finding]:
    """One card is measured at a time, and each is a host of its own."""
    cards = [card for card in machine.info.get("cards") or () if card.get("visible")]
    names = {str(card.get("name")) for card in cards}
    if len(cards) > 1:
        first = (machine.info.get("gpus") or [{}])[0].get("uuid")
        number = next((str(card.get("index")) for card in cards if card.get("uuid") == first), "0")
        yield note("several-gpus", f"There are {counted(len(cards), 'GPU')} here "
                   f"({joined(sorted(names))}); without --gpu number {number} is measured.",
                   "`--gpu N` chooses another; records of different cards are told apart as those "
                   "of different hosts.")


RULES = (gpu_unused, cards_at_work, several_cards, quota_below_cores, others_busy,
         libraries_missing, packages_missing)
