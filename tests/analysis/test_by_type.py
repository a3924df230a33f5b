"""What a type buys: of each type the fastest, beside the fastest of float32 in float32."""

from dataclasses import replace

import pytest
from figure_samples import digit_cases
from sample_records import make_case

from analysis.compared.by_type import at_smallest, bought, fullest, types_finding, types_table
from analysis.tables.kind import Section
from records.view import View

FLOATS = digit_cases()[:5]  # of float32, in five precisions
SECONDS = {"fp32": 2.0, "fp32-split": 0.5, "tf32": 0.25, "fp16": 0.2, "bf16": 0.125}


def typed(name, options, seconds, **more):
    return make_case(name, options=options, samples=(seconds,) * 7, size=64, **more)


@pytest.fixture(name="cases")
def _cases():
    """Of bfloat16 two methods, of int8 one; the joules of a product are its seconds."""
    floats = [make_case(one.implementation, precision=one.precision, eta_max=eta, size=64,
                        samples=(SECONDS[one.precision],) * 7, verdicts=one.verdicts)
              for one, eta in zip(FLOATS, (2.0, 0.25, 200.0, 200.0, 2000.0))]
    narrow = {"type": "bfloat16"}
    made = [*floats, typed("gpu.mine", narrow, 0.2, eta_max=0.3, group="bf16"),
            typed("gpu.theirs", narrow, 0.1, eta_max=0.5, group="bf16"),
            typed("gpu.theirs", {"type": "int8", "result": "int32", "transpose_b": "yes"}, 0.05,
                  eta_max=0.0, group="int8")]
    return [replace(case, energy_j_per_call=case.median_s) for case in made]


def view_of(cases):
    return View("types", "types", "types", tuple(cases), {})


def rows_of(cases):
    table = types_table(view_of(cases))
    return table, {row.heads[1]: dict(zip(table.columns, row.cells)) for row in table.rows}


def test_a_row_a_type_with_the_fastest_method_and_what_it_saves(cases):
    table, rows = rows_of(cases)
    assert list(rows) == ["float32", "float32 in fp32-split", "float32 in tf32", "float32 in fp16",
                          "float32 in bf16", "bfloat16", "int8, to int32, B transposed"]
    ratios = [cells["times as fast"].value for cells in rows.values()]
    assert ratios == pytest.approx([1, 4, 8, 10, 16, 20, 40])
    assert [cells["times fewer J"].value for cells in rows.values()] == pytest.approx(ratios)
    assert [row.heads[2] for row in table.rows][-2:] == ["theirs", "theirs"], "not the slower one"


def test_methods_that_tie_are_both_named(cases):
    """Planted: a second method of bfloat16 that takes as long; one clearly slower is not named.
    Then it takes half the energy: none of its numbers stand in the row of the first."""
    equal = typed("gpu.equal", {"type": "bfloat16"}, 0.1, eta_max=0.5, group="bf16")
    table, _ = rows_of([*cases, equal])
    assert [row.heads[2] for row in table.rows if row.heads[1] == "bfloat16"] == [
        "theirs (level with equal)"]
    held = replace(equal, measured_s=0.105, samples_s=(0.105,) * 7, throttled=True)
    table, _ = rows_of([*cases, held])
    assert [row.heads[2] for row in table.rows if row.heads[1] == "bfloat16"] == [
        "theirs (level with equal)"], "its clock alone was held down"
    _, rows = rows_of([*cases, replace(equal, energy_j_per_call=0.05)])
    assert rows["bfloat16"]["times fewer J"].value == pytest.approx(20), "a row is of one method"


def test_calls_without_a_pause_have_a_ratio_of_their_own(cases):
    """Planted: bfloat16 takes 0.1 s in a burst, 0.16 s in calls without a pause."""
    timed = [replace(case, energy_calls=100, energy_s=100 * (
        0.16 if case.name == "theirs" and case.options == {"type": "bfloat16"} else case.median_s))
             for case in cases]
    _, rows = rows_of(timed)
    assert (rows["bfloat16"]["times as fast"].text, rows["bfloat16"]["times, without a pause"].text
            ) == ("20.0 [20.0, 20.0]", "12.5")
    assert "times, without a pause" not in types_table(view_of(cases)).columns


