"""Holds the numbers of the README's first part against the records that they come from.

`readme_numbers.toml` names a source for each number, in the order in which they stand: "given" (a size, a name, a setting),
or a format and an expression over `recompute.Records`. Run as a program, this prints what differs and exits 1;
`--write` puts the numbers of today's records into the README.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from recompute import ROOT, Records, geometric_mean

README = ROOT / "README.md"
SOURCES = Path(__file__).with_name("readme_numbers.toml")
END = "\n## Start\n"  # what follows holds commands and defaults, no results
_PASSED_OVER = re.compile(r"<!--.*?-->|`[^`]*`|\]\([^)]*\)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)*")


def places(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each number in the README's first part; none inside code, links' targets and comments."""
    first = text[:text.index(END)]
    blank = _PASSED_OVER.sub(lambda found: " " * len(found[0]), first)
    for found in _NUMBER.finditer(blank):
        yield found.start(), found.start() + len(found[0].rstrip(",."))


def sources() -> list[list[str]]:
    return tomllib.loads(SOURCES.read_text(encoding="utf-8"))["numbers"]


def expected(source: list[str], names: dict[str, object]) -> str:
    """What the number should read."""
    if source[0] == "given":
        return source[1]
    form, expression = source
    value = eval(expression, {"__builtins__": {}}, names)
    return str(value) if form == "text" else format(value, form)


def known_names() -> dict[str, object]:
    return {"h200": Records("intel-xeon-nvidia-h200"), "epyc": Records("amd-epyc-avx512"),
            "geomean": geometric_mean, "min": min, "max": max, "len": len, "sum": sum, "abs": abs}


def compared(text: str) -> list[tuple[int, int, str, str]]:
    """For each number: begin, end, as it stands, as it should be. Raises where README and sources count differently."""
    found, wanted = list(places(text)), sources()
    if len(found) != len(wanted):
        at = next((i for i, (place, source) in enumerate(zip(found, wanted)) if source[0] == "given"
                   and text[slice(*place)] != source[1]), min(len(found), len(wanted)))
        begin = found[min(at, len(found) - 1)][0]
        raise ValueError(f"README.md has {len(found)} numbers before {END.strip()}, {SOURCES.name} names sources of "
                         f"{len(wanted)}; they part near “{text[max(begin - 40, 0):begin + 40]!r}”")
    names = known_names()
    return [(begin, end, text[begin:end], expected(source, names))
            for (begin, end), source in zip(found, wanted)]


def main(arguments: list[str]) -> int:
    text = README.read_text(encoding="utf-8")
    differing = [one for one in compared(text) if one[2] != one[3]]
    for begin, end, now, should in differing:
        print(f"README.md: “{text[max(begin - 30, 0):end + 10]!r}”: {now} should be {should}")
    if arguments == ["--write"]:
        for begin, end, _, should in reversed(differing):
            text = text[:begin] + should + text[end:]
        README.write_text(text, encoding="utf-8")
        return 0
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
