"""A Slurm of one node, started by the test itself: controller, node daemon and munge in a folder
and on ports of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol")
CPUS = 4  # declared, however many there are
SETTINGS = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/completed
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SlurmdTimeout=300
ReturnToService=2
KillWait=2
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Why Slurm cannot run here; empty where it can."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    absent = [name for name in NEEDED if not shutil.which(name, path=path)]
    if absent:
        return f"there is no {', '.join(absent)} here (Debian, Ubuntu: apt install slurm-wlm munge)"
    return "" if os.geteuid() == 0 else "Slurm's daemons are started as root only"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class CannotRun(Exception):
    """The daemons do not come up here, whatever the reason."""


class Cluster:
    """Context: the daemons run, and are gone afterwards with all that they started."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gemmlab-slurm-"))
        self.folder.chmod(0o755)  # munged wants to be reached by all
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": os.pathsep.join((os.environ.get("PATH", ""),
                                                     "/usr/sbin", "/sbin"))}
        self._daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> Cluster:
        try:
            self._start_all()
        except TimeoutError as error:
            self.__exit__()
            raise CannotRun(str(error)) from error
        return self

    def _start_all(self) -> None:
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        ports = {"controller": free_port(), "node": free_port()}
        (self.folder / "slurm.conf").write_text(SETTINGS.format(host=host, folder=self.folder,
                                                                cpus=CPUS, **ports))
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o600)
        files = {name: self.folder / f"munge.{name}" for name in ("socket", "pid", "log", "seed")}
        self._start("munged", "--foreground", "--force", f"--key-file={self.folder / 'munge.key'}",
                    f"--socket={files['socket']}", f"--pid-file={files['pid']}",
                    f"--log-file={files['log']}", f"--seed-file={files['seed']}")
        self.wait_for(files["socket"].exists, 30, "munged")
        self.start("slurmctld")
        self.start("slurmd")
        self.wait_for(lambda: "idle" in self.told("sinfo", "-h", "-o", "%t"), 60, "the node")

    def __exit__(self, *_: object) -> None:
        for one in self.processes("slurmstepd:"):
            self._kill_tree(one)
        for daemon in reversed(self._daemons.values()):
            if daemon.poll() is None:
                daemon.kill()
            daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as out:
            self._daemons[name] = subprocess.Popen([name, *arguments], env=self.environment,
                                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                   start_new_session=True)

    def start(self, name: str) -> None:
        """slurmctld or slurmd, in the foreground."""
        self._start(name, "-D", *(("-N", "node") if name == "slurmd" else ()))

    def kill(self, name: str) -> None:
        """Ends a daemon as a crash would: without a last word, its tasks left alone."""
        self._daemons[name].send_signal(signal.SIGKILL)
        self._daemons[name].wait()

    def look_again(self, job: str) -> None:
        """What an operator does after a crash. Has the controller ask the node what runs there,
        which it does by itself every few minutes: it may have died before it wrote down what a task
        had told it. And sets free tasks of the job, and the node, that it holds back since a launch
        failed while the node's daemon was away."""
        self.told("scontrol", "reconfigure")
        self.told("scontrol", "release", job)
        if self.told("sinfo", "-h", "-o", "%t").startswith(("drain", "drng", "down")):
            self.told("scontrol", "update", "NodeName=node", "State=RESUME")
        time.sleep(2)

    def told(self, *command: str) -> str:
        """What a command of Slurm's prints; what it complains of where the controller is away."""
        done = subprocess.run(command, env=self.environment, capture_output=True,
                              text=True, timeout=60)
        return done.stdout if done.returncode == 0 else done.stderr

    def wait_for(self, done, seconds: float, what: str) -> None:
        """Raises TimeoutError, with the daemons' logs, where it takes longer."""
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                logs = "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
                                 for path in sorted((*self.folder.glob("*.log"),
                                                     *self.folder.glob("*.out"))))
                raise TimeoutError(f"{what}: not within {seconds} s\n{self.told('squeue')}\n{logs}")
            time.sleep(0.2)

    def states(self, job: str) -> list[str]:
        """Of a job, or of each task of an array that has begun."""
        return re.findall(r"JobState=(\w+)", self.told("scontrol", "-o", "show", "job", job))

    def processes(self, word: str) -> list[int]:
        """Processes of this cluster whose command line has the word."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if (word.encode() in (path / "cmdline").read_bytes().replace(b"\0", b" ")
                        and mark in (path / "environ").read_bytes()):
                    found.append(int(path.name))
            except OSError:
                pass  # it has ended meanwhile
        return sorted(found)

    def _kill_tree(self, process: int) -> None:
        children = Path(f"/proc/{process}/task/{process}/children")
        try:
            below = [int(one) for one in children.read_text().split()]
            os.kill(process, signal.SIGKILL)
        except OSError:
            return
        for one in below:
            self._kill_tree(one)
