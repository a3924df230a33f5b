"""Would today's tree measure an experiment again? Its definition may have changed since, or the
sources of its points.

Sources are known by the program that was built from them last; where there is none, definitions
alone are judged. An experiment that the tree does not have is not judged.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from analysis.tables.tables import sentences
from commands.program import ask
from files.reading import InputError
from files.safe import cleaned, shown
from language import say
from records.cases.experiment import Experiment, Results, Stale
from records.names.numbers import counted, joined
from records.reference import EXPERIMENTS
from report.asked.renewed import asked_for

from .machine_facts import dates

MOST_NAMES = 4
# of the file: comments, or what groups measure, of which a record keeps the names alone
TEXT = "text"
DEFINED = {"title": "title", "question": "question", "source": "source", "tables": "table",
           "figures": "figure"}  # in TOML
Today = Mapping[str, Mapping[str, str]]  # run_id -> implementation -> fingerprint


def judge(results: Results, program: str = "") -> None:
    """Says of each experiment that the tree has how it differs. `program`: built from the tree;
    empty where there is none."""
    files = {path.stem: path for path in EXPERIMENTS.glob("*.toml")}
    there = [one for one in results.experiments if one.name in files]
    today = _today([run for one in there for run in one.runs], program) if program else None
    for one in there:
        one.stale = _of_points(one, changed(one, files[one.name]), today)


def changed(experiment: Experiment, file: Path) -> tuple[str, ...]:
    """What the file says otherwise than the latest run recorded of it; tables and figures are those
    that are shown of the records. Of what it measures a record keeps the names of groups alone: a
    file of another text, in which nothing that was recorded differs, may measure something else, or
    have another comment."""
    run = next(
        (run for run in reversed(experiment.runs) if isinstance(run.get("definition"), dict)), None)
    try:
        text = file.read_bytes()
        tree = cleaned(tomllib.loads(text.decode("utf-8")), shown)
    except (OSError, ValueError):
        return ()
    if run is None or sha256(text).hexdigest() == run.get("definition_sha256"):
        return ()
    recorded = run["definition"]
    recorded = recorded | {what: asked_for(recorded, what) for what in ("tables", "figures")}
    said = tuple(name for name, key in DEFINED.items()
                 if (recorded.get(name) or None) != (tree.get(key) or None))
    if _other_groups(experiment, run, tree):
        return (*said, "groups")
    return said or ((TEXT,) if run.get("definition_sha256") else ())


def _other_groups(experiment: Experiment, run: dict[str, Any], tree: dict[str, Any]) -> bool:
    """A group of the records is gone, or there is one more. A run that did not end, or left
    something out, or was a part of one, says nothing of what more there was."""
    there = {case.group for case in experiment.cases if case.run_id == run["run_id"]}
    known = {case.group for case in experiment.cases}
    wanted = {str(group.get("name")) for group in tree.get("group") or ()
              if isinstance(group, dict)}
    ended = any(cost.get("run_id") == run["run_id"] for cost in experiment.costs)
    whole = ended and not run.get("shard") and not run["definition"].get("left_out")
    return bool(there - wanted) or (whole and bool(wanted - known))


def _today(runs: list[dict[str, Any]], program: str) -> Today | None:
    """The fingerprints that the tree's sources would give each run's points, built as the run's own
    program was: so the reader's compiler makes no difference. None where the program cannot
    tell."""
    builds = {str(run.get("run_id")): json.dumps(run.get("build"), sort_keys=True) for run in runs}
    each = sorted(set(builds.values()))
    try:
        made = ask(program, "fingerprints", f"[{','.join(each)}]")
    except InputError:  # one from before it could
        return None
    found = dict(zip(each, made))
    return {run_id: found[build] for run_id, build in builds.items()}


def _of_points(experiment: Experiment, differs: tuple[str, ...], today: Today | None) -> Stale:
    if today is None:
        return Stale(differs)
    known = [(case, now) for case in experiment.cases
             if case.shown and case.fingerprint
             and (now := today.get(case.run_id, {}).get(case.implementation))]
    old = [case for case, now in known if case.fingerprint != now]
    # where one point of a run and device is as it was, so is what measured it
    kept = {(case.run_id, case.device) for case, now in known if case.fingerprint == now}
    return Stale(differs, len(old), len(known), sum(case.shown for case in experiment.cases)
                 - len(known), tuple(sorted({case.implementation for case in old})),
                 any((case.run_id, case.device) not in kept for case in old))


def definition_text(stale: Stale) -> str:
    """"Today's tree defines it otherwise than it was measured: the title and the tables differ.";
    empty where it does not."""
    words = {"title": say("the title"), "question": say("the question"),
             "source": say("the source named"),
             "tables": say("the tables"), "figures": say("the figures"),
             "groups": say("the groups measured")}
    if stale.changed == (TEXT,):
        return say("The text of its definition has changed since: comments, or what its groups "
                   "measure.")
    return say("Today's tree defines it otherwise than it was measured; what differs: {what}.",
               what=joined([words[name] for name in stale.changed])) if stale.changed else ""


def again_text(stale: Stale) -> str:
    """"Today's tree would measure 36 of its 180 points again: …"; empty where no program tells."""
    if stale.again is None or not stale.points + stale.unknown:
        return ""
    if not stale.points:
        return say("Whether its sources have changed since is not known: its records do not tell "
                   "from which they are.")
    rest = say("Of {points} it is not known whether their sources have changed.",
               points=counted(stale.unknown, "more point")) if stale.unknown else ""
    if not stale.again:
        return sentences(say("Today's tree would measure none of its points again."), rest)
    if stale.again == stale.points:
        return sentences(say("Today's tree would measure all of its points again: what measures, "
                             "or the sources of its implementations, changed after they were "
                             "measured."), rest)
    names = list(stale.implementations[:MOST_NAMES])
    if more := len(stale.implementations) - len(names):
        names.append(say("{count} more", count=more))
    told = {"again": f"{stale.again:,}", "points": counted(stale.points, "point"),
            "names": joined(names)}
    return sentences(say("Today's tree would measure {again} of its {points} again: what measures, "
                         "or the sources of {names}, changed after they were measured.",
                         **told) if stale.measuring
                     else say("Today's tree would measure {again} of its {points} again: the "
                              "sources of {names} changed after they were measured.", **told), rest)


def stale_text(experiment: Experiment) -> str:
    """Both, of one experiment; empty where it is not judged or nothing is to be said."""
    return (sentences(definition_text(experiment.stale), again_text(experiment.stale))
            if experiment.stale else "")


def summary_text(results: Results) -> str:
    """The same of all of them together."""
    judged = [(one.name, one.stale) for one in results.experiments if one.stale]
    names = [name for name, stale in judged if stale.changed and stale.changed != (TEXT,)]
    texts = sum(stale.changed == (TEXT,) for _, stale in judged)
    what = joined(names) if len(names) <= MOST_NAMES else counted(len(names), "experiment")
    again, points = (sum(of) for of in ([stale.again or 0 for _, stale in judged],
                                        [stale.points for _, stale in judged]))
    return sentences(say("Today's tree defines {what} otherwise than when that was measured.",
                         what=what) if names else "",
                     say("The text of {experiments} has changed since: comments, or what groups "
                         "measure.", experiments=counted(texts, "more experiment")
                         if names else counted(texts, "experiment")) if texts else "",
                     say("Today's tree would measure {again} of {points} again: what measures, or "
                         "their sources, changed.",
                         again=f"{again:,}", points=counted(points, "point")) if again else "",
                     measured_text(results)
                     if judged and all(stale.again is None for _, stale in judged) else "")


def measured_text(results: Results) -> str:
    """"Measured 2026-11-20 10:00 to 2026-11-28 09:00 UTC at 11 commits; which sources have changed
    since, ./gemmlab doctor says."."""
    commits = {str((run.get("program") or {}).get("commit")) for run in results.runs}
    return say("Measured {dates} at {commits}; which sources have changed since, {command} says.",
               dates=dates(results.runs), commits=counted(len(commits), "commit"),
               command="./gemmlab doctor")
