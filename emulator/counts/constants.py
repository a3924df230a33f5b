"""The model's free constants, as data/emulated/constants.toml holds them; emulator/model/fit.py
makes that file."""

from __future__ import annotations

import tomllib

from files.tree import ROOT

EMULATED = ROOT / "data" / "emulated"
FITTED = ("softness", "loads_in_flight", "queue_cycles", "own_work")


def read_constants() -> dict[str, float]:
    read = tomllib.loads((EMULATED / "constants.toml").read_text(encoding="utf-8"))
    return {name: float(read[name]) for name in (*FITTED, "low", "high")}


CONSTANTS = read_constants()
