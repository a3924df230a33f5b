"""What the report says of machine, program, dates and method, taken from the run records."""

from __future__ import annotations

from collections import Counter
from typing import Any

from analysis.tables.costs import above_ceiling_text
from language import recorded, say
from records.cases.case import Case
from records.cases.cores import processors_of
from records.cases.experiment import Results
from records.cases.hosts import hosts_of
from records.names.numbers import counted, joined, plain
from records.view import machine_name, statuses_text

MOST_WARNINGS = 30
_DETAILS = {"compute_capability": "compute capability {value}", "driver": "driver {value}",
            "runtime": "runtime {value}"}  # of a card


def bytes_text(value: Any) -> str:
    return (f"{plain(value / 2**30, 0 if value >= 10 * 2**30 else 1)} GiB"
            if isinstance(value, (int, float)) else "")


def _first(record: dict[str, Any], *names: str) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "", 0)), None)


def _cores(runs: list[dict[str, Any]]) -> list[str]:
    """"16 cores"; "16 processors, worth 8 to 14 cores" where the runs do not agree; "4 to 32 usable
    processors on 15 hosts"."""
    known = [one for run in runs if (one := processors_of(run)).count]
    counts = sorted({one.count for one in known})
    if len(counts) > 1:
        return [say("{low} to {high} usable processors on {hosts} hosts", low=counts[0],
                    high=counts[-1], hosts=len(hosts_of(runs)))]
    texts = list(dict.fromkeys(one.text() for one in known))
    if len(texts) < 2:
        return texts
    worth = sorted(one.worth for one in known if one.worth is not None)
    return [say("{processors}, worth {low} to {high} cores",
                processors=counted(counts[0], "processor"), low=plain(worth[0], 0),
                high=plain(worth[-1], 0))]


def _span(rising: list[str]) -> str:
    """"126 GiB to 252 GiB" of values that rise; the one where all are alike."""
    ends = list(dict.fromkeys(rising))
    return say("{low} to {high}", low=ends[0], high=ends[-1]) if len(ends) > 1 else "".join(ends)


