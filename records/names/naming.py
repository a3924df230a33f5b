"""What each implementation is called and how it looks: one name and one look, in all figures and
tables of all machines.

A record says its implementation's name, in parts, and its family (the description in C++ has both);
older_names.py says them of records that do not. The colour comes from the family, which is the idea
behind an implementation (plain loops, tiles, register tiles, …), the same for CPU and GPU;
libraries are grey. Shade, marker, dashes and hatch come from the implementation and from the
parameter that distinguishes it. Threads, instruction set and scope change neither name nor colour.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol
from zlib import crc32

from language import current, recorded, say, spaced
from records.schema import older_names
from records.schema.older_names import LIBRARY
from records.schema.operations import GEMM

from .numbers import counted
from .palette import SHADES

Dashes = str | tuple[int, tuple[float, ...]]
OTHER = "other"
# In the order of the families: the best of ours has the plainest.
MARKERS = ("s", "D", "^", "v", "o", "P", "X")
LINES: tuple[Dashes, ...] = ((0, (9, 3)), (0, (5, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1.2, 1.2)),
                             "-", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1, 1, 1)))
HATCHES = ("///", "...", "\\\\\\", "xxx", "", "---", "ooo")

_BLOCKS = {"32": 0, "16": 1, "8": 2, "4": 3}  # block size -> shade
_SETS = {"avx2": "AVX2", "avx512": "AVX-512", "neon": "NEON"}
HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Look:
    """How an implementation is drawn. `hatch` is for bars, `marker` and `line` for lines over an
    axis."""

    colour: str  # "#rrggbb"
    marker: str
    line: Dashes
    hatch: str


class Named(Protocol):
    """What has a name: a case, above all."""

    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def name_parts(self) -> tuple[str, ...]: ...


class Labelled(Named, Protocol):
    """What a definition has labelled, too."""

    @property
    def implementation(self) -> str: ...
    @property
    def operation(self) -> str: ...
    @property
    def label(self) -> str: ...


class Drawn(Named, Protocol):
    """What has a look, too."""

    @property
    def implementation(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def library(self) -> bool | None: ...


def _shown(value: Any) -> str:
    """"8x8" -> "8×8"."""
    return re.sub(r"(?<=\d)x(?=\d)", "×", str(value))


def isa_text(isa: str) -> str:
    """"AVX-512" for "avx512"; the parameter's value where it is none of ours."""
    return _SETS.get(isa) or recorded(str(isa))


def name_from(parts: Sequence[str], parameters: Mapping[str, Any],
              without: Collection[str] = ()) -> str:
    """"tiled 32" of ("tiled {block}",), the `name_parts` of a record, in the language in use.

    A parameter that is missing or in `without`, as in a line over block sizes, is left out.
    """
    holes = {hole for part in parts for hole in HOLE.findall(part)}
    absent = holes - (parameters.keys() - set(without))
    first, *rest = parts
    for hole in absent:
        first = re.sub(rf", \{{{hole}\}}[^,]*| ?\{{{hole}\}}", "", first)
    kept = [part for part in rest if not absent & set(HOLE.findall(part))]
    text = recorded(first) + "".join(
        say(", ", context="name") + recorded(part[2:]) if part.startswith(", ") else part
                                     for part in kept)
    return spaced(HOLE.sub(
        lambda found: recorded(_shown(parameters[found[1]]).replace("_", " ")), text))


def display_name(one: Named, without: Collection[str] = ()) -> str:
    """The one name of an implementation with its distinguishing parameters: "tiled 32"."""
    return name_from(one.name_parts, one.parameters, without)


def bare_name(one: Named) -> str:
    """The name without any parameter: "tiled"."""
    return name_from(one.name_parts, {})


def _words(text: str) -> set[str]:
    return {word.rstrip("s")
            for word in re.findall(r"[a-z0-9]+", str(text).casefold().replace("×", "x"))}


