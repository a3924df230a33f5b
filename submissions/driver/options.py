"""The command line of `gemmlab submit`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from commands.arguments import Parser, whole_number
from files import safe
from submissions.formats import FORMATS

MOST_SHAPES = 100_000
MOST_SEED = 2**64 - 1
KEY_DIGITS = 64
_LONGEST = 300  # letters of a mistake that are shown


@dataclass
class Options:
    paths: list[Path]
    json: bool
    ranking: bool
    rule: Path | None
    assignment: Path | None
    format: list[str]
    output: Path
    seed: int | None
    inputs_key: str | None
    random_shapes: int | None
    sanitize: bool
    counters: bool
    like: str  # a rung, as asked for and then as rules write it, "gpu.tiled block=32"; empty: none
    gpu: str | None  # its number or uuid; None: the first
    emulate: bool
    earlier: list[Path]
    skeleton: list[Path]
    no_timing: bool
    without_isolation: bool
    fresh: bool


class _Parser(Parser):
    """Shows of an argument what a line holds, and nothing that a terminal obeys."""

    def error(self, message: str) -> NoReturn:
        super().error(safe.shortened(safe.visible(message), _LONGEST))


def _existing(what: str):
    def existing(text: str) -> Path:
        path = Path(text)
        try:
            there = path.is_file() or path.exists() if what == "file" else path.exists()
        except OSError:  # a name that is too long
            there = False
        if not there:
            raise argparse.ArgumentTypeError(f"{safe.shortened(text, 80)}: there is no such {what}")
        return path

    return existing


def _card(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("'' names no GPU")
    return text


def _key(text: str) -> str:
    if len(text) != KEY_DIGITS or text.strip("0123456789abcdef"):
        raise argparse.ArgumentTypeError(f"'{safe.shortened(text, 80)}' is not a key: {KEY_DIGITS} "
                                         "hexadecimal digits")
    return text


def _parser() -> _Parser:
    parser = _Parser(prog="gemmlab submit", allow_abbrev=False,
                     description="Judge a student's kernel: is it right, and how fast?",
                     formatter_class=argparse.RawDescriptionHelpFormatter,
                     epilog="Example: gemmlab submit my_kernel.cu\n"
                     "Example: gemmlab submit homework/ --ranking")
    add = parser.add_argument
    add("paths", nargs="+", type=_existing("file or folder"), metavar="FILE|FOLDER",
        help=".cu for the GPU, .cpp for the CPU, or folders of them")
    add("--json", action="store_true",
        help="print the verdict of one file as JSON, and nothing else")
    add("--ranking", action="store_true",
        help="also write ranking.csv and a ranking page over all of them")
    add("--rule", type=_existing("file"), metavar="FILE",
        help="shapes, limits, ladder and marks (default: submissions/rules/default.toml)")
    add("--assignment", type=_existing("file or folder"), metavar="FILE",
        help="an assignment, which says what is handed in and holds the rule: "
        "submissions/assignments/README.md")
    add("--format", action="append", choices=tuple(FORMATS), default=[],
        help="also write the results as that system reads them; may be given again")
    add("--output", type=Path, default=Path("judged"), metavar="FOLDER",
        help="for verdicts and pages (default: judged)")
    add("--seed", type=whole_number(0, MOST_SEED), metavar="NUMBER",
        help="of random shapes (default: a new one, which is recorded)")
    add("--inputs-key", type=_key, metavar="DIGITS",
        help="of all inputs, from an earlier verdict (default: a new one, which is recorded)")
    add("--random-shapes", type=whole_number(0, MOST_SHAPES), metavar="NUMBER",
        help="besides the fixed ones (default: the rule's)")
    add("--sanitize", action="store_true",
        help="GPU: look for races and reads outside with compute-sanitizer")
    add("--counters", action="store_true",
        help="GPU: count bytes, coalescing, bank conflicts and pipe use with ncu")
    add("--like", default="", metavar="NAME", help="time it beside this implementation, too, by "
        "its id or usual name, such as '2D blocktiling' or 双缓存 (see gemmlab list)")
    add("--gpu", type=_card, metavar="N|UUID",
        help="the GPU, by its number in nvidia-smi or by its uuid (default: the first)")
    add("--emulate", action="store_true", help="GPU: also run it on the CPU, which finds races and "
        "accesses outside by line and counts them; done in any case where there is no GPU")
    add("--earlier", type=_existing("folder"), action="append", default=[], metavar="FOLDER",
        help="hand-ins of earlier years, with which these are compared for likeness; may be given "
        "several times")
    add("--skeleton", type=_existing("file"), action="append", default=[], metavar="FILE",
        help="what students were given, which is no likeness; may be given several times")
    add("--no-timing", action="store_true", help="right or wrong only")
    add("--without-isolation", action="store_true", help="run submitted code without bubblewrap, "
        "with what the kernel alone offers; needed where bubblewrap does not work")
    add("--fresh", action="store_true", help="judge again what has been judged")
    return parser


def parsed(arguments: list[str]) -> Options:
    """Exits with 2, and one line, over a mistake."""
    parser = _parser()
    made = Options(**vars(parser.parse_args(arguments)))
    if made.rule and made.assignment:
        parser.error("--rule and --assignment exclude each other: an assignment holds its rule")
    return made
