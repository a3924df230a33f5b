"""`gemmlab slurm`: a sweep as three Slurm jobs, printed as a script or submitted."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from commands.arguments import Parser, warn, whole_number
from files.reading import InputError
from files.safe import real_path
from files.tree import ROOT
from records.reference import OWN_RESULTS

from .fair import definition_of, devices_of, refuse_cluster, refuse_shared

TEMPLATES = Path(__file__).parent
MOST_TASKS = 100000
MOST_RESTARTS = 20  # of a task that is killed or runs out of time, over and over
_WORD = re.compile(r"[\w.,:@/+=%-]+", re.ASCII)


def _word(text: str) -> str:
    """A value of an #SBATCH line, which no shell reads and quotes."""
    if not _WORD.fullmatch(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed: letters, digits and . , : @ / "
                                         "+ = % - _ only")
    return text


def _parser() -> Parser:
    parser = Parser(
        prog="gemmlab slurm", description="A sweep over the nodes of a cluster: prints a script "
        "that submits the build, an array of tasks that measure a shard each, and a job that "
        "merges and reports; --submit runs it.",
        epilog="example: gemmlab slurm gpu_ladder --tasks 8 --partition gpu --exclusive > sweep.sh")
    parser.add_argument("experiments", nargs="+", metavar="EXPERIMENT",
                        help="names (see gemmlab list) or .toml files")
    parser.add_argument("--tasks", type=whole_number(1, MOST_TASKS), default=4, metavar="N",
                        help="shards, one per task (default: 4)")
    parser.add_argument("--at-once", type=whole_number(1, MOST_TASKS), metavar="M",
                        help="tasks that run at the same time at most (default: all)")
    parser.add_argument("--gpus-per-task",
                        type=whole_number(0, 64, "; two tasks on one GPU disturb each other"),
                        default=1, metavar="G", help="0 for the CPU alone (default: 1)")
    for name, metavar in (("partition", "P"), ("time", "T"), ("account", "A")):
        parser.add_argument(f"--{name}", type=_word, metavar=metavar,
                            help="as sbatch takes it (default: the cluster's)")
    parser.add_argument("--exclusive", action="store_true",
                        help="a node for each task: nothing else runs beside it")
    parser.add_argument("--shared", action="store_true",
                        help="measure on a CPU whose node others may use; the report marks it")
    parser.add_argument("--container", type=_word, metavar="IMAGE",
                        help="run everything in this image, by apptainer")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        default=OWN_RESULTS / "cluster", help="where the records go, "
                        "which all nodes see (default: data/results/cluster)")
    parser.add_argument("--submit", action="store_true", help="submit it, too")
    return parser


def _asked(options: argparse.Namespace, measures: bool) -> str:
    """The #SBATCH lines of a job."""
    wanted = [f"--{name}={value}" for name in ("partition", "time", "account")
              if (value := getattr(options, name))]
    if measures and options.gpus_per_task:
        wanted.append(f"--gpus-per-task={options.gpus_per_task}")
    if measures and options.exclusive:
        wanted.append("--exclusive")
    return "\n".join(f"#SBATCH {one}" for one in ["--ntasks=1", *wanted])


def script(options: argparse.Namespace, definitions: list[Path], command: list[str]) -> str:
    """The script that submits the sweep. Raises InputError where a path cannot stand in it."""
    records = real_path(options.output)
    if not _WORD.fullmatch(str(records)):
        raise InputError(f"{records}: sbatch takes no such path for what a job prints; give "
                         "--output another folder")
    finished = os.environ.get("GEMMLAB_BUILD", "")
    gpus = options.gpus_per_task
    container = (f"apptainer exec{' --nv' if gpus else ''} --bind {shlex.quote(str(ROOT))} "
                 f"{options.container} " if options.container else "")
    made = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined,
                       trim_blocks=True, keep_trailing_newline=True)
    return made.get_template("sweep.sh.j2").render(
        names=", ".join(path.stem for path in definitions), experiments=shlex.join(map(str, (
            name if not name.endswith(".toml") else real_path(Path(name))
            for name in options.experiments))),
        tasks=options.tasks, at_once=min(options.at_once or options.tasks, options.tasks),
        command=shlex.join(command), root=shlex.quote(str(ROOT)), records=records,
        finished=bool(finished), gpus=gpus, cuda="ON" if gpus else "OFF",
        build=shlex.quote(str(real_path(Path(finished)) if finished
                              else ROOT / "build" / ("cuda" if gpus else "cpu"))),
        container=container, most_restarts=MOST_RESTARTS, asked=_asked(options, True),
        asked_for_report=_asked(options, False))


def main(arguments: list[str]) -> int:
    """0, or what sbatch ends with. Raises InputError where the times could not be trusted."""
    options = _parser().parse_args(arguments)
    definitions = [definition_of(name) for name in options.experiments]
    refuse_shared(set().union(*map(devices_of, definitions)), options.gpus_per_task,
                  options.exclusive, options.shared)
    unknown = refuse_cluster(options.partition, options.gpus_per_task)
    text = script(options, definitions, ["gemmlab", "slurm", *arguments])
    if not options.submit:
        print(text, end="")
        warn("slurm", filter(None, [unknown]))
        return 0
    if unknown:
        raise InputError("there is no Slurm here to submit to: leave --submit out, and run the "
                         "script where sbatch is")
    sys.stdout.flush()
    return subprocess.run(["bash", "-s"], input=text, encoding="utf-8", errors="replace",
                          check=False).returncode