def name_of(one: Labelled, label: str | None = None, without: Collection[str] = ()) -> str:
    """The display name, or the label (the case's own, or `label`) where that says something else.

    Something else: what neither the name nor the parameters say; in definitions of other operations
    than gemm any label does. Threads and instruction set that the label names stand behind the
    display name: "OpenMP, 8 threads", "packed, AVX-512".
    """
    parameters = tuple(item for item in one.parameters.items() if item[0] not in without)
    return _name_of(current(), one.operation == GEMM, one.implementation, one.name_parts,
                    parameters, one.label if label is None else label)


@lru_cache(maxsize=4096)
def _name_of(_: str, gemm: bool, implementation: str, parts: tuple[str, ...],
             items: tuple[tuple[str, Any], ...], label: str) -> str:
    """In the language in use, which is part of the key: many points share few names."""
    said, parameters = _words(label), dict(items)
    name = name_from(parts, parameters)
    if not gemm and label != implementation:
        return _shown(recorded(label))
    subject = _words(re.sub(r"[._]", " ", implementation)) | _words(" ".join(parameters))
    values = {word for value in parameters.values() for word in _words(value)}
    if said - subject - values - _words(name) or not said & subject or "kernel" in said:
        return _shown(recorded(label))
    behind = [parameter_text(key, parameters[key])
              for key, word in (("isa", "isa"), ("threads", "thread"))
              if key in parameters
              and (word in said or (key == "isa" and _words(parameters[key]) & said))]
    return say(", ", context="name").join([name, *behind])


def threads_text(count: Any) -> str:
    """"8 threads"."""
    return counted(count, "thread") if isinstance(count, int) else f"{count} threads"


def parameter_text(name: str, value: Any) -> str:
    """How a fact that tells two of one name apart is said: "8 threads", "AVX2", "scope call"."""
    if name == "threads":
        return threads_text(value)
    return (isa_text(value) if name == "isa"
            else f"{recorded(name)} {recorded(_shown(value))}".strip())


def family_of(one: Drawn) -> str:
    """Whose colour it has: "plain", "tiles", "register tiles", "overlapped", "best", "matrix
    units", "library" or "other"."""
    return LIBRARY if one.library else one.family if one.family in SHADES else OTHER


def is_library(one: Drawn) -> bool:
    """Eigen, which is compiled in, too."""
    return family_of(one) == LIBRARY


def _of_ladder(one: Drawn, device: str) -> int | None:
    """Where its name stood in its family when records began to say names; None of newer ones."""
    known = older_names.CPU if device == "cpu" else older_names.GPU
    names = [name for of, name in known.values() if of == family_of(one)]
    found = one.implementation.startswith(device) and one.name_parts[0] in names
    return names.index(one.name_parts[0]) if found else None


def _place(one: Drawn) -> int:
    """Of newer ones a number by the id alone: `cpu.dot` and `gpu.dot` have one colour."""
    places = [place for device in ("cpu", "gpu") if (place := _of_ladder(one, device)) is not None]
    return places[0] if places else crc32(one.implementation.partition(".")[2].encode())


def _shade(one: Drawn) -> int:
    block = str(one.parameters.get("block", ""))
    if one.implementation == "gpu.tiled" and block in _BLOCKS:
        return _BLOCKS[block]
    if family_of(one) in ("tiles", "register tiles", "best") and _of_ladder(one, "cpu") is not None:
        return (_place(one) + 2) % 4  # darker than the GPU's of the same idea
    return (_place(one) + len(one.name_parts) - 1) % 4


def colour_of(one: Drawn) -> str:
    """The colour on a white page, "#rrggbb"; plots/drawing/svg.py has what stands for it on the
    dark one."""
    return SHADES[family_of(one)][0][_shade(one)]


def look_of(one: Drawn) -> Look:
    """Colour, marker, dashes and hatch. Where two of a panel share a marker, plots/drawing/looks.py
    gives one of them another."""
    at = list(SHADES).index(family_of(one)) + _place(one) + (_of_ladder(one, "cpu") is not None) * 3
    return Look(colour_of(one), MARKERS[at % len(MARKERS)], LINES[at % len(LINES)],
                HATCHES[at % len(HATCHES)])
