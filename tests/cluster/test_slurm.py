"""`gemmlab slurm`: the script, what is refused as unfair, and how the tasks' ends come into the
report."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cluster.slurm import fair, outcomes
from cluster.slurm.table import slurm_block
from report.__main__ import main

CPU = ["slurm", "cpu_ladder", "--gpus-per-task", "0"]


@pytest.fixture
def cluster(monkeypatch):
    """answers: what a command of Slurm's prints, by its first two words; none at first, as where
    there is no Slurm."""
    answers: dict[str, str] = {}
    for module in (fair, outcomes):
        monkeypatch.setattr(module, "asked", lambda command: answers.get(" ".join(command[:2])))
    monkeypatch.delenv("GEMMLAB_BUILD", raising=False)
    return answers


def script(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_the_script_has_three_jobs_that_bash_understands(cluster, capsys):
    text = script(capsys, *CPU, "--exclusive", "--tasks", "16", "--at-once", "4", "--partition",
                  "p", "--time", "1:00:00")
    assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0
    assert text.count("$(sbatch --parsable") == 3
    assert text.count("#SBATCH --partition=p\n#SBATCH --time=1:00:00\n") == 3
    assert "#SBATCH --array=0-15%4\n" in text and '--shard "$task/16"' in text
    assert ("export GEMMLAB_CUDA=OFF" in text and "gpus-per-task" not in text.split("\n", 3)[3]
            and text.count("#SBATCH --exclusive\n") == 2)


def test_a_finished_build_is_used_and_a_container_wraps_every_command(cluster, capsys, monkeypatch):
    monkeypatch.setenv("GEMMLAB_BUILD", "/opt/a build")
    text = script(capsys, "slurm", "gpu_ladder", "--container", "image.sif")
    assert "GEMMLAB_CUDA" not in text and text.count("export GEMMLAB_BUILD='/opt/a build'") == 3
    assert text.count("./gemmlab ") == text.count("apptainer exec --nv --bind ") == 4
    assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0


@pytest.mark.parametrize(("arguments", "said"), [
    (CPU, "other jobs on its node would share"),
    (["slurm", "gpu_ladder", "--gpus-per-task", "0"], "could take the same one"),
    # it names its kernels in lists
    (["slurm", "gemm_forms", "--gpus-per-task", "0"], "could take the same one"),
    ([*CPU, "--gpus-per-task", "0.5"], "two tasks on one GPU"),
    ([*CPU, "--tasks", "0"], "a whole number from 1 to 100000"),
    (["slurm", "nothing"], "unknown experiment 'nothing'"),
    ([*CPU, "--partition", "a b"], "'a b' is not allowed"),
    ([*CPU, "--exclusive", "--submit"], "no Slurm here to submit to")])
def test_what_would_not_be_fair_is_refused_in_one_line(cluster, capsys, arguments, said):
    try:
        code = main(arguments)
    except SystemExit as error:
        code = error.code
    told = capsys.readouterr()
    assert (code, told.out) == (2, "") and said in told.err and told.err.count("\n") == 1


@pytest.mark.parametrize(("config", "partition", "said"), [
    ("GresTypes               = (null)\n", "", "hands out no GPUs"),
    ("GresTypes               = gpu\n", "PartitionName=p Default=YES OverSubscribe=FORCE:4 X=1\n",
     "gives the same cores to several"),
    ("GresTypes               = gpu\n",
     "PartitionName=p Default=YES OverSubscribe=FORCE:1 X=1\n", "")])
def test_a_cluster_that_shares_what_it_hands_out_is_refused(cluster, capsys, config,
                                                            partition, said):
    cluster.update({"scontrol show": config, "scontrol -o": partition})
    assert main(["slurm", "gpu_ladder"]) == (2 if said else 0)
    assert said in capsys.readouterr().err


def notes(folder: Path, task: int, *lines: str) -> None:
    (folder / "slurm").mkdir(exist_ok=True)
    (folder / "slurm" / f"task-7_{task}.tsv").write_text("".join(line.replace(" ", "\t") + "\t\n"
                                                                 for line in lines))


def table(folder: Path) -> list[tuple[str, ...]]:
    [(_, made)] = slurm_block(folder).tables
    return [(*row.heads, row.cells[0].text) for row in made.rows]


def test_without_accounts_the_tasks_own_notes_tell(cluster, tmp_path):
    notes(tmp_path, 0, "start 0 T1 n1 2 8", "end 0 T2 n1 137", "start 1 T3 n2 2 8", "end 1 T4 n2 0")
    notes(tmp_path, 1, "start 0 T1 n1 8 8", "end 0 T2 n1 3")
    outcomes.write_outcomes("7", tmp_path)
    assert table(tmp_path) == [("7", "0", "COMPLETED", "0", "n2", "2 of 8", "1"),
                               ("7", "1", "FAILED", "3", "n1", "8 of 8", "0")]
    block = slurm_block(tmp_path)
    assert "own notes" in block.tables[0][1].caption
    assert block.sentences == ["Tasks that did not end well: 1. What they measured before is here.",
                               ("Tasks that had a part of their node's cores: 0. What else ran "
                                "there is in their CPU times.")]


def test_the_accounts_say_what_a_killed_task_cannot(cluster, tmp_path):
    notes(tmp_path, 0, "start 0 T1 n1 8 8")
    cluster["scontrol -o"] = ("JobId=8 ArrayJobId=7 ArrayTaskId=0 JobState=FAILED Restarts=2 "
                              "ExitCode=0:9 NodeList=n1\n")
    outcomes.write_outcomes("7", tmp_path)
    assert table(tmp_path) == [("7", "0", "FAILED", "0:9", "n1", "8 of 8", "2")]
    cluster["sacct -n"] = "7_0|OUT_OF_MEMORY|0:125|n1\n7_[1-3]|PENDING|0:0|None\n"
    outcomes.write_outcomes("7", tmp_path)
    assert table(tmp_path) == [("7", "0", "OUT_OF_MEMORY", "0:125", "n1", "8 of 8", "2")]
    assert "sacct" in slurm_block(tmp_path).tables[0][1].caption
    notes(tmp_path, 3, "start 0 T1 n1 8 8")
    (tmp_path / "slurm" / "task-7_3.tsv").rename(tmp_path / "slurm" / "task-9_3.tsv")
    outcomes.write_outcomes("9", tmp_path)
    assert [row[:2] for row in table(tmp_path)] == [("7", "0"), ("9", "3")]
