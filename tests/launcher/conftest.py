"""A copy of the launcher in a folder of its own, on a PATH of fakes that write down how they were
called."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What the launcher may take from the real system; all else is a fake or absent.
REAL = ["bash", "basename", "cat", "cut", "dirname", "env", "flock", "grep", "mkdir", "readlink",
        "sed", "sha256sum", "sleep", "sort", "stat", "tail", "touch", "tr", "uniq"]

NAMES = [line.split()[0] for line in (ROOT / "packages.txt").read_text().splitlines()
         if line.strip() and not line.startswith("#")]
NEEDED = [name for name in NAMES if not name.startswith("?")]
OPTIONAL = [name.lstrip("?") for name in NAMES if name.startswith("?")]

# Prints its arguments and the launcher's variables, and ends as $FAKE_EXIT says.
PROGRAM = """#!/bin/bash
printf 'argument <%s>\\n' "$@"
printf 'python <%s>\\nroot <%s>\\nfolder <%s>\\nprogram <%s>\\n' "${GEMMLAB_PYTHON-}" "$GEMMLAB_ROOT" "$PWD" "${0##*/}"
[[ ${FAKE_EXIT-} == INT ]] && kill -INT $$
exit "${FAKE_EXIT:-0}"
"""

# Configures: leaves a build.ninja, which says whether -DGEMMLAB_ONLY= was given. Builds: leaves the
# program, as soon as there is a file $FAKE_BUILD_UNTIL, if it names one, or after
# $FAKE_BUILD_SECONDS.
CMAKE = """#!/bin/bash
[[ $1 != --version ]] || { echo "cmake version ${FAKE_CMAKE:-3.25.1}"; exit; }
echo "cmake $*" >>"$FAKE_LOG"
[[ -z ${FAKE_BUILD_FAILS-} || $1 != --build ]] || { echo 'FAILED: kernel.o'; exit 1; }
if [[ $1 == --build ]]; then
  sleep "${FAKE_BUILD_SECONDS:-0}"
  for _ in {1..1200}; do [[ -n ${FAKE_BUILD_UNTIL-} && ! -e $FAKE_BUILD_UNTIL ]] || break; sleep 0.05; done
  for step in {1..9}; do echo "[$step/9] Building CXX object $step"; done
  mkdir -p "$2/runner" "$2/submissions" "$2/api/blas"
  read -r only <"$2/build.ninja"
  cp "$FAKE_PROGRAM" "$2/runner/gemmlab$only"
  cp "$FAKE_PROGRAM" "$2/submissions/gemmlab-judge"
  echo library >"$2/api/blas/libgemmlab_blas.so"
else
  mkdir -p "$2/build/$4"
  [[ "$*" =~ -DGEMMLAB_ONLY=(.*) ]] && only=-quick
  echo "${only-}" >"$2/build/$4/build.ninja"
fi
"""

APT_GET = """#!/bin/bash
echo "apt-get $*" >>"$FAKE_LOG"
[[ $1 != install ]] || printf '%s\\n' "${@:2}" >>"$FAKE_INSTALLED"
"""

DPKG_QUERY = """#!/bin/bash
echo "dpkg-query $*" >>"$FAKE_LOG"
for name in "${@:3}"; do
  grep -qxF -- "$name" "$FAKE_INSTALLED" && echo "ii  $name"
done
exit 1
"""

# As the real one writes; a name that it never heard of is passed over. $FAKE_SLOW: seconds after
# each package's first lines.
APT_CACHE = """#!/bin/bash
for name in "${@:2}"; do
  grep -qxF -- "$name" "$FAKE_ARCHIVE" || continue
  printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n' "$name"
  sleep "${FAKE_SLOW:-0}"
  printf '  Version table:\\n     1.0 500\\n' || exit
done
"""


class Launcher:
    def __init__(self, folder: Path):
        self.root = folder / "a checkout"
        self.bin = folder / "bin"
        self.log = folder / "calls"
        self.installed = folder / "installed"
        self.archive = folder / "archive"
        self.program = folder / "program"
        for made in (self.root, self.bin):
            made.mkdir()
        for name in ("gemmlab", "packages.txt", "CMakeLists.txt", "CMakePresets.json",
                     "requirements-build.txt"):
            shutil.copy(ROOT / name, self.root / name)
        for pattern in ("commands/**/*.py", "files/*.py", "*/satellite.py", "*/needs.txt",
                        "*/help/*.txt", "docs/commands.md", "experiments/quick.toml",
                        "cpu/gemm/rows.txt"):
            for path in ROOT.glob(pattern):
                copy = self.root / path.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        (self.root / "requirements.txt").write_text("# none\n")
        for name in [*REAL, "cp"]:
            real = shutil.which(name)
            assert real, f"{name} is missing"
            (self.bin / name).symlink_to(real)
        self.fake("program", PROGRAM, self.program)
        self.fake("cmake", CMAKE)
        self.fake("ninja", "#!/bin/bash\n")
        self.fake("apt-get", APT_GET)
        self.fake("dpkg-query", DPKG_QUERY)
        self.fake("apt-cache", APT_CACHE)
        self.user(0)
        self.log.write_text("")
        every = [name for entry in NAMES for name in entry.lstrip("?").split("|")]
        self.installed.write_text("".join(f"{name}\n" for name in every))
        self.archive.write_text("".join(f"{name}\n" for name in every))
        self.environment = {"PATH": str(self.bin), "HOME": str(folder),
                            "LC_ALL": "C.UTF-8", "GEMMLAB_CUDA": "OFF",
                            "FAKE_LOG": str(self.log), "FAKE_INSTALLED": str(self.installed),
                            "FAKE_ARCHIVE": str(self.archive), "FAKE_PROGRAM": str(self.program)}

    def fake(self, name: str, text: str, path: Path | None = None) -> None:
        path = path or self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def user(self, uid: int) -> None:
        self.fake("id", f"#!/bin/bash\necho {uid}\n")

    def start(self, *arguments: str, via: Path | None = None, cwd: Path | None = None,
              user: int | None = None, **variables: str) -> subprocess.Popen:
        return subprocess.Popen([via or self.root / "gemmlab", *arguments], cwd=cwd or self.root,
                                user=user, env={**self.environment, **variables},
                                stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, start_new_session=True,
                                # a test run started in the background ignores SIGINT, and so would
                                # its children
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def __call__(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        with self.start(*arguments, **options) as process:
            # far more than it takes, for a machine under load
            out, err = process.communicate(timeout=240)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def calls(self, what: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.startswith(what)]

    def finished_build(self) -> Path:
        folder = self.root.parent / "a build"
        (folder / "runner").mkdir(parents=True)
        shutil.copy(self.program, folder / "runner" / "gemmlab")
        (folder / "submissions").mkdir()
        shutil.copy(self.program, folder / "submissions" / "gemmlab-judge")
        return folder


@pytest.fixture
def gemmlab(tmp_path: Path) -> Launcher:
    return Launcher(tmp_path)

