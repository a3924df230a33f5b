"""How each task of a Slurm array ended: from sacct; where Slurm keeps no accounts from scontrol;
else from the tasks' own notes."""

from __future__ import annotations

import csv
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from files.output import new_file
from files.reading import InputError

from .fair import asked

FILE = "slurm.csv"
_TASK = re.compile(r"(\d+)_(\d+)$")
_FIELD = re.compile(r"(\w+)=(\S*)")
_NOTED = {"0": "COMPLETED", "": "RUNNING"}


@dataclass
class Outcome:
    """A task. Times are UTC as noted by the task; empty where nobody said."""

    job: str
    task: int
    state: str = ""
    exit_code: str = ""
    restarts: str = ""
    node: str = ""
    started_utc: str = ""
    ended_utc: str = ""
    cores: str = ""  # that the task may use
    node_cores: str = ""
    source: str = ""  # of the state: sacct, scontrol, or the task's own notes


def _noted(job: str, path: Path) -> Outcome | None:
    """What the task itself wrote at each start and end; None where the file is not of this kind."""
    found = _TASK.search(path.stem)
    if found is None:
        return None
    outcome = Outcome(job, int(found[2]), source="notes")
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        what, restarts, when, node, *values = line.split("\t")[:6] + [""] * 4
        if what == "start":
            outcome.started_utc = outcome.started_utc or when
            outcome.restarts, outcome.node, outcome.cores, outcome.node_cores = (restarts,
                                                                                 node, *values[:2])
            outcome.ended_utc = outcome.exit_code = ""
        elif what == "end":
            outcome.ended_utc, outcome.exit_code = when, values[0]
    outcome.state = _NOTED.get(outcome.exit_code, "FAILED")
    return outcome


def _by_sacct(job: str) -> dict[int, dict[str, str]]:
    """task -> what the accounts say; empty where there are none."""
    text = (asked(["sacct", "-n", "-P", "-X", "-j", job, "-o", "JobID,State,ExitCode,NodeList"])
            or "")
    rows = (line.split("|") for line in text.splitlines() if line.count("|") == 3)
    return {int(found[2]): {"state": state.split(" ")[0], "exit_code": code, "node": node,
                            "source": "sacct"} for job_id, state, code, node in rows
            if (found := _TASK.fullmatch(job_id)) and found[1] == job}


def _by_scontrol(job: str) -> dict[int, dict[str, str]]:
    """The same from what the controller still remembers: minutes after the end, by default."""
    tasks = {}
    for line in (asked(["scontrol", "-o", "show", "job", job]) or "").splitlines():
        said = dict(_FIELD.findall(line))
        if said.get("ArrayJobId") == job and said.get("ArrayTaskId", "").isdigit():
            tasks[int(said["ArrayTaskId"])] = {
                "state": said.get("JobState", ""), "exit_code": said.get("ExitCode", ""),
                "restarts": said.get("Restarts", ""), "node": said.get("NodeList", ""),
                "source": "scontrol"}
    return tasks


def read_outcomes(folder: Path) -> list[Outcome]:
    """What write_outcomes() wrote beside the records; empty where it did not."""
    try:
        with (folder / FILE).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        texts = [field.name for field in fields(Outcome) if field.name != "task"]
        return [Outcome(task=int(row["task"]), **{name: str(row.get(name) or "") for name in texts})
                for row in rows]
    except FileNotFoundError:
        return []
    except (KeyError, ValueError, csv.Error) as error:
        raise InputError(f"{folder / FILE}: not a table of tasks ({error})") from error


def write_outcomes(job: str, folder: Path) -> Path:
    """Writes the outcome of each task of the array into folder/slurm.csv, those of other arrays
    kept; returns the file. Raises InputError where nobody knows such a job."""
    if not job.isascii() or not job.isdigit():
        raise InputError(f"--slurm-job is '{job}'; allowed: a job's number")
    found = {one.task: one for path in sorted((folder / "slurm").glob(f"task-{job}_*.tsv"))
             if (one := _noted(job, path)) is not None}
    for task, said in (*_by_scontrol(job).items(), *_by_sacct(job).items()):
        outcome = found.setdefault(task, Outcome(job, task))
        for name, value in said.items():
            if value:
                setattr(outcome, name, value)
    if not found:
        raise InputError(f"Slurm knows no array {job}, and {folder / 'slurm'} holds no notes of "
                         "its tasks")
    every = [one for one in read_outcomes(folder) if one.job != job] + [found[task]
                                                                        for task in sorted(found)]
    with new_file(folder / FILE) as made, made.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Outcome)],
                                lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, every))
    return folder / FILE
