"""Finds links of Markdown files that lead nowhere: to no file, or to no heading of it."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote

NOT_OURS = {"build", ".venv", ".git", "node_modules"}
_FENCE = re.compile(r"^ *(?:```|~~~).*?^ *(?:```|~~~) *$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(<?([^()\s>]+(?:\([^()\s]*\)[^()\s]*)?)>?(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^ {0,3}#{1,6} +(.+?) *#* *$", re.MULTILINE)
_NAMED = re.compile(r"<[^>]* (?:id|name)=\"([^\"]+)\"")


def files(root: Path) -> list[Path]:
    """The Markdown files of the repository."""
    return sorted(path for path in root.rglob("*.md")
                  if not NOT_OURS & set(path.relative_to(root).parts))


def _slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = text.replace("`", "").replace("*", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(file: Path) -> frozenset[str]:
    """Where a link into the file can lead."""
    text = _FENCE.sub("", file.read_text(encoding="utf-8"))
    made, seen = set(_NAMED.findall(text)), Counter()
    for heading in _HEADING.findall(text):
        slug = _slug(heading)
        made.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return frozenset(made)


def links(text: str) -> list[str]:
    """Targets of links and images, none of those that stand in code."""
    return _LINK.findall(_SPAN.sub("", _FENCE.sub("", text)))


def broken(file: Path, root: Path) -> list[str]:
    """"docs/method.md: hosts.md#a" for each link that leads nowhere; other sites are not asked."""
    found = []
    for target in links(file.read_text(encoding="utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
            continue
        path, _, anchor = unquote(target).partition("#")
        there = (file.parent / path).resolve() if path else file
        is_here = (there == root or root in there.parents) and there.exists()
        if not is_here or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            found.append(f"{file.relative_to(root)}: {target}")
    return found
