"""A prediction stands beside what the reference machine measured of the same kernel on that card:
at the same size, or at the nearest."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest
from sample_records import ROOT

from emulator.counts.work import Product
from emulator.model.measured_time import measured_time
from records.names.numbers import duration

MACHINE = "intel-xeon-nvidia-h200"
CARD = "NVIDIA H200"


def cube(size):
    return Product(size, size, size)


def prediction(seconds):
    """What told() asks of one: four of five measured times lie between 0.85 and 1.15 of it."""
    return SimpleNamespace(seconds=seconds, low=0.85 * seconds, high=1.15 * seconds,
                           card=SimpleNamespace(name=CARD))


def test_a_committed_time_that_the_range_misses_is_called_outside():
    found = measured_time("gpu.tiled", {"block": 16}, cube(256), CARD)
    assert not found.nearest and found.case.experiment == "block_size"
    assert duration(found.case.median_s) == "12.4 µs"
    explanation = prediction(16.2e-6)
    assert found.outside(explanation)
    assert found.told(explanation) == (
        "Measured on the reference machine's NVIDIA H200: 12.4 [12.4, 12.4] µs, outside the range "
        "(24 % less than predicted; experiment block_size).")


def test_a_committed_time_within_the_range_is_called_so():
    found = measured_time("gpu.tiled", {"block": 16}, cube(256), CARD)
    assert not found.outside(prediction(13e-6))
    assert ", within the range (4.7 % less than predicted;" in found.told(prediction(13e-6))


def test_another_size_has_the_nearest_and_no_verdict_on_the_range():
    found = measured_time("gpu.tiled", {"block": 16}, cube(300), CARD)
    assert found.nearest and found.case.shape == (256, 256, 256)
    told = found.told(prediction(1.0))
    assert "only at other sizes; the nearest is 256: " in told and "range" not in told
    assert not found.outside(prediction(1.0))


@pytest.mark.parametrize(("parameters", "card"), [({"block": 17}, CARD),
                                                  ({"block": 16}, "NVIDIA A100 40 GB")])
def test_another_kernel_or_card_has_none(parameters, card):
    assert measured_time("gpu.tiled", parameters, cube(256), card) is None


@pytest.fixture(name="data")
def _data(tmp_path):
    """A data folder of the reference machine with the records of block_size alone."""
    folder = tmp_path / "results" / MACHINE
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "data" / "results" / MACHINE / "block_size.jsonl", folder)
    (tmp_path / "reference.json").write_text(json.dumps({"machine": MACHINE}), encoding="utf-8")
    return tmp_path


def changed(data, change):
    path = data / "results" / MACHINE / "block_size.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["kind"] == "case":
            change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def of_256(data):
    found = measured_time("gpu.tiled", {"block": 16}, cube(256), CARD, data=data)
    return found and (found.case.shape[0], found.nearest)


def test_what_was_not_certified_or_was_timed_otherwise_does_not_count(data):
    assert of_256(data) == (256, False)

    def spoil(line):
        if line["m"] == 256:
            line["scope"] = "call"
        elif line["m"] == 512:
            line["status"], line["reason"] = "incorrect", "planted"

    changed(data, spoil)
    assert of_256(data) not in ((256, False), (512, True), None)


def test_no_reference_machine_is_no_measurement(tmp_path):
    assert measured_time("gpu.tiled", {"block": 16}, cube(256), CARD, data=tmp_path) is None
