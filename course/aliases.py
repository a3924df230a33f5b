"""What others call the rungs (aliases.toml beside a rows.txt): kernel 2, 1D blocktiling, 双缓存 …

Shown here alone; which rung a name means the program says (runner/definition/aliases.h).
"""

from __future__ import annotations

import tomllib
from functools import cache

from files.tree import ROOT

USUAL = "usual"  # the source of what many say


@cache
def aliases() -> dict[str, dict[str, list[str]]]:
    """Id -> who says it -> the names, in the files' order."""
    made: dict[str, dict[str, list[str]]] = {}
    for file in sorted(ROOT.glob("?pu/*/aliases.toml")):
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["alias"]:
            for source, names in row["names"].items():
                made.setdefault(row["id"], {}).setdefault(source, []).extend(names)
    return made


def names_of(implementation: str) -> list[str]:
    """The names that others have for it, each once."""
    said = aliases().get(implementation, {})
    return list(dict.fromkeys(name for names in said.values() for name in names))


def with_sources(implementation: str) -> str:
    """"kernel 2, GMEM coalescing (SGEMM_CUDA); 内存合并": who says it stands behind, but for what
    many say."""
    said = aliases().get(implementation, {})
    return "; ".join(
        ", ".join(names) + (f" ({source})" if source != USUAL else "")
        for source, names in said.items()
    )
