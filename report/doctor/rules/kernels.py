"""Rules on what is computed: wrong for some shapes, spilling registers, or not using the vector
unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.names.numbers import counted, joined
from records.schema.operations import Shape, extents, is_square, shape_text

from .finding import Finding, and_more, point_text, problem
from .look import Look

TILES = (4, 8, 16, 32, 64, 128)
MOST_SHAPES = 3  # named in one sentence
_VERBS = {frozenset({"incorrect"}): "is wrong", frozenset({"crashed"}): "crashes",
          frozenset({"incorrect", "crashed"}): "is wrong or crashes"}


def _tile_of(right: set[Shape], wrong: set[Shape], parameters: dict) -> int | None:
    """The tile of which every right shape and no wrong one is a multiple in all three dimensions:
    the kernel's own where it fits, else the smallest."""
    fits = [tile for tile in TILES
            if all(size % tile == 0 for shape in right for size in extents(shape))
            and all(any(size % tile for size in extents(shape)) for shape in wrong)]
    own = [tile for tile in fits if tile in parameters.values()]
    return next(iter(own or fits), None)


def _dimension_of(right: set[Shape], wrong: set[Shape], names: Iterable[str]) -> str | None:
    """"k is a multiple of 8", where one dimension alone tells right from wrong."""
    for place, name in enumerate(names):
        for tile in TILES:
            if (all(shape[place] % tile == 0 for shape in right)
                    and all(shape[place] % tile for shape in wrong)):
                return say("{name} is a multiple of {tile}", name=name, tile=tile)
    return None


def _pattern(right: set[Shape], wrong: set[Shape], case: Case) -> tuple[str, str]:
    """(what the right shapes have in common and the wrong ones lack, what to do about it)."""
    edges, strides = say("Guard the loads and stores at the edges: compare row and column with M, "
                         "N and K, and take zero outside."), say(
                             "See which of M, N and K is the stride and the bound of each matrix: "
                             "A is M×K, B is K×N, C is M×N.")
    if not right:
        return say("at every shape that was tried"), say(
            "Start from 1×1×1 and find the first element that differs.")
    tile = _tile_of(right, wrong, case.parameters)
    squares = all(map(is_square, right)) and not any(map(is_square, wrong))
    if tile and squares:
        return say("but right for squares of a multiple of {tile}", tile=tile), sentences(strides,
            edges)
    if squares:
        return say("but right for squares"), strides
    if tile:
        return say("but right where m, n and k are multiples of {tile}", tile=tile), edges
    dimension = _dimension_of(right, wrong, case.dims)
    if dimension:
        return say("but right where {what}", what=dimension), edges
    return say("with no pattern in squares or multiples of a tile"), say(
        "Look for a race: a missing barrier, or two threads that write one element.")


def wrong_shapes(look: Look) -> Iterator[Finding]:
    """An implementation that is right at some shapes only; what tells them apart is said."""
    right: dict[tuple, set[Shape]] = defaultdict(set)
    wrong: dict[tuple, list[Case]] = defaultdict(list)
    for case in look.cases:
        if case.status in ("incorrect", "crashed"):
            wrong[case.implementation, case.name].append(case)
    if not wrong:
        return
    for case in look.shown:
        right[case.implementation, case.name].add(case.shape)
    for (implementation, label), cases in sorted(wrong.items()):
        shapes = {case.shape for case in cases}
        good = right[implementation, label] - shapes
        named = [shape_text(*shape) for shape in sorted(shapes)[:MOST_SHAPES]]
        named += [say("{count} more", count=len(shapes) - MOST_SHAPES)] if len(
            shapes) > MOST_SHAPES else []
        verb = say(_VERBS[frozenset(case.status for case in cases)])
        pattern, advice = _pattern(good, shapes, cases[0])
        what = say("{implementation} ({label})", implementation=implementation,
                   label=label) if label != implementation else implementation
        seen = say(" ({shapes} right)", shapes=counted(len(good), "shape")) if good else ""
        yield problem("wrong-shapes", say("{what} {verb} {pattern}{seen}: {shapes}.", what=what,
                                          verb=verb, pattern=pattern, seen=seen,
                                          shapes=joined(named)), advice)


def spills(look: Look) -> Iterator[Finding]:
    """Kernels whose registers spill to memory, except the one that exists to show what spilling
    costs."""
    found: dict[str, list[Case]] = defaultdict(list)
    for case in look.shown:
        if ((case.resources.get("spill_bytes") or 0) > 0
                and case.chosen.get("spills") != "on purpose"):
            found[case.implementation].append(case)
    for implementation, cases in sorted(found.items()):
        worst = max(cases, key=lambda case: case.resources["spill_bytes"])
        registers = worst.resources.get("registers")
        yield problem("spills",
                      say("{implementation} spills {bytes} bytes per thread to memory{registers} "
                          "({point}{more}).", implementation=implementation,
                          bytes=worst.resources["spill_bytes"],
                          registers=say(" at {registers} registers", registers=registers)
                          if registers else "",
                          point=point_text(worst), more=and_more(cases)), say(
                              "Make the tile of a thread smaller, or allow more registers with "
                              "__launch_bounds__."))


def vector_unit_unused(look: Look) -> Iterator[Finding]:
    """Measured with narrower instructions only than the machine has."""
    used: dict[str, set[str]] = defaultdict(set)
    for case in look.shown:
        if "isa" in case.parameters:
            used[case.implementation].add(str(case.parameters["isa"]))
    widest = next((run["host"]["isa"][-1] for run in reversed(look.runs)
                   if (run.get("host") or {}).get("isa")), None)
    narrow = {name: isas for name, isas in sorted(used.items()) if widest and widest not in isas}
    if narrow:
        isas = sorted(set().union(*narrow.values()))
        yield problem("vector-unit-unused",
                      say("{names} was measured with isa {isas} only; this machine has {widest}."
                          if len(narrow) == 1
                          else "{names} were measured with isa {isas} only; this machine has "
                               "{widest}.", names=joined(list(narrow)),
                          isas=joined(isas), widest=widest), say(
                              'Leave `isa` out of the experiment (the widest is the default) or '
                              'add "{widest}" to it.', widest=widest))


RULES = (wrong_shapes, spills, vector_unit_unused)