def machine_facts(runs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """(what, value) of CPU, GPUs, memory and system of the latest run, with what other runs had of
    memory and cards; what a record does not know is not listed. Which hosts there were:
    host_table.py."""
    run = runs[-1] if runs else {}
    host = run.get("host") or {}
    cpu = [str(host["cpu"])] if host.get("cpu") else []
    cpu += _cores(runs)
    cpu += [counted(host["sockets"], "socket")] if host.get("sockets") else []
    sizes = sorted({size for one in runs if isinstance(
        size := _first(one.get("host") or {}, "memory_bytes", "memory"), (int, float))})
    memory = _span([bytes_text(size) for size in sizes])
    system = [recorded(str(host[key])) for key in ("kernel", "container")
              if host.get(key) not in (None, "", "none")]
    system += [say("governor {value}", value=host["governor"])] if host.get("governor") not in (
        None, "", "unknown") else []
    found = [(say("CPU"), ", ".join(cpu)), (say("Memory"), memory),
             (say("System"), ", ".join(system))]
    gpus: list[str] = []
    for gpu in run.get("gpus") or ():
        details = [str(gpu.get("name")), bytes_text(_first(gpu, "memory_bytes", "memory"))]
        details += [say(said, value=gpu[key]) for key, said in _DETAILS.items() if gpu.get(key)]
        gpus.append(", ".join(filter(None, details)))
    counts = sorted({len(one["gpus"]) for one in runs if one.get("gpus")})
    each = _span([str(count) for count in counts])
    gpus = [f"{each} × {text}" if len(set(gpus)) == 1 and each != "1"
            else f"{gpus.count(text)} × {text}" if gpus.count(text) > 1 else text
            for text in dict.fromkeys(gpus)]
    if not gpus:
        why = run.get("gpu_unavailable")
        gpus.append(say("none ({why})", why=recorded(why)) if why and isinstance(why, str)
                    else say("none"))
    found.append((say("GPU"), say("; ").join(gpus)))
    return [(what, value) for what, value in found if value]


def versions_text(runs: list[dict[str, Any]]) -> str:
    """"0.1.0, commit 1a2b3c4d5e6f"; "0.1.0, at 11 commits"."""
    versions: dict[str, dict[str, None]] = {}
    for run in runs:
        program = run.get("program") or {}
        commit = say(", commit {commit}", commit=str(program["commit"])[:12]) if program.get(
            "commit") else ""
        dirty = say(" with uncommitted changes") if program.get("dirty") else ""
        versions.setdefault(str(program.get("version") or say("unknown")), {})[commit
            + dirty] = None
    return "; ".join(version + (next(iter(commits)) if len(commits) == 1 else say(
        ", at {count} commits", count=len(commits))) for version, commits in versions.items())


def program_facts(runs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Versions and compilers, each once, and the dates of the runs."""
    builds: dict[str, None] = {}
    for run in runs:
        build = run.get("build") or {}
        parts = [str(build[key]) for key in ("compiler", "flags") if build.get(key)]
        parts += [f"nvcc {build['nvcc']}"] if build.get("nvcc") else []
        builds[", ".join(parts)] = None
    found = ((say("gemmlab"), versions_text(runs)),
             (say("Built with"), "; ".join(filter(None, builds))), (say("Measured"), dates(runs)))
    return [(what, value) for what, value in found if value]


def dates(runs: list[dict[str, Any]]) -> str:
    """"2026-11-20 10:00 UTC", or first to last of them."""
    times = sorted(str(run["started_utc"]).replace("T", " ")[:16]
                   for run in runs if run.get("started_utc"))
    if not times:
        return ""
    return f"{times[0]} UTC" if times[0] == times[-1] else say("{first} to {last} UTC",
        first=times[0], last=times[-1])


def counts_text(cases: list[Case]) -> str:
    """"40 points: 37 with a verified number, 1 crashed, 1 incorrect and 1 skipped."."""
    shown = sum(case.shown for case in cases)
    parts = [say("{count} with a verified number", count=f"{shown:,}"),
             *statuses_text(case for case in cases if not case.shown)]
    return say("{points}: {parts}.", points=counted(len(cases), "point"), parts=joined(parts))


def method_text(cases: list[Case]) -> str:
    """Which scopes, caches and inputs were measured; empty where nothing was."""
    if not cases:
        return ""
    scopes = sorted({case.scope for case in cases})
    caches = sorted({case.cache for case in cases})
    inputs = sorted({case.distribution for case in cases})
    return say("Scope {scopes}; {caches} cache; {inputs} inputs.",
               **{name: joined([recorded(one) for one in values]) for name, values in (
        ("scopes", scopes), ("caches", caches), ("inputs", inputs))})


def warnings_of(results: Results) -> list[str]:
    """What was odd while reading, then the records' own warnings, each once with how often it
    came."""
    own = Counter(f"{experiment.name}{say(': ')}{recorded(text)}"
                  for experiment in results.experiments for case in experiment.cases
                  for text in case.warnings)
    found = [recorded(text) for text in results.warnings]
    found += [text + (say(" ({count} points)", count=count) if count > 1 else "") for text,
              count in sorted(own.items())]
    found += filter(None, map(above_ceiling_text, results.experiments))
    for run in results.runs:
        if (run.get("program") or {}).get("dirty"):
            found.append(say("{run} was measured with uncommitted changes in the sources.",
                             run=run.get("experiment") or say("a run")))
    found = list(dict.fromkeys(found))
    if len(found) > MOST_WARNINGS:
        found[MOST_WARNINGS:] = [say("{count} more warnings.", count=len(found) - MOST_WARNINGS)]
    return found


def title_of(results: Results) -> str:
    """The machine's name; first the one that it was given with --machine, where that says more."""
    runs = results.runs
    if not runs:
        return results.folder.name
    name = machine_name(runs[-1])
    machine = str(runs[-1].get("machine") or name)
    given = any(str(argument).startswith("--machine")
                for argument in runs[-1].get("arguments") or ())
    says_more = not set(machine.lower().split("-")) <= set(name.lower().split())
    return f"{machine} ({name})" if given and machine != name and says_more else name
