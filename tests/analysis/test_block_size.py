"""Which block is best, and why: the figure `block_size` and what it says."""

import pytest
from drawn import cut_off, figure_of, overlapping

from analysis.ladder.block_steps import block_steps, counted_text, described, finding
from records.loading import find_files, load
from records.view import View

RUN = {"gpus": [{"uuid": "GPU-1", "sm_count": 100, "clocks": {"sm_mhz": 1000}}], "ceilings": [
    {"device": "gpu", "what": "memory_read", "level": "l2", "value": 1000.0, "unit": "GB/s"}]}


def cases(make, times, size=64, implementation="gpu.tiled", **more):
    return [make(implementation, label=f"{block}", parameters={"block": block}, size=size,
                 samples=tuple(taken * (1 + 1e-4 * place) for place in range(9)), **more)
            for block, taken in times.items()]


def counted(block, l2_bytes, time_s, size=4096, uuid="GPU-1", experiment="ladder"):
    """A `counters` record: only the L2's bytes differ between blocks."""
    values = {"l2_bytes": l2_bytes, "instructions": 1e9, "time_s": time_s, "occupancy": 0.9}
    return {"implementation": "gpu.tiled", "parameters": {"block": block}, "m": size,
            "n": size, "k": size, "gpu_uuid": uuid, "experiment": experiment,
            "metrics": {name: {"value": value} for name, value in values.items()}}


def view(made, counted=(), run=RUN):
    return View("e", "block_size", "T", tuple(made), run, counted=tuple(counted))


def test_the_finding_sets_the_best_against_the_next_and_the_slowest(make):
    assert finding(view(cases(make, {4: 8.0, 16: 2.0, 32: 1.0}))) == \
        "A 32×32 tile is 2.0 times as fast as 16×16, and 8.0 times as fast as 4×4 at 64"
    assert (finding(view(cases(make, {16: 4.0, 64: 1.0}, implementation="cpu.blocked"))) == "Block "
            "64 is 4.0 times as fast as block 16 at 64")
    assert finding(view(cases(make, {8: 1.0, 16: 1.5, 32: 3.0}))) == \
        "A 8×8 tile is 1.50 times as fast as 16×16, and 3.0 times as fast as 32×32 at 64"


def test_two_that_the_samples_do_not_decide_between_are_not_called_level(make):
    made = [make("gpu.tiled", label=f"{block}", parameters={"block": block}, samples=samples)
            for block, samples in ((8, (8.0,) * 9), (16, (1.2,) * 3), (32, (1.0,) * 3))]
    assert finding(view(made)) == "32×32 and 16×16 are not told apart, 8.0 times as fast as 8×8 at 64"
    assert (finding(view(cases(make, {4: 8.0, 16: 1.0, 32: 1.0}))) == "16×16 and 32×32 are level, "
            "8.0 times as fast as 4×4 at 64")


def test_of_several_implementations_the_first_is_named(make):
    made = [*cases(make, {16: 2.0, 32: 1.0}),
            *cases(make, {16: 3.0, 32: 1.0}, implementation="gpu.tiled_padded")]
    assert finding(view(made)) == "tiled: A 32×32 tile is 2.0 times as fast as 16×16 at 64"
    assert len(block_steps(view(made))) == 2


def test_steps_are_told_at_the_shape_of_the_finding(make):
    made = [*cases(make, {16: 2.0, 32: 1.0}, size=64), *cases(make, {16: 3.0, 32: 1.0}, size=128)]
    assert finding(view(made)) == "A 32×32 tile is 3.0 times as fast as 16×16 at 128"
    assert block_steps(view(made))[0].shape == (128, 128, 128)


def test_a_gain_has_the_counter_that_was_worth_most_of_it(make):
    """0.8 of the saved 1 s is L2 traffic, at 1,000 GB/s."""
    records = [counted(16, 1e12, 2.0), counted(32, 0.2e12, 1.0)]
    (steps,) = block_steps(view(cases(make, {16: 2.0, 32: 1.0}), records))
    assert [reason.text for reason in steps.rows[1].reasons] == ["bytes from L2 466 → 93.1"]
    assert (steps.records == tuple(records)
            and "466 → 93.1" in described(view(cases(make, {16: 2.0, 32: 1.0}), records)))
    small = [counted(16, 1e12, 2.0), counted(32, 0.9e12, 1.0)]
    (steps,) = block_steps(view(cases(make, {16: 2.0, 32: 1.0}), small))
    assert steps.rows[1].reasons == () and steps.records == ()


def test_counters_of_two_cards_or_of_one_block_alone_explain_nothing(make):
    made = cases(make, {16: 2.0, 32: 1.0})
    for records in ([counted(16, 1e12, 2.0), counted(32, 0.2e12, 1.0, uuid="GPU-2")], [counted(
            32, 0.2e12, 1.0)], [counted(16, 1e12, 2.0), counted(32, 0.2e12, 1.0, size=2048)]):
        (steps,) = block_steps(view(made, records))
        assert steps.rows[1].reasons == ()


def test_counters_of_another_card_say_so_and_those_of_the_same_go_first(make):
    made = cases(make, {16: 2.0, 32: 1.0})
    others = [counted(16, 1e12, 2.0, uuid="GPU-2"), counted(32, 0.1e12, 1.0, uuid="GPU-2")]
    own = [counted(16, 1e12, 2.0, size=64), counted(32, 0.2e12, 1.0, size=64)]
    assert "Counted on another card (GPU-2)" in counted_text(view(made, others),
                                                             block_steps(view(made, others)))
    (steps,) = block_steps(view(made, [*others, *own]))
    assert (steps.records == tuple(own)
            and "another card" not in counted_text(view(made, own), [steps]))


def test_a_block_that_is_not_shown_is_not_ranked(make):
    made = [*cases(make, {16: 2.0, 32: 1.0}), *cases(make, {8: 0.1}, status="incorrect")]
    assert finding(view(made)) == "A 32×32 tile is 2.0 times as fast as 16×16 at 64"


def test_the_text_of_the_figure_is_whole_and_clear(make):
    records = [counted(block, 1e12 / block, 16.0 / block) for block in (4, 8, 16, 32)]
    made = [case for size in (256, 512, 2048)
            for case in cases(make, {4: 8.0, 8: 4.0, 16: 2.0, 32: 1.0}, size=size)]
    figure = figure_of(view(made, records))
    assert cut_off(figure) == [] and overlapping(figure) == []
    loop = figure_of(view([case for size in (256, 512) for case in cases(
        make, {16: 8.0, 32: 7.0, 64: 6.0, 128: 5.9, 256: 5.8}, size=size,
        implementation="cpu.blocked")]))
    assert cut_off(loop) == [] and overlapping(loop) == []


@pytest.fixture(name="h200", scope="module")
def _h200():
    from sample_records import ROOT

    folder = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
    return load(folder,
                [path for path in find_files(folder) if path.stem in ("block_size", "gpu_ladder")])


def test_the_committed_records_tell_which_block_and_why(h200):
    from report.asked.wanted import views

    experiment = next(one for one in h200.experiments if one.name == "block_size")
    (own,) = views(experiment, {"kind": "block_size"}, None)
    assert finding(own).startswith("A 32×32 tile is") and "times as fast as 4×4" in finding(own)
    assert all(row.reasons for row in block_steps(own)[0].rows[1:])
    assert cut_off(figure_of(own)) == [] and overlapping(figure_of(own)) == []
