"""`gemmlab merge`: the records of shards and folders in one file per experiment."""

from __future__ import annotations

import fcntl
import filecmp
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cluster.slurm.outcomes import write_outcomes
from commands.arguments import Parser, warn
from files.output import new_file
from files.reading import InputError
from files.safe import real_path, record_name, shown
from records.cases.hosts import hosts_of
from records.loading import find_files, without_garbage
from records.names.numbers import counted

from . import lines
from .lines import Line, Lines


def _parser() -> Parser:
    parser = Parser(prog="gemmlab merge", description="One file of records per experiment, from "
                    "the files of its shards and from several folders. Of each point the last "
                    "record of each host stays. Merging again changes nothing.",
                    epilog="example: gemmlab merge data/results/my-cluster")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR",
                        help="a folder of .jsonl files")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where the merged files go (default: the first folder)")
    parser.add_argument("--slurm-job", metavar="ID",
                        help="also write slurm.csv: how each task of this Slurm array ended")
    return parser


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Nobody appends to the file, if it is there, meanwhile. Raises InputError where somebody
    does."""
    if not path.exists():
        yield
        return
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{path}: a run is writing to it; merge when it is done") from error
        except OSError:  # some file systems of clusters have no locks
            pass
        yield


def _copy(kept: list[Line], target: BinaryIO) -> None:
    """Writes the lines as they stand in their files."""
    sources: dict[Path, BinaryIO] = {}
    try:
        for line in kept:
            source = sources.get(line.path)
            if source is None:
                source = sources[line.path] = line.path.open("rb")
            if source.tell() != line.place:
                source.seek(line.place)
            text = source.read(line.size)
            target.write(text if text.endswith(b"\n") else text + b"\n")
    finally:
        for source in sources.values():
            source.close()


def _write(kept: list[Line], path: Path, read_bytes: int) -> bool:
    """Replaces the file, of which so many bytes were read, as a whole where it would be another
    one. Was it?"""
    with _alone(path), new_file(path, any_there=True) as made:
        if (path.stat().st_size if path.exists() else 0) != read_bytes:
            raise InputError(f"{path}: a run has written to it meanwhile; merge again")
        with made.open("wb") as target:
            _copy(kept, target)
        if path.exists() and filecmp.cmp(made, path, shallow=False):
            made.unlink()
            return False
        return True


def _refuse_empty(folders: list[Path], found: Lines) -> None:
    """Raises InputError for a folder whose files hold no record: it is not the one that was
    meant."""
    filled = {line.path for of in found.of.values() for line in of}
    for folder in folders:
        if not filled & {real_path(path) for path in find_files(folder)}:
            raise InputError(f"{folder}: no record in it")


def merge(folders: list[Path], output: Path) -> tuple[Lines, list[str]]:
    """Writes output/EXPERIMENT.jsonl for every experiment of the folders, what is there already
    included; returns what was read, and a line per experiment. Raises InputError where there is
    nothing to read."""
    files = dict.fromkeys(real_path(path) for folder in folders for path in find_files(folder))
    output.mkdir(parents=True, exist_ok=True)
    files.update(dict.fromkeys(real_path(path) for path in output.glob("*.jsonl")))
    told = []
    with without_garbage():
        found = lines.read(sorted(files))
        _refuse_empty(folders, found)
        for experiment in sorted(found.of):
            kept = lines.kept(found, experiment)
            name = record_name(experiment)
            target = real_path(output / f"{name}.jsonl")
            changed = _write(kept, target, found.sizes.get(target, 0))
            cases = sum(line.head.kind == "case" and not line.head.twin_of for line in kept)
            hosts = len(hosts_of(found.runs_of(experiment)))
            sources = len({line.path for line in found.of[experiment]} - {target})
            told.append(
                f"{shown(experiment)}{f' (in {name}.jsonl)' if name != experiment else ''}: "
                f"{counted(cases, 'point')} of {counted(hosts, 'host')}, from "
                f"{counted(sources, 'file')}" + ("" if changed else "; nothing new"))
    return found, told


def main(arguments: list[str]) -> int:
    """0. Raises InputError where there is nothing to read, OSError where DIR cannot be written
    to."""
    options = _parser().parse_args(arguments)
    output = options.output or options.folders[0]
    if options.slurm_job is not None:
        output.mkdir(parents=True, exist_ok=True)
        print(write_outcomes(options.slurm_job, output))
    found, told = merge(options.folders, output)
    warn("merge", [*found.warnings,
                   *filter(None, (lines.missing_text(found, name) for name in sorted(found.of)))])
    print(*told, sep="\n")
    print(f"Records: {output}")
    return 0
