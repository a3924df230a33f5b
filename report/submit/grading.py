"""The part of a rule that is about marks: the table [grading] of a TOML file."""

from __future__ import annotations

import json
import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..records import InputError
from ..reference import DATA
from .verdict import Shape

DEFAULT = DATA.parent / "submissions" / "rules" / "default.toml"
_SHAPE = re.compile(r"([1-9]\d{0,8})x([1-9]\d{0,8})x([1-9]\d{0,8})")
_REFERENCE = re.compile(r"library|(cpu|gpu)\.[a-z0-9_]+(?:,? [a-z_]+ ?= ?[\w.]+)*")
_KEYS = ("correct", "reduced-precision", "share", "deductions", "most")
_SHARE_KEYS = ("shape", "device", "reference", "full", "points")
_DEDUCTION_KEYS = ("warnings", "warnings_at_most", "spills", "first-call")
_POINTS = "a number from 0 up"


@dataclass(frozen=True)
class Share:
    """Points for speed: none at speed 0, all of them from `full` of the reference's speed on."""

    shape: Shape
    device: str  # cpu, gpu or empty: both
    reference: str  # "library" or an id of the ladder
    full: float
    points: float


@dataclass(frozen=True)
class Grading:
    correct: float
    reduced_precision: float
    shares: tuple[Share, ...]
    warning: float  # points that one compiler warning costs
    warnings_at_most: float
    spills: float
    first_call: float
    most: float

    def shares_for(self, device: str) -> list[Share]:
        return [share for share in self.shares if share.device in ("", device)]


class _Table:
    """One table of the rule; what does not fit is refused with file, key, value and what is allowed."""

    def __init__(self, file: Path, where: str, value: Any, keys: tuple[str, ...]) -> None:
        self._file, self._where = file, where
        if not isinstance(value, dict):
            raise InputError(f"{file}: {where} = {_as_text(value)}; allowed: a table with {', '.join(keys)}")
        self.values = value
        for key in value:
            if key not in keys:
                raise self.refused(key, value[key], f"this table knows {', '.join(keys)}")

    def refused(self, key: str, value: Any, allowed: str) -> InputError:
        return InputError(f"{self._file}: {self._where}.{key} = {_as_text(value)}; allowed: {allowed}")

    def number(self, key: str, allowed: str = _POINTS, above: float = -1) -> float:
        """A finite number from 0 up, and over `above`."""
        if key not in self.values:
            raise InputError(f"{self._file}: {self._where}.{key} is missing; allowed: {allowed}")
        value = self.values[key]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not max(0, above) <= value < math.inf or \
                value == above:
            raise self.refused(key, value, allowed)
        return value

    def text(self, key: str, pattern: re.Pattern[str], allowed: str) -> re.Match[str]:
        if key not in self.values:
            raise InputError(f"{self._file}: {self._where}.{key} is missing; allowed: {allowed}")
        value = self.values[key]
        found = pattern.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise self.refused(key, value, allowed)
        return found


def _as_text(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)[:80]


def _share(file: Path, number: int, value: Any) -> Share:
    table = _Table(file, f"grading.share[{number}]", value, _SHARE_KEYS)
    sides = table.text("shape", _SHAPE, 'MxNxK as in solve, such as "1024x512x768", each side from 1 up')
    device = table.text("device", re.compile("cpu|gpu"), "cpu, gpu")[0] if "device" in value else ""
    reference = table.text("reference", _REFERENCE, 'library, or an entry of the ladder such as "cpu.blocked"')
    if device and reference[1] not in (None, device):
        raise table.refused("reference", reference[0],
                            f'library, or an entry of the ladder of device = "{device}", such as "{device}.blocked"')
    return Share(Shape(*map(int, sides.groups())), device or reference[1] or "", reference[0],
                 table.number("full", "a number over 0: the share of the reference's speed that earns all points", above=0),
                 table.number("points", "a number over 0", above=0))


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 text ({error.reason} at byte {error.start}); allowed: a TOML file") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: not TOML: {error}") from error


def _filled(value: Any, default: dict[str, Any]) -> Any:
    """The table with the numbers of the default rule where it leaves one out, as that rule's head says."""
    if not isinstance(value, dict):
        return value
    return {key: one for key, one in default.items() if not isinstance(one, (dict, list))} | value


def grading_of(file: Path) -> Grading | None:
    """The rule's marks; None where it gives none. Raises InputError, in one line, over the first mistake."""
    rule = _parsed(file)
    if "grading" not in rule:
        return None
    default = _parsed(DEFAULT)["grading"]
    table = _Table(file, "grading", _filled(rule["grading"], default), _KEYS)
    shares = table.values.get("share", [])
    if not isinstance(shares, list):
        raise table.refused("share", shares, "tables that begin with [[grading.share]]")
    deductions = _Table(file, "grading.deductions", _filled(table.values.get("deductions", {}), default["deductions"]),
                        _DEDUCTION_KEYS)
    return Grading(table.number("correct"), table.number("reduced-precision"),
                   tuple(_share(file, number, one) for number, one in enumerate(shares, 1)),
                   *(deductions.number(key) for key in _DEDUCTION_KEYS), table.number("most", "a number over 0", above=0))
