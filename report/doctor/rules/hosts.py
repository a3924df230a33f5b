"""Rules on a whole folder: numbers of several hosts side by side, and counters of another card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from analysis.compared.side_by_side import apart
from analysis.compared.side_by_side_table import odd_texts
from analysis.counters.counted import counted_elsewhere
from analysis.tables.tables import sentences
from language import say
from records.cases.cores import HALVED, ceilings_worth, processors_of
from records.cases.experiment import Experiment, Results
from records.cases.hosts import hosts_of
from records.cases.where import host_text
from records.names.numbers import counted, joined, percent, plain
from records.view import View, by_host

from .finding import Finding, note, problem


def hosts_in_one_experiment(results: Results) -> Iterator[Finding]:
    """Points of one experiment were measured on several hosts: what it sets side by side is not
    comparable."""
    for experiment in results.experiments:
        counts = Counter(case.host for case in experiment.cases if case.shown)
        if len(counts) > 1 and _in_shards(experiment):
            yield replace(note("shards-on-hosts", say(
                "Its shapes were shared out among {count} hosts, each shape with all that is "
                "compared there to one: ratios are sound, a curve over shapes is made of several "
                "hosts' pieces.", count=len(counts)),
                say("Look up how far these hosts lie apart under “Hosts side by side”.")),
                experiment=experiment.name)
        elif len(counts) > 1:
            named = [say("{points} on {host}", host=host_text(host), points=counted(count, "point"))
                     for host, count in counts.most_common()]
            yield replace(problem("mixed-hosts", say(
                "Its points were measured on {count} hosts: {hosts}. They are told apart and "
                "never set against each other, so that much stands alone.", count=len(counts),
                                                     hosts=joined(named)),
                                  say("Measure the whole experiment on one host: --fresh.")),
                          experiment=experiment.name)


def _in_shards(experiment: Experiment) -> bool:
    """Was it shared out on purpose (`run --shard`), and did each group's shape stay on one host?"""
    places: dict[tuple, set[str]] = {}
    for case in experiment.cases:
        if case.shown:
            places.setdefault((case.group, case.shape), set()).add(case.host)
    return (all(run.get("shard") for run in experiment.runs)
            and all(len(of) == 1 for of in places.values()))


def odd_hosts(results: Results) -> Iterator[Finding]:
    """A host that lies apart from others of its model."""
    if told := odd_texts(apart(results)):
        yield note("odd-host", sentences(*told), say(
            "On that host, see what `gemmlab info` and `gemmlab doctor` say of clocks, temperature "
            "and neighbours; do not take its numbers for those of the model."))


def processors_share_cores(results: Results) -> Iterator[Finding]:
    """All processors together did less than HALVED of what as many cores would have: they are
    hyperthreads, or others' work ran on the other halves of their cores. Both witnesses are asked:
    what was measured of the host, and the run's ceilings."""
    halved = [(run, found, worth) for run in results.runs for found in (processors_of(run),)
              if (worth := min(filter(None, (found.worth, ceilings_worth(run))), default=None))
              and worth < HALVED * found.count]
    if not halved:
        return
    run, found, worth = min(halved, key=lambda one: one[2] / one[1].count)
    yield note("shared-cores", say(
        "In {count} of {runs} the multiply-adds on all processors together ran at less than "
        "{share} of as many times one's rate; least in {experiment}: {processors}, {cores} cores' "
        "worth.", count=len(halved), runs=counted(len(results.runs), "run"), share=percent(HALVED),
        experiment=str(run.get("experiment") or say("a run")),
        processors=counted(found.count, "processor"), cores=plain(worth, 1)),
        say("They are hyperthreads, or neighbours use the other halves of their cores: do not call "
            "them cores, and compare CPU times of such runs with none on whole cores."))


def hosts_in_one_folder(results: Results) -> Iterator[Finding]:
    """The experiments of a folder were measured on several hosts."""
    hosts = hosts_of(results.runs)
    if len(hosts) > 1:
        named = [say("{host} ({experiments})", host=host_text(host), experiments=joined(
            list(dict.fromkeys(str(run.get("experiment") or say("a run")) for run in runs))))
                 for host, runs in hosts.items()]
        yield note("several-hosts", say("The records of this folder come from {count} hosts: "
                                        "{hosts}. A number of one experiment must not be set "
                                        "against a number of another.", count=len(hosts),
                                        hosts=say("; ").join(named)),
                   say("Measure all on one host, or give each host a folder of its own with "
                       "--machine NAME."))


def counters_of_another_card(results: Results) -> Iterator[Finding]:
    """What a counter explains was timed on another card."""
    for experiment in results.experiments:
        if not experiment.counters:
            continue
        for view in by_host(View(experiment.name, "", "", tuple(experiment.cases), experiment.run,
                                 counters=experiment.counters), experiment.runs):
            known = [view.counters[case.case_id] for case in view.shown
                     if case.case_id in view.counters]
            if text := counted_elsewhere(known, view.run):
                yield replace(note("counted-elsewhere", text, say(
                    "Count on the card that was timed: `gemmlab profile {experiment}` right after "
                    "the run.", experiment=experiment.name)), experiment=experiment.name)


RULES = (hosts_in_one_experiment, hosts_in_one_folder, odd_hosts, processors_share_cores,
         counters_of_another_card)
