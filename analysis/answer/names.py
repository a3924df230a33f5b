"""How the answer calls points, cards and ways of timing."""

from __future__ import annotations

import re
from typing import Any

from analysis.tables.heads import faster, rounded, with_remark
from language import say
from records.cases.case import Case
from records.cases.cores import Processors
from records.cases.hosts import first_card
from records.cases.phrases import MUCH, unsound
from records.cases.ratios import Ratio
from records.names.naming import display_name
from records.names.numbers import counted, ratio_text

from .break_even import BreakEven
from .points import CALL, KERNEL, PAGEABLE, PINNED

__all__ = ["card_name", "cores_of", "count_of", "crossing", "crossing_by_medians",
           "faster", "name", "rounded",
           "side", "sizes_text", "threads_of", "times", "unsound", "version_of", "way_text",
           "with_remark"]
WAY_NAMES = {KERNEL: "kernel", CALL: "call", PINNED: "end to end (pinned)",
             PAGEABLE: "end to end (pageable)"}
MAKERS = ("NVIDIA ", "AMD ")
VERSION = re.compile(r"\d+(?:\.\d+)+")


def way_text(way: str) -> str:
    return say(WAY_NAMES[way])


def name(case: Case) -> str:
    """"tiled 32", "oneDNN"."""
    return display_name(case)


def threads_of(case: Case) -> int:
    """The cores that a CPU point ran on, or its threads where it had more of these."""
    return (case.threads_actual or case.threads if case.crowded else len(set(case.cores or ()))
            or case.threads_actual or case.threads)


def cores_of(case: Case, *others: Case) -> str:
    """"16 cores", or what its processors are worth to its run and those of the others; "32 threads"
    where there were fewer of them."""
    own = case.processors or Processors(0)
    return (counted(threads_of(case), "thread") if case.crowded
            else own.among(one.processors for one in others).text(threads_of(case)) if others
            else own.text(threads_of(case)))


def count_of(case: Case) -> str:
    """The same without what they are worth, for a line that says it elsewhere or has no room: "16
    threads"."""
    shared = case.processors is not None and case.processors.share_cores
    return counted(threads_of(case), "thread") if shared else cores_of(case)


def side(case: Case) -> str:
    """"oneDNN, 16 cores" of a CPU point, "tiled 32" of a GPU point."""
    return name(case) if case.device == "gpu" else say("{name}, {cores}", name=name(case),
                                                       cores=cores_of(case))


def version_of(case: Case) -> str:
    """"2026.0.2" of a library's point; empty where it does not say."""
    found = VERSION.search(str(case.chosen.get("version") or ""))
    return found[0] if found else ""


def card_name(run: dict[str, Any]) -> str:
    """"H200"; "GPU" where the run names none."""
    given = str(first_card(run).get("name") or say("GPU"))
    for maker in MAKERS:
        given = given.removeprefix(maker)
    return given


def times(ratio: Ratio) -> str:
    """"23.0 [22.8, 23.3]": at least as large as 1 where the GPU is ahead."""
    return ratio_text(ratio.value, ratio.low, ratio.high)


def sizes_text(value: float) -> str:
    """A size: of one that was interpolated three digits are all that is known; a measured one as it
    is. Without a comma."""
    return f"{value:.0f}" if float(value).is_integer() else f"{float(f'{value:.3g}'):.0f}"


def crossing_by_medians(found: BreakEven) -> str:
    """"135 by the medians": where the times that stand in tables cross far from the shared rounds;
    else empty."""
    one, other = found.size, found.by_medians
    if one is None or other is None or max(one / other, other / one) <= MUCH:
        return ""
    return say("{times} by the medians", times=sizes_text(other))


def rests_on(found: BreakEven) -> str:
    """"135 by the medians; 512 above its ceiling; 725 a tie": what is unsound, or not told apart,
    of the neighbours that a break-even lies between."""
    told = [medians] if (medians := crossing_by_medians(found)) else []
    for match in found.between:
        why = say(", ").join(filter(None, (unsound(match.cpu, match.gpu), match.ratio.word)))
        told += [say("{size} {why}", size=match.shape[0], why=why)] if why else []
    return say("; ").join(told)


def crossing(found: BreakEven) -> str:
    """"410 [395, 430]"; "all sizes (from 64)"; "none (to 16384)"."""
    if found.size is not None and found.low is not None and found.high is not None:
        return f"{sizes_text(found.size)} [{sizes_text(found.low)}, {sizes_text(found.high)}]"
    if found.always:
        return say("all sizes (from {size})", size=found.sizes[0])
    return say("none (to {size})", size=found.sizes[-1])
