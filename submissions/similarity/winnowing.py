"""Fingerprints of token sequences by winnowing: S. Schleimer, D. S. Wilkerson, A. Aiken,
"Winnowing: local algorithms for document fingerprinting", SIGMOD 2003. A run of at least GUARANTEE
tokens that two files share is found; one under NOISE never is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from .tokens import Token, tokens_of

NOISE, GUARANTEE = 14, 24  # tokens: about two lines, and three
_WINDOW = GUARANTEE - NOISE + 1


def _hashes(tokens: list[Token]) -> list[int]:
    """Of each run of NOISE tokens, by where it begins."""
    kinds = [token.kind for token in tokens]
    return [int.from_bytes(blake2b("\0".join(kinds[at:at + NOISE]).encode("utf-8", "replace"),
                                   digest_size=8).digest(),
                           "big") for at in range(len(kinds) - NOISE + 1)]


def winnowed(hashes: list[int], window: int = _WINDOW) -> set[int]:
    """The least hash of each window of runs; a file of fewer runs than a window has one."""
    if not hashes:
        return set()
    return {min(hashes[at:at + window]) for at in range(max(len(hashes) - window + 1, 1))}


class Run(NamedTuple):
    """A stretch of tokens that stands in both files."""

    one: int  # the token at which it begins
    other: int
    length: int


@dataclass(frozen=True)
class Source:
    """A file as it is compared."""

    path: Path
    name: str  # for people
    text: str
    # hashes of runs that everybody was given
    ignored: frozenset[int] = field(default=frozenset(), repr=False)

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens_of(self.text)

    @cached_property
    def hashes(self) -> list[int]:
        return _hashes(self.tokens)

    @cached_property
    def fingerprints(self) -> set[int]:
        return winnowed(self.hashes) - self.ignored

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """Where each run stands that is not ignored."""
        made: dict[int, list[int]] = defaultdict(list)
        for at, one in enumerate(self.hashes):
            if one not in self.ignored:
                made[one].append(at)
        return made

    @cached_property
    def own(self) -> set[int]:
        """Tokens that belong to a run which is not ignored."""
        return {token for places in self.places.values() for at in places
                for token in range(at, at + NOISE)}


def runs_of(one: Source, other: Source) -> list[Run]:
    """What stands of the first in the second, wherever, as long as it goes; in the order of the
    first."""
    made, at = [], 0
    kinds, others = [token.kind for token in one.tokens], [token.kind for token in other.tokens]
    while at < len(one.hashes):
        if one.hashes[at] not in one.ignored and (places := other.places.get(one.hashes[at])):
            length, place = max((_alike(kinds, at, others, place), -place) for place in places)
            made.append(Run(at, -place, length))
            at += length
        else:
            at += 1
    return made


def _alike(kinds: list[str], at: int, others: list[str], place: int) -> int:
    length = 0
    while (at + length < len(kinds) and place + length < len(others)
           and kinds[at + length] == others[place + length]):
        length += 1
    return length
