"""Where and how the numbers of a table, figure or sentence were measured: host, cores used, scope
and state of the cache."""

from __future__ import annotations

from collections.abc import Iterable

from language import recorded, say
from records.names.numbers import capital, joined

from .case import Case
from .hosts import DIGITS


def short_host(host: str) -> str:
    """The first letters of an id, enough to tell hosts apart, with what tells hosts of one id
    apart."""
    name, dot, number = host.partition(".")
    return name[:DIGITS] + dot + number


def host_text(host: str) -> str:
    """"host 1a2b3c4d"."""
    return say("host {host}", host=short_host(host)) if host else say("an unknown host")


def _cores_text(cases: Iterable[Case], there: int) -> str:
    """"1 to 16 of 16 cores", of the CPU points; empty where there are none."""
    used = sorted({len(set(case.cores)) or case.threads_actual or case.threads
                   for case in cases if case.device == "cpu"})
    if not used:
        return ""
    span = str(used[0]) if len(used) == 1 else say("{low} to {high}", low=used[0], high=used[-1])
    return say("{used} of {there} CPU processors", used=span, there=there) if there else say(
        "{used} CPU processors", used=span)


def load_text(shown: list[Case]) -> str:
    """Whether the card or the cores worked without a pause; empty of first calls alone."""
    if all(case.scope == "first-call" for case in shown):
        return ""
    if not any(case.load for case in shown):
        return say("bursts")
    return say("sustained load") if all(case.load for case in shown) else say(
        "bursts, and sustained load where a label says so")


def conditions_text(shown: list[Case], host: str, there: int, timed: bool = True) -> str:
    """"Host 1a2b3c4d, 1 to 16 of 16 cores; scope kernel; cold cache; bursts." of the cases
    that are shown; empty where none is. `there`: how many cores the host has, 0 where the records
    do not say. Without `timed` no load is told: what was read is of other calls than the times."""
    if not shown:
        return ""
    first = [host_text(host) if host else "", _cores_text(shown, there)]
    scopes, caches = (joined([recorded(one) for one in sorted(
        {getattr(case, name) for case in shown})]) for name in ("scope", "cache"))
    parts = [say(", ").join(filter(None, first)), say("scope {scopes}", scopes=scopes),
             say("{caches} cache", caches=caches),
             load_text(shown) if timed else ""]
    text = say("; ").join(filter(None, parts)) + say(".")
    return capital(text)
