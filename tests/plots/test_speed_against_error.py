from dataclasses import replace

from figure_samples import digit_cases

from analysis.tables.kind import Section
from plots.speed_against_error import counts_text, figure, finding, head, points_of
from records.view import View


def view_of(cases):
    return View("e", "speed_against_error", "Title", tuple(cases), {"host": {"cpu": "A CPU"}})


def test_points_are_of_the_shape_that_most_methods_have():
    view = view_of(digit_cases())
    assert sorted(case.implementation for case in points_of(view)) == [
        "gpu.cublas_bf16", "gpu.cublas_fp16", "gpu.cublas_tf32", "gpu.pipelined", "gpu.tensor"]
    assert {case.shape for case in points_of(view)} == {(64, 64, 64)}
    assert counts_text(view) == "5 points drawn; 1 point of other shapes: see the table."


def test_the_title_names_what_is_accurate_and_what_is_fast_with_their_errors():
    told = finding(view_of(digit_cases()))
    assert told.startswith("At 64 on uniform inputs tensor has ")
    assert "with errors to 1.00 units" in told and told.endswith("with 1,000")


def test_what_was_handed_converted_operands_is_drawn_and_heads_nothing():
    cases = digit_cases()
    handed = next(case for case in cases if case.implementation == "gpu.cublas_fp16")
    handed.parameters = {"operands": "resident"}
    view = view_of(cases)
    assert handed in points_of(view)
    assert finding(view).endswith("with 8,000")


def test_what_is_not_certified_or_has_no_error_is_no_point():
    cases = digit_cases()
    broken = replace(cases[0], verdicts=("incorrect",))
    unknown = replace(cases[1], eta_max=None)
    assert not {broken, unknown} & set(points_of(view_of([broken, unknown, *cases[2:5]])))
    assert figure(view_of([broken, unknown, cases[2]])) == (
        "No two methods have an error and a rate at one shape.")


def test_a_section_is_headed_by_the_group_that_is_drawn_and_says_what_is_unsound_of_it():
    cases = [replace(case, group="drawn") for case in digit_cases()]
    other = replace(cases[0], group="other", eta_max=0.001)
    section = Section(view=view_of([*cases, other]),
                      wanted=[{"kind": "speed_against_error", "group": "drawn"}])
    assert head(section).finding == finding(view_of(cases))
    few = [replace(case, sample_count=3) for case in cases]
    assert head(replace(section, view=view_of(few))).finding == f"{finding(view_of(few))} (3 samples)"
    assert head(replace(section, view=view_of([other]))) is None
