"""What makes the times of a task worthless: a card, or cores, that another task uses meanwhile."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from files.reading import InputError
from files.toml_file import toml_of
from records.reference import EXPERIMENTS

_FORCED = re.compile(r"OverSubscribe=FORCE(?::(\d+))?")


def definition_of(name: str) -> Path:
    """The file of an experiment given by name or by path. Raises InputError where there is none."""
    path = Path(name) if name.endswith(".toml") else EXPERIMENTS / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in EXPERIMENTS.glob("*.toml")))
        raise InputError(f"unknown experiment '{name}'; allowed: {known}, or a file that ends in "
                         ".toml")
    return path


def devices_of(path: Path) -> set[str]:
    """"cpu" and "gpu", as far as the definition measures on them. Raises InputError where it cannot
    be read."""
    try:
        _, table = toml_of(path)
        given = [run.get("implementation") for group in table.get("group", ())
                 for run in group.get("run", ())]
        names = [name for one in given for name in (one if isinstance(one, list) else [one])]
        return {str(name).partition(".")[0] for name in names}
    except (AttributeError, TypeError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from error


def asked(command: list[str]) -> str | None:
    """What a command of Slurm's prints; None where there is no such command or it fails."""
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace",
                              timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def refuse_shared(devices: set[str], gpus: int, exclusive: bool, shared: bool) -> None:
    """Raises InputError where two tasks of one node would use the same card or the same memory and
    caches."""
    if exclusive:
        return
    if "gpu" in devices and not gpus:
        raise InputError("the experiment measures on a GPU, and with --gpus-per-task 0 two tasks "
                         "on a node could take the same one: give each one GPU (--gpus-per-task "
                         "1), or each a node of its own (--exclusive)")
    if "cpu" in devices and not shared:
        raise InputError("the experiment measures on the CPU, and other jobs on its node would "
                         "share memory, caches and clock with it: add --exclusive, or --shared to "
                         "go on; the report then marks such tasks")


def refuse_cluster(partition: str | None, gpus: int) -> str:
    """Raises InputError where the cluster itself shares what it hands out; what could not be looked
    at."""
    config = asked(["scontrol", "show", "config"])
    if config is None:
        return ("there is no Slurm here: whether the partition shares cores or cards among jobs "
                "was not looked at")
    if gpus and not re.search(r"^GresTypes\s*=.*\bgpu\b", config, re.MULTILINE):
        raise InputError("this cluster hands out no GPUs (GresTypes names no gpu), so two tasks "
                         "could take the same one")
    shown = asked(["scontrol", "-o", "show", "partition", *([partition] if partition else [])])
    if shown is None:
        raise InputError(f"this cluster has no partition {partition}" if partition
                         else "this cluster shows no partition")
    lines = [line for line in shown.splitlines() if partition or " Default=YES " in f" {line} "]
    for forced in filter(None, map(_FORCED.search, lines)):
        if int(forced[1] or 4) > 1:
            raise InputError(f"the partition gives the same cores to several jobs ({forced[0]}): "
                             "times there say nothing")
    return ""
