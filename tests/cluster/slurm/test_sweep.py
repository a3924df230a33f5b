"""A sweep by a real Slurm whose tasks, node daemon and controller are killed: its merged points are
those of one run."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from one_node_slurm import CannotRun, Cluster, missing

ROOT = Path(__file__).resolve().parents[3]
BUILD = os.environ.get("GEMMLAB_BUILD", "")
TASKS = 4
FIRST_POINT_S, REPORT_S = 80, 180  # with what comes before and after within the 300 s of .ci/run
SWEEP = """
title = "Sweep"
question = "Do shards measure what one run does?"
[settings]
precision = 0.5
min_time_s = 0.05
[[group]]
name = "small"
size = [16, 24, 32, 40, 48, 56, 64, 72]
[[group.run]]
implementation = "cpu.serial"
[[group.run]]
implementation = "cpu.ikj"
[[table]]
kind = "gflops"
"""


def gemmlab(*arguments: str, **environment: str) -> str:
    done = subprocess.run([ROOT / "gemmlab", *arguments], env={**os.environ, **environment},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cases(path: Path) -> list[dict]:
    return [line for line in map(json.loads, path.read_text().splitlines())
            if line["kind"] == "case"]


def points(path: Path) -> list[tuple]:
    """What identifies a point or twin, and how it ended."""
    return sorted((case["case_id"], case["twin_of"] is None, case["status"])
                  for case in cases(path) if case["twin_of"] is None)


def measured(folder: Path) -> int:
    """Records in the shards, torn ones included."""
    return sum(path.read_bytes().count(b'"kind":"case"') for path in folder.glob("*.shard-*"))


def kill_one(cluster: Cluster, chance: random.Random) -> bool:
    """Kills a running task's program as a system short of memory would. Was there one?"""
    running = [one for one in cluster.processes("gemmlab run ")
               if "--shard" in Path(f"/proc/{one}/cmdline").read_text()]
    if running:
        os.kill(chance.choice(running), signal.SIGKILL)
    return bool(running)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Runs on one core, as all tasks do: those that spin on two would wait for one another."""
    if why := missing() or ("" if BUILD else "GEMMLAB_BUILD names no finished build"):
        pytest.skip(why)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        with Cluster() as made:
            yield made
    except CannotRun as error:
        pytest.skip(f"Slurm does not come up here: {error}")


def test_killed_tasks_and_daemons_lose_and_double_nothing(cluster, tmp_path):
    chance = random.Random(seed := int(os.environ.get("GEMMLAB_SEED", time.time())))
    print("seed", seed)
    definition = tmp_path / "sweep.toml"
    definition.write_text(SWEEP)
    records = tmp_path / "records"
    told = gemmlab("slurm", str(definition), "--tasks", str(TASKS), "--gpus-per-task", "0",
                   "--shared", "--output", str(records), "--submit", **cluster.environment)
    build, sweep, report = re.findall(r"(\d+) (?:builds|measures|reports)", told)
    cluster.wait_for(lambda: measured(records) > 0, FIRST_POINT_S, "the first point")
    daemons = chance.sample(["slurmd", "slurmctld"], 2)
    for daemon in daemons:
        assert kill_one(cluster, chance), f"no task was running any more (seed {seed})"
        time.sleep(chance.uniform(0, 0.3))
        cluster.kill(daemon)
    for daemon in daemons:
        cluster.start(daemon)
    cluster.wait_for(lambda: cluster.look_again(sweep) or cluster.states(report) == ["COMPLETED"],
                     REPORT_S, "the report")
    assert cluster.states(build) == ["COMPLETED"]

    with (records / "slurm.csv").open() as file:
        tasks = list(csv.DictReader(file))
    assert [(one["job"], one["task"], one["state"], one["source"]) for one in tasks] == \
        [(sweep, str(task), "COMPLETED", "scontrol") for task in range(TASKS)]
    assert sum(int(one["restarts"]) for one in tasks) >= 2

    gemmlab("run", str(definition), "--no-report", "--output", str(tmp_path / "alone"))
    assert points(records / "sweep.jsonl") == points(tmp_path / "alone" / "sweep.jsonl")
    assert len({case["case_id"]
                for case in cases(records / "sweep.jsonl")}) == len(cases(records / "sweep.jsonl"))
    page = (records / "report" / "report.md").read_text()
    assert "Tasks on the cluster" in page and f"| {sweep} | 3 | COMPLETED |" in page
