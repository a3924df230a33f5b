"""The pairs of hand-ins that a person should look at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from files.safe import real_path

from .winnowing import GUARANTEE, Run, Source, runs_of

LEAST_SHARE = 0.5  # of the shorter file's own tokens
LEAST_OWN = 60  # tokens beyond what was given; a shorter file cannot but look like others
MOST_PAIRS = 200
MOST_BYTES = 1 << 20
ENDINGS = (".cpp", ".cc", ".cxx", ".cu", ".cuh", ".h", ".hpp")
# a run that half of a class has, and six at least, is what the task asks for
_OF_ALL, _FEWEST_OF_ALL = 0.5, 6


@dataclass(frozen=True)
class Pair:
    one: Source
    other: Source
    earlier: bool  # the other is of an earlier year
    share: float  # of the shorter one's own tokens that stand in the other, too
    runs: tuple[Run, ...]


def text_of(path: Path) -> str:
    """What can be compared of a file; empty where it is no ordinary file, or larger than anybody's
    work."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def earlier_files(folder: Path) -> list[Path]:
    """Sources in a folder and all below it, without following links."""
    return sorted(path for path in folder.rglob("*")
                  if path.suffix in ENDINGS and not path.is_symlink() and path.is_file())


def _given(skeletons: list[Path], text: str) -> frozenset[int]:
    texts = [(path, text_of(path)) for path in skeletons] + [(Path(), text)]
    return frozenset(one for path, given in texts for one in Source(path, path.name, given).hashes)


def _asked_for(sources: list[Source]) -> frozenset[int]:
    """Runs that so many have that the task, and no neighbour, is their origin. The same file under
    two names counts once."""
    seen = Counter(one for text, source in {source.text: source for source in sources}.items()
                   for one in set(source.hashes))
    least = max(_FEWEST_OF_ALL, _OF_ALL * len(sources))
    return frozenset(one for one, count in seen.items() if count >= least)


def pairs_of(hand_ins: list[tuple[str, Path]], earlier: list[Path], skeletons: list[Path],
             given: str = "") -> list[Pair]:
    """Of (name, file) and files of earlier years those that share half of the shorter one's own
    tokens, the most alike first. `given`: a text that is no likeness either, besides those of the
    skeletons."""
    texts = [(name, path, text_of(path)) for name, path in hand_ins]
    ignored = _given(skeletons,
                     given) | _asked_for([Source(path, name, text) for name, path, text in texts])
    ours = [Source(path, name, text, ignored) for name, path, text in texts]
    mine = {real_path(path) for _, path in hand_ins}
    theirs = [Source(path, str(path), text_of(path), ignored)
              for path in earlier if real_path(path) not in mine]
    made = [pair for one, other in combinations(ours, 2) if (pair := _pair(one, other, False))]
    made += [pair for one in ours for other in theirs if (pair := _pair(one, other, True))]
    made.sort(key=lambda pair: (-pair.share, pair.one.name, pair.other.name))
    return made[:MOST_PAIRS]


def _pair(one: Source, other: Source, earlier: bool) -> Pair | None:
    shorter, longer = sorted((one, other), key=lambda source: len(source.own))
    if len(shorter.own) < LEAST_OWN or not shorter.fingerprints & longer.fingerprints:
        return None
    runs = [run for run in runs_of(shorter, longer) if run.length >= GUARANTEE]
    found = {token for run in runs for token in range(run.one, run.one + run.length)} & shorter.own
    share = len(found) / len(shorter.own)
    if share < LEAST_SHARE:
        return None
    if shorter is not one:
        runs = sorted(Run(run.other, run.one, run.length) for run in runs)
    return Pair(one, other, earlier, share, tuple(runs))
