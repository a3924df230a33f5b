"""Clock, power and temperature: drawn where the card could not hold its clock, and only there."""

from drawn import cut_off, figure_of, overlapping
from figure_samples import clocked_cases

from plots.clocks import clocks_of, described, finding
from records.view import View

RUN = {"gpus": [{"name": "A card", "clocks": {"sm_mhz": 1980}}]}


def view(cases):
    return View("e", "clocks", "T", tuple(cases), RUN)


def test_the_finding_says_from_where_on_and_how_low():
    assert (finding(view(clocked_cases())) == "From 256 on the card could not hold its "
            "clock: it fell as low as 1,400 of 1,980 MHz (sw power cap)")
    assert described(view(clocked_cases())).startswith("3 of 9 points with a clock that was "
                                                              "held down.")


def test_a_dip_counts_without_the_drivers_word():
    cases = clocked_cases()
    for case in cases:
        case.throttled, case.throttle_reasons = None, ()
    assert (len(clocks_of(view(cases)).held_down) == 3
            and finding(view(cases)).endswith("1,400 of 1,980 MHz"))


def test_a_card_that_held_its_clock_needs_no_figure():
    cases = [case for case in clocked_cases() if not case.throttled]
    assert (finding(view(cases)) == ""
            and "held its clock at all of 6 points" in figure_of(view(cases)))
    assert "No GPU point" in figure_of(view([]))


def test_the_text_of_the_figure_is_whole_and_clear():
    figure = figure_of(view(clocked_cases()))
    assert [axes.get_ylabel() for axes in figure.axes] == ["clock (MHz)", "power (W)",
                                                           "temperature (°C)"]
    assert cut_off(figure) == [] and overlapping(figure) == []
