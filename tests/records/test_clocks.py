"""A clock that was held down under one side of a comparison is marked on both, and so is their
ratio."""

from sample_records import DATA

from records.cases.clocks import dipped, mark_dips
from records.cases.phrases import times
from records.cases.ratios import speedup, unpaired
from records.loading import Experiment
from records.view import View
from report.pages.table_text import make as make_table

HELD = {"clock_mhz": 1980.0, "throttled": True, "throttle_reasons": ("sw power cap",)}


def marked(*cases):
    mark_dips(Experiment("e", DATA, [], list(cases)))
    return [bool(case.throttled) for case in cases]


def test_what_dips_beside_a_throttled_point_is_marked_too(make):
    cublas = make("gpu.cublas", clock_low_mhz=1395.0, **HELD)
    pipelined = make("gpu.pipelined", clock_mhz=1980.0, clock_low_mhz=1500.0, throttled=False)
    steady = make("gpu.tiled", clock_mhz=1980.0, clock_low_mhz=1950.0, throttled=False)
    assert marked(cublas, pipelined, steady) == [True, True, False]
    assert pipelined.throttle_reasons == ("sw power cap",)


def test_a_dip_alone_or_in_another_group_marks_nothing(make):
    low = {"clock_mhz": 1980.0, "clock_low_mhz": 1500.0, "throttled": False}
    assert marked(make("gpu.pipelined", **low),
                  make("gpu.cublas", clock_mhz=1980.0)) == [False, False]
    assert marked(make("gpu.cublas", **HELD),
                  make("gpu.pipelined", group="other", **low)) == [True, False]
    low |= {"throttled_share": 0.0}
    assert marked(make("gpu.cublas", **HELD),
                  make("gpu.pipelined", **low)) == [True, False], "the runner has decided"
    assert not dipped(make("gpu.cublas"))


def test_a_ratio_bears_the_mark_of_either_side(make):
    held, free = make("gpu.cublas", samples=(2.0,) * 9, **HELD), make("gpu.tiled",
                                                                      samples=(1.0,) * 9)
    for ratio in (speedup(held, free), speedup(free, held), unpaired(held, free)):
        assert ratio.throttled and times(ratio).endswith("(the clock was held down on one side)")
    assert (not speedup(free, make("gpu.naive")).throttled
            and "clock" not in times(speedup(free, make("gpu.naive"))))


def test_a_table_of_ratios_notes_the_mark(make):
    held, free = make("gpu.cublas", samples=(2.0,) * 9, **HELD), make("gpu.tiled",
                                                                      samples=(1.0,) * 9)
    table = make_table(View("e", "speedup", "T", (held, free), {},
                            {"implementation": "gpu.cublas"}))
    assert all(cell.note == 1 for row in table.rows for cell in row.cells)
    assert table.notes[0].endswith("measured while the card held its clock down.")