def test_digits_are_those_that_the_error_leaves(cases):
    _, rows = rows_of(cases)
    assert [cells["digits"].text for cells in rows.values()] == [
        "6.9", "7.8", "4.9", "4.9", "3.9", "2.4", "exact"], "bfloat16 of C: half a unit of 2⁻⁷"


def test_an_error_of_16_bits_says_that_the_rounding_of_c_is_not_in_it(cases):
    table, rows = rows_of(cases)
    note = table.notes[rows["bfloat16"]["error, units"].note - 1]
    assert note.endswith("beyond the rounding of C to bfloat16, which every method shares.")
    assert not rows["int8, to int32, B transposed"]["error, units"].note


def test_a_ratio_over_another_group_says_that_it_is_not_paired(cases):
    table, rows = rows_of(cases)
    told = {name: table.notes[cells["times as fast"].note - 1] if cells["times as fast"].note else ""
            for name, cells in rows.items()}
    assert {name for name, text in told.items() if "not paired" in text} == {"bfloat16",
                                                                            "int8, to int32, B transposed"}


def test_the_heading_answers_what_each_type_buys_and_costs(cases):
    def found(own):
        return types_finding(Section(view=view_of(own), wanted=[{"kind": "types"}])).finding

    assert found(cases) == (
        "Times as fast as float32 (pipelined, 6.9 digits) at 64, uniform inputs: bfloat16 20 and "
        "“int8, to int32, B transposed” 40 (not paired); float32 itself 4.0 in fp32-split (7.8 "
        "digits) and 16 in bf16 (3.9 digits)"), "it is told whose digits float32's are"
    over = [replace(case, of_ceiling=1.03) for case in cases]
    assert "as float32 (pipelined, 6.9 digits, 103 % of its run's ceiling) at 64" in found(over)
    few = [replace(case, sample_count=3) for case in cases]
    assert "(3 samples, not paired); " in found(few) and "3.9 digits; 3 samples)" in found(few)


@pytest.mark.parametrize(("slow", "told"), [
    (1890.0, "bfloat16 20 and “int8, to int32, B transposed” 40 (at 1,890 MHz, float32 at 1,980; "
             "not paired)"),
    (1965.0, "B transposed” 40 (the clock was held down on one side, not paired)")])
def test_types_at_clocks_that_differ_are_not_told_without_them(cases, slow, told):
    """Planted: int8's clock, held down by more than the 2 % that go untold, and by less."""
    clocked = [replace(case, clock_mhz=slow if held else 1980.0, throttled=held) for case in cases
               for held in [case.options.get("type") == "int8"]]
    text = types_finding(Section(view=view_of(clocked), wanted=[{"kind": "types"}])).finding
    assert told in text and "4.0 in fp32-split (7.8" in text


@pytest.mark.parametrize("fault", [{"options": {"type": "bfloat16", "alpha": 2.0}},
                                   {"load": "sustained"}, {"replica": 1}, {"status": "crashed"}])
def test_what_is_another_product_or_another_regime_is_no_type(cases, fault):
    fast = make_case("gpu.fast", **({"options": {"type": "bfloat16"}, "size": 64,
                                     "samples": (0.001,) * 7} | fault))
    assert rows_of([*cases, fast])[1]["bfloat16"]["times as fast"].value == pytest.approx(20)


def test_without_float32_beside_it_no_type_is_told(cases):
    table, rows = rows_of([case for case in cases if case.precision != "fp32" or case.options])
    assert not rows and table.caption == "No type stands beside float32 at one size."


def test_what_types_buy_at_the_smallest_size_is_told_beside_the_largest(cases):
    """Planted: at 32 bfloat16 takes as long as float32, where it was 20 times as fast at 64."""
    small = [replace(case, case_id=f"{case.case_id}s", dims=dict.fromkeys("mnk", 32),
                     measured_s=2.0, samples_s=[2.0] * 7)
             for case in cases if case.precision == "fp32" and case.options.get("type") in (
                 None, "bfloat16")]
    every = bought(view_of([*cases, *small]))
    assert at_smallest(every, fullest(every)).startswith("At 32: bfloat16 1.000 (a tie")
    assert at_smallest(bought(view_of(cases)), fullest(bought(view_of(cases)))) == ""
