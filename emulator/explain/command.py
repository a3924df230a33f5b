"""`gemmlab explain`: what binds an implementation of the ladder, or counts in a file, and a page
with the source by cost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from commands.arguments import Parser, whole_number
from commands.program import ask, program_path
from emulator.counts import sass
from emulator.counts.card import DEFAULT_CARD, card_keys
from emulator.counts.work import Product
from emulator.model.explanation import explained
from emulator.model.fit import bars
from emulator.model.ladder import key_of, recorded_registers
from emulator.model.measured_time import measured_time
from files.output import new_file, refuse_foreign
from files.reading import InputError
from files.tree import ROOT, WORK
from language import say
from records.names.naming import name_from

from .findings import short_answer
from .neighbours import in_columns, neighbours
from .page import write_page

SIZE = 1024
# of the product, as definitions have them
OPTIONS = ("type", "result", "transpose_a", "transpose_b")
# of a grid that are run: enough for its counts, which do not differ from block to block but at the
# edges
BLOCKS = 24


def _parser() -> Parser:
    parser = Parser(prog="gemmlab explain", allow_abbrev=False, description="Counts what a kernel "
                    "asks of a card, on a CPU, and predicts its time: what binds, which line "
                    "causes it, and what to change. Nothing is measured.",
                    epilog="example: gemmlab explain gpu.tiled --block 16 --size 256   or: gemmlab "
                    "explain gpu.mma_cp_async --type bfloat16")
    parser.add_argument("implementation", metavar="ID",
                        help="an implementation such as gpu.tiled, or what others call it, such as "
                        "'2D blocktiling' (see gemmlab list); or a .cu file")
    parser.add_argument("--card", choices=card_keys(), default=DEFAULT_CARD,
                        help=f"whose time is predicted (default: {DEFAULT_CARD})")
    parser.add_argument("--size", type=whole_number(1), default=SIZE,
                        help=f"m, n and k (default: {SIZE})")
    for name in ("m", "n", "k"):
        parser.add_argument(f"--{name}", type=whole_number(1),
                            help="the product's own, where they differ")
    for name in OPTIONS:
        parser.add_argument(f"--{name}", metavar="VALUE",
                            help=f"the product's {name}, where it is not the default")
    parser.add_argument("--most-blocks", type=whole_number(0), default=BLOCKS, metavar="N",
                        help="blocks of each grid that are run, spread over it; 0: all (default: "
                        f"{BLOCKS})")
    parser.add_argument("--output", type=Path, metavar="FILE",
                        help="the page (default: build/explain/NAME.html)")
    parser.add_argument("--counts", type=Path, metavar="FILE",
                        help="also write the counts, as JSON")
    return parser


def _parameters(words: list[str]) -> dict[str, Any]:
    """From "--block", "16": the implementation's own."""
    if len(words) % 2 or any(not word.startswith("--") for word in words[::2]):
        raise InputError(f"'{' '.join(words)}' are not parameters; allowed: --NAME VALUE, such as "
                         "--block 16")
    return {name[2:]: int(value) if re.fullmatch(r"\d+", value) else value
            for name, value in zip(words[::2], words[1::2])}


def project_file(path: str, root: Path = ROOT) -> str:
    """"gpu/gemm/tiled.cu" of "/any/build/folder/gpu/gemm/tiled.cu": where the rewritten copy was
    compiled differs with build folder, clone and compiler cache. The shortest end of the path that
    is a file of the project: a longer one may be that copy. The path itself where there is none."""
    parts = path.split("/")
    ends = ("/".join(parts[first:]) for first in reversed(range(len(parts))))
    return next((end for end in ends if end and (root / end).is_file()), path)


def counted(program: str, implementation: str, parameters: dict[str, Any], product: Product,
            blocks: int, options: dict[str, str] | None = None) -> dict[str, Any]:
    """The emulator's counts of one call, as the program's hidden command prints them: what is meant
    by `implementation` and which it is, "parameters" (complete) and "launches", whose sites name
    files as the project does. `options`: of the product, such as its type."""
    counts = ask(program, "counts", "--implementation", implementation,
                 "--parameters", json.dumps(parameters), "--blocks", str(blocks),
                 "--m", str(product.rows), "--n", str(product.cols), "--k", str(product.depth),
                 *(word for name, value in (options or {}).items()
                   for word in (f"--{name}", value)))
    for launch in counts.get("launches") or []:
        for site in launch.get("sites") or []:
            site["file"] = project_file(str(site.get("file") or ""))
    return counts


def own_file(counts: dict[str, Any]) -> str:
    """The file of gpu/ with most accesses. A .cu file's lines then count as the kernel's own: its
    name is taken out of its sites; a header keeps its name."""
    requests: dict[str, float] = {}
    sites = [site for launch in counts.get("launches") or [] for site in launch.get("sites") or []]
    for site in sites:
        requests[site.get("file") or ""] = requests.get(site.get("file") or "",
                                                        0) + site.get("requests", 0)
    files = {name: count for name, count in requests.items() if name.endswith(".cu")} or requests
    own = max(files, key=lambda name: files[name], default="")
    for site in sites:
        own_line = own.endswith(".cu") and site.get("file") == own
        site["file"] = "" if own_line else site.get("file", "")
    return own


def _refuse_unpredicted(implementation: str) -> None:
    if reason := bars()["not_predicted"].get(implementation):
        raise InputError(f"{implementation} is not predicted: {reason}")


def main(arguments: list[str]) -> int:
    """Raises InputError where nothing can be counted."""
    options, rest = _parser().parse_known_args(arguments)
    product = Product(options.m or options.size, options.n or options.size,
                      options.k or options.size)
    for path in filter(None, (options.output, options.counts)):
        refuse_foreign(path)
    asked = {name: getattr(options, name) for name in OPTIONS if getattr(options, name)}
    _refuse_unpredicted(options.implementation)  # before seconds are spent on it
    counts = counted(program_path(), options.implementation, _parameters(rest), product,
                     options.most_blocks, asked)
    implementation, parameters = counts["implementation"], counts["parameters"]
    _refuse_unpredicted(implementation)
    if counts["meaning"]:  # it was named as others call it
        print(counts["meaning"])
    if options.counts:
        with new_file(options.counts) as file:
            file.write_text(json.dumps(counts), encoding="utf-8")
    source = own_file(counts)
    registers = recorded_registers(key_of(implementation, parameters, product, asked))
    explanation = explained(counts, product, {"": registers} if registers else {},
                            options.card, sass.table())
    if explanation is None:
        raise InputError(f"{implementation} launches no kernel at this shape")
    name = name_from(counts["name_parts"], parameters)
    beside = neighbours(explanation, name, options.card)
    page = options.output or WORK / "build" / "explain" / (re.sub(r"[^A-Za-z0-9]+", "-",
                                                                  name).strip("-") + ".html")
    recorded = measured_time(implementation, parameters, product, explanation.card.name, asked)
    measured = recorded.told(explanation) if recorded else \
        say("No measurement of it on this card is committed.")
    with new_file(page) as made:
        write_page(explanation, name, ROOT / source, made, beside, measured,
                   recorded.case.median_s if recorded and not recorded.nearest else None, ROOT)
    print(*short_answer(explanation, name, measured), sep="\n")
    print(*in_columns(beside.as_table), sep="\n")
    print(f"Page: {page}")
    return 0
