"""`gemmlab peers`: what is offered, asked, fetched from a folder of wheels, unpacked, noted and
removed."""

import io
import re
import subprocess
import sys
import zipfile

import pytest
from sample_records import ROOT

from files.reading import InputError
from report import peer_libraries
from report.peer_libraries import LIBRARIES, REQUIREMENTS, installed, main, pins, unpack

PINS = pins(REQUIREMENTS.read_text())
OPENBLAS = next(pin for pin in PINS if pin.name == "scipy-openblas32")


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMMLAB_PEERS", str(tmp_path / "peers"))
    monkeypatch.setattr(peer_libraries.platform, "machine", lambda: "x86_64")
    return tmp_path / "peers"


def wheel(folder, pin, files, version=None):
    """A wheel that pip takes on any machine."""
    version = version or pin.version
    name = pin.name.replace("-", "_")
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
        info = f"{name}-{version}.dist-info"
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {pin.name}\n"
                         f"Version: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
                         "Root-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
        archive.writestr(f"{info}/licenses/LICENSE.txt", "as you like")
    return path


def good(folder):
    return wheel(folder, OPENBLAS, {"scipy_openblas32/lib/libscipy_openblas.so": "code",
                                    "scipy_openblas32/include/cblas.h": "unwanted"})


def test_every_pin_is_known_and_every_known_library_is_pinned():
    assert [pin.name for pin in PINS] == list(LIBRARIES)
    assert all(re.fullmatch(r"\d+(\.\d+)+", pin.version) for pin in PINS)


@pytest.mark.parametrize("line", ["mkl>=2026", "numpy==2.4.6", "mkl"])
def test_a_line_that_pins_nothing_known_is_refused_with_the_line(line):
    with pytest.raises(InputError, match=re.escape(f"'{line}' is not NAME==VERSION with a name of "
                                                   "scipy-openblas32, mkl")):
        pins(line)


def test_the_offer_names_size_and_licence_and_nothing_is_installed_where_nobody_can_be_asked(
        place, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(InputError, match="nobody can be asked here; --yes installs them"):
        main([])
    said = capsys.readouterr().out.splitlines()
    assert len(said) == len(PINS) and not place.exists()
    assert ("OpenBLAS 0.3.34" in said[0] and "(not installed)" in said[0]
            and "8 MB to fetch, 25 MB kept; licence: BSD" in said[0])
    assert "proprietary" in said[1]


@pytest.mark.parametrize("answer,there", [("y\n", True), ("n\n", False), ("\n", False)])
def test_the_answer_decides(place, tmp_path, monkeypatch, answer, there):
    good(tmp_path / "wheels")
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert main(["--only", "openblas", "--wheels", str(tmp_path / "wheels")]) == 0
    assert (OPENBLAS.name in installed(place)) == there


def test_what_is_wanted_of_a_wheel_is_unpacked_once_and_removed_whole(place, tmp_path, capsys):
    good(tmp_path / "wheels")
    asked = ["--only", "openblas", "--yes", "--wheels", str(tmp_path / "wheels")]
    assert main(asked) == 0
    assert {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()} == {
        "versions.json", "lib/libscipy_openblas.so", "licences/scipy-openblas32/LICENSE.txt"}
    assert (place / "lib/libscipy_openblas.so").read_text() == "code"
    assert installed(place) == {OPENBLAS.name: OPENBLAS.version}
    (tmp_path / "wheels" / next((tmp_path / "wheels").iterdir()).name).unlink()
    capsys.readouterr()
    assert main(asked) == 0 and "(installed)" in capsys.readouterr().out  # nothing is fetched again
    assert main(["--only", "openblas", "--remove"]) == 0
    assert installed(place) == {} and not any((place / "lib").iterdir())


def test_another_version_is_replaced_and_a_file_that_is_gone_is_fetched_again(place, tmp_path):
    good(tmp_path / "wheels")
    asked = ["--only", "openblas", "--yes", "--wheels", str(tmp_path / "wheels")]
    main(asked)
    (place / "versions.json").write_text('{"scipy-openblas32": "0.1"}')
    assert main(asked) == 0 and installed(place)[OPENBLAS.name] == OPENBLAS.version
    (place / "lib/libscipy_openblas.so").unlink()
    assert installed(place) == {}
    assert main(asked) == 0 and installed(place)[OPENBLAS.name] == OPENBLAS.version


def test_a_wheel_without_the_library_leaves_what_was_there(place, tmp_path):
    main(["--only", "openblas", "--yes", "--wheels", str(good(tmp_path / "wheels").parent)])
    broken = wheel(tmp_path / "broken", OPENBLAS, {"scipy_openblas32/lib/other.so": "x"})
    with pytest.raises(InputError, match=r"lacks some of libscipy_openblas\.so"):
        unpack(broken, OPENBLAS.library, OPENBLAS.name, place)
    assert installed(place) == {OPENBLAS.name: OPENBLAS.version}


def test_what_cannot_be_fetched_is_one_line(place, tmp_path):
    (tmp_path / "empty").mkdir()
    done = subprocess.run([sys.executable, "-m", "report", "peers", "--only",
                           "openblas", "--yes", "--wheels", str(tmp_path / "empty")],
                          cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"gemmlab peers: .*scipy-openblas32 \S+ could not be fetched: .*No "
                        r"matching distribution.*\n", done.stderr)


def test_a_name_that_is_none_is_refused_with_those_there_are(place):
    with pytest.raises(InputError, match="--only: 'blis' is none of openblas, mkl"):
        main(["--only", "blis"])


def test_mkl_is_not_offered_to_another_processor(place, monkeypatch, capsys):
    monkeypatch.setattr(peer_libraries.platform, "machine", lambda: "aarch64")
    assert main(["--only", "mkl", "--yes"]) == 0
    assert "(not for aarch64)" in capsys.readouterr().out and not place.exists()
