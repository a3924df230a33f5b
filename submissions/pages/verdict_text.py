"""What the pages say of a verdict, in the words of whoever wrote the code."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from records.names.numbers import counted, percent, plain, time_unit
from submissions.verdicts.marks import first_call_ratio
from submissions.verdicts.verdict import (
    CORRECT,
    REDUCED,
    VERDICTS,
    Failure,
    Finding,
    Verdict,
    shape_of,
)

# Never colour alone: each comes with a sign.
LOOKS = {CORRECT: ("good", "✓"), REDUCED: ("middling", "≈")}
BAD_LOOK = ("bad", "✗")


def look_of(verdict: str) -> tuple[str, str]:
    """(CSS class, sign)."""
    return LOOKS.get(verdict, BAD_LOOK)


def value_text(value: float | str | None) -> str:
    """12.0 -> "12"; a float32 with all of its digits; "NaN" as it is."""
    return "–" if value is None else value if isinstance(value, str) else f"{value:.9g}"


def when_text(verdict: Verdict) -> str:
    """"judged 2026-11-21 10:00:00 UTC", from the file."""
    stamp = str(verdict.raw.get("judged_utc") or "")
    return f"judged {stamp.replace('T', ' ').removesuffix('Z')} UTC" if stamp else ""


def finding_facts(finding: Finding) -> tuple[str, str, str]:
    """("race in multiply, line 31", sentence, "at M = 3, N = 5, K = 7, 12 times")."""
    where = f" in {finding.kernel}" if finding.kernel else ""
    line = f", line {finding.line}" if finding.line else ""
    at = f"first at {finding.shape.words}, " if finding.shape else ""
    return (f"{finding.kind}{where}{line}", finding.explanation,
            f"{at}{counted(finding.times, 'time')} in all")


def explanation(verdict: Verdict) -> tuple[list[tuple[str, str]], str] | None:
    """What is predicted from counted accesses, and the page that shows them; None where nothing was
    counted."""
    made = verdict.part("explanation")
    shape = shape_of(verdict.part("counts").get("shape"))
    if not made or shape is None:
        return None
    return [("Counted at", shape.words),
            *((str(what), str(value)) for what, value in made.get("facts")
              or [])], Path(str(made.get("page") or "")).name


def failure_title(failure: Failure) -> str:
    """"Wrong at M = 3, N = 5, K = 7"."""
    what = VERDICTS[failure.verdict].failure
    return f"{what} at {failure.shape.words}" if failure.shape else what


def failure_facts(failure: Failure) -> list[tuple[str, str]]:
    facts = []
    if failure.shape is not None:
        rows, inner, cols = failure.shape.M, failure.shape.N, failure.shape.K
        facts.append(("matrices", (f"A is M×N = {rows}×{inner}, B is N×K = {inner}×{cols}, C is "
                                   f"M×K = {rows}×{cols}")))
    if failure.element is not None:
        row, col = failure.element.row, failure.element.col
        facts.append(("first wrong element" if failure.wrong else "element",
                      f"C[{row}][{col}]: row {row}, column {col}"))
    if failure.expected is not None or failure.got is not None:
        facts += [("expected", value_text(failure.expected)), ("got", value_text(failure.got))]
    if failure.wrong:
        share = f" of {failure.of:,} ({percent(failure.wrong / failure.of)})" if failure.of else ""
        facts.append(("wrong elements", f"{failure.wrong:,}{share}"))
    if failure.pattern:
        facts.append(("pattern", failure.pattern))
    return facts


def checked_facts(verdict: Verdict) -> list[tuple[str, str]]:
    """What was tried, and how it went."""
    checks, options = verdict.part("checks"), verdict.part("options")
    facts = []
    if checks.get("shapes"):
        chosen = options.get("random_shapes")
        drawn = f", up to {chosen} of them drawn at random" if chosen else ""
        facts.append(("shapes", f"{checks['shapes']}{drawn}; {checks.get('right', 0)} right"))
        facts.append(("calls of solve", f"{checks.get('calls', 0):,}"))
    if verdict.raw.get("seed") is not None:
        facts.append(("seed", f"{verdict.raw['seed']} (of the random shapes)"))
    if verdict.raw.get("inputs_key"):
        facts.append(("key of the inputs", str(verdict.raw["inputs_key"])))
    if verdict.emulated:
        facts.append(("run", "by emulation on a CPU, without a GPU: no times"))
    elif not options.get("timing", True):
        facts.append(("timing", "switched off"))
    sanitizer = verdict.part("sanitizer")
    if sanitizer.get("ran"):
        facts.append(("compute-sanitizer", ", ".join(map(str, sanitizer["ran"]))))
    if sanitizer.get("missing"):
        facts.append(("compute-sanitizer, not run", ", ".join(map(str, sanitizer["missing"]))))
    if verdict.raw.get("counters_missing"):
        facts.append(("counters, not read", str(verdict.raw["counters_missing"])))
    if verdict.raw.get("counts_missing"):
        facts.append(("accesses, not counted", str(verdict.raw["counts_missing"])))
    return facts


def repeat_command(verdict: Verdict) -> str:
    """The command that judges the file again with the same shapes and inputs."""
    name = verdict.submission
    parts = ["./gemmlab", "submit", f"./{name}" if name.startswith("-") else name]
    if verdict.raw.get("seed") is not None:
        parts += ["--seed", str(verdict.raw["seed"])]
    if verdict.raw.get("inputs_key"):
        parts += ["--inputs-key", str(verdict.raw["inputs_key"])]
    options = verdict.part("options")
    if options.get("random_shapes") is not None:
        parts += ["--random-shapes", str(options["random_shapes"])]
    rule = str(verdict.part("rule").get("file") or "")
    if rule not in ("", "default.toml"):
        parts += ["--assignment" if verdict.raw.get("assignment") else "--rule", rule]
    parts += ["--sanitize"] if options.get("sanitize") else []
    parts += ["--counters"] if options.get("counters") else []
    parts += ["--emulate"] if options.get("emulate") else []
    parts += [] if options.get("timing", True) else ["--no-timing"]
    return shlex.join([*parts, "--fresh"])


def machine_facts(verdict: Verdict) -> list[tuple[str, str]]:
    machine, program, rule = (verdict.part(key) for key in ("machine", "program", "rule"))
    cores = f", {counted(machine['cores'], 'core')}" if machine.get("cores") else ""
    facts = [("CPU", f"{machine['cpu']}{cores}")] if machine.get("cpu") else []
    if machine.get("gpu"):
        facts.append(("GPU", str(machine["gpu"])))
    elif verdict.device == "gpu":
        facts.append(("GPU", "none"))
    commit, source = str(program.get("commit")
                         or "")[:12], str(program.get("source_sha256") or "")[:12]
    said = [str(program.get("version") or ""), f"commit {commit}" if commit else "",
            f"source {source}" if source else ""]
    facts.append(("gemmlab", ", ".join(filter(None, said)) or "unknown"))
    if rule.get("file"):
        facts.append(("rule", f"{rule['file']}, sha256 {_short(rule.get('sha256'))}"))
    facts.append(("file", f"{verdict.submission}, sha256 {_short(verdict.raw.get('sha256'))}"))
    return facts


def _short(digest: Any) -> str:
    return f"{str(digest)[:16]}…" if digest else "unknown"


def seconds_text(seconds: float) -> str:
    scale, unit = time_unit(seconds)
    return f"{plain(seconds / scale)} {unit}"


def first_call_text(verdict: Verdict) -> str:
    """"The first call takes 10.0 ms, a later one 5.00 ms: 2.00 times as long."; empty where
    unknown."""
    ratio = first_call_ratio(verdict)
    if ratio is None:
        return ""
    call = verdict.part("first_call")
    shape = shape_of(call.get("shape"))
    at = f" at {shape.words}" if shape else ""
    return (f"The first call in a fresh process{at} takes {seconds_text(call['first_s'])}, a later "
            f"one {seconds_text(call['steady_s'])}: {plain(ratio)} times as long.")


def threads_text(verdict: Verdict) -> str:
    """"On average 1.9 of 2 cores worked."."""
    threads = verdict.part("threads")
    if not threads.get("ran") or not threads.get("cores"):
        return ""
    return f"During a call {threads['ran']:.1f} of {counted(threads['cores'], 'core')} worked."
