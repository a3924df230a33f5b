"""A verdict is found in two steps: is it right, and how fast? This puts the second into the
first."""

from __future__ import annotations

from typing import Any

from submissions.verdicts.verdict import REDUCED, VERDICTS

# What only timing finds out.
_OF_TIMING = ("performance", "place", "noise_floor", "first_call", "threads", "load",
              "ceilings", "counters", "counters_at", "counters_missing", "speed_counts",
              "speed_why", "judged_utc")
_WORST = {word: place for place, word in enumerate(VERDICTS)}


def merged(checked: dict[str, Any], timed: dict[str, Any]) -> dict[str, Any]:
    """The whole verdict: of the checks, with what timing adds. The worse of both counts; a timed
    call may be wrong."""
    whole = checked | {key: timed[key] for key in _OF_TIMING if key in timed}
    whole["resources"] = timed["resources"] or checked["resources"]
    if "inputs_key" in timed and timed["inputs_key"] != checked.get("inputs_key"):
        whole["timed_inputs_key"] = timed["inputs_key"]
    whole["notes"] = _together(checked["notes"], timed["notes"])
    whole["advice"] = _together(timed["advice"], checked["advice"])
    reduced = any(one["verdict"] == REDUCED for one in checked["failures"])
    more = [one for one in timed["failures"]
            if one not in checked["failures"] and not (reduced and one["verdict"] == REDUCED)]
    whole["failures"] = sorted(checked["failures"] + more, key=lambda one: -_WORST[one["verdict"]])
    if _WORST[timed["verdict"]] > _WORST[checked["verdict"]]:
        whole |= {"verdict": timed["verdict"], "summary": timed["summary"]}
    return whole


def _together(first: list[Any], second: list[Any]) -> list[Any]:
    return first + [one for one in second if one not in first]
