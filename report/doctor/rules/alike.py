"""A rule on implementations that are one and the same: kernel, error and time coincide."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.names.numbers import counted, joined, percent
from records.schema.older import counted_shape
from records.schema.operations import Shape, shape_text, volume

from .finding import NOTE, PROBLEM, Finding
from .look import Look

SAME_TIME = 0.03  # of the shorter: two runs of one kernel lie nearer
Key = tuple
Kernels = dict[Key, str]
Pair = tuple[Case, Case]


def _key(implementation: str, parameters: dict, shape: Shape) -> Key:
    return (implementation,
            tuple(sorted((name, str(value)) for name, value in parameters.items())), shape)


def _kernels(results: Results) -> Kernels:
    """What ncu saw each point launch, whichever experiment was profiled."""
    records = [record for one in results.experiments for record in one.counters.values()]
    return {_key(str(one.get("implementation")), one.get("parameters") or {}, shape): str(one[
        "kernel"]) for one in records if one.get("kernel") and (shape := counted_shape(one))}


def _kernel(case: Case, kernels: Kernels) -> str:
    chosen = case.chosen.get("kernel")
    return (kernels.get(_key(case.implementation, case.parameters, case.shape))
            or (str(chosen) if chosen else ""))


def _alike(one: Case, other: Case, kernels: Kernels) -> bool:
    """The same time, and the same kernel where both are known; else two libraries' calls that
    declare unlike precisions: plain kernels that add in the same order rightly have the same
    error."""
    if (one.implementation == other.implementation
            or abs(one.median_s - other.median_s) > SAME_TIME * min(one.median_s, other.median_s)):
        return False
    names = _kernel(one, kernels), _kernel(other, kernels)
    if all(names):
        return names[0] == names[1]
    return one.precision != other.precision and one.library and other.library


def _pairs(look: Look, kernels: Kernels) -> dict[tuple[str, str], list[Pair]]:
    """By the two implementations: where they coincide, errors to the last digit."""
    places: dict[Key, list[Case]] = defaultdict(list)
    for case in look.plain:
        if case.eta_max:
            places[case.run_id, case.group, case.shape, case.regime, case.eta_max].append(case)
    different = _different(look)
    found: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for cases in places.values():
        for one, other in combinations(sorted(cases, key=lambda case: case.implementation), 2):
            names = one.implementation, other.implementation
            if _alike(one, other, kernels) and (
                    names not in different or (_kernel(one, kernels) and _kernel(other, kernels))):
                found[names].append((one, other))
    return found


def _different(look: Look) -> set[tuple[str, str]]:
    """Pairs of implementations that have no error in common at some shape. FP16 and TF32 round
    alike, so that two honest kernels may agree at one shape, but not at all."""
    errors: dict[Key, dict[str, set[float]]] = defaultdict(lambda: defaultdict(set))
    for case in look.plain:
        if case.eta_max:
            errors[case.run_id, case.group, case.shape,
                   case.regime][case.implementation].add(case.eta_max)
    return {(one, other) for there in errors.values()
            for one, other in combinations(sorted(there), 2) if not there[one] & there[other]}


def _families(pairs: dict[tuple[str, str], list[Pair]]) -> list[list[Pair]]:
    """Pairs that are linked with one another belong to one finding."""
    families: list[tuple[set[str], list[Pair]]] = []
    for names, of in sorted(pairs.items()):
        joining = [family for family in families if family[0] & set(names)]
        for family in joining:
            families.remove(family)
        families.append((set(names).union(*(family[0] for family in joining)),
                         [*(pair for family in joining for pair in family[1]), *of]))
    return [of for _, of in families]


def same_kernel(results: Results) -> Iterator[Finding]:
    """Two implementations or more that turn out to be one: a problem where they declare unlike
    precisions."""
    kernels = _kernels(results)
    for experiment in results.experiments:
        for family in _families(_pairs(Look(experiment), kernels)):
            one, other = max(family, key=lambda pair: (bool(_kernel(pair[0], kernels)),
                                                       volume(pair[0].shape)))
            cases = {case.implementation: case for pair in family for case in pair}
            unlike = len({case.precision for case in cases.values()}) > 1
            kernel = _kernel(one, kernels)
            text = say(
                "{names} coincide at {shapes}{declared}: at {shape} the same error to the last "
                "digit (eta {eta}) and times within {apart}{kernel}.",
                names=joined(sorted(cases)), eta=repr(one.eta_max),
                kernel=say(", the same kernel ({kernel})",
                           kernel=kernel.partition("<")[0][:80]) if kernel else "",
                apart=percent(abs(one.median_s / other.median_s - 1)), shape=shape_text(*one.shape),
                declared=say(", though they declare {precisions}",
                             precisions=joined(sorted({case.precision for case in cases.values()})))
                if unlike else "", shapes=counted(len({pair[0].shape for pair in family}), "shape"))
            yield replace(Finding(PROBLEM if unlike else NOTE, "same-kernel", text, say(
                "All but one of these rows are not what their names say: take them out, or make "
                "them compute as they declare." if unlike
                else "No difference between them is a finding: read them as one.")),
                          experiment=experiment.name)


RULES = (same_kernel,)
