"""Which cores the threads ran on."""

from drawn import cut_off, figure_of, overlapping
from figure_samples import placed_cases

from plots.thread_placement import finding, placements
from records.view import View


def view(cases, cores=4):
    return View("e", "thread_placement", "T", tuple(cases),
                {"host": {"cpu": "A CPU", "cores": cores}})


def test_points_with_as_many_threads_on_the_same_cores_are_one_row(make):
    rows = placements(view([*placed_cases(), make("cpu.ikj", label="i", threads_actual=2,
                                                  cores=(5, 4), pinned=True)]))
    assert [(one.threads, one.cores, one.bound, len(one.cases)) for one in rows] == [
        (1, (4,), True, 1), (2, (4, 5), True, 2), (2, (4, 5), False, 1), (4, (4, 6), False, 1)]
    assert rows[1].names == "OpenMP, ikj"


def test_shared_cores_are_told(make):
    assert (finding(view(placed_cases()))
            == "At 3 of 4 points with no more threads than processors, each thread had one of its "
            "own; at 2 it was bound to it; OpenMP shared processors")
    assert finding(view(placed_cases(), cores=2)).startswith("At all 3 points")


def test_without_cores_there_is_nothing_to_draw(make):
    assert (finding(view([make("cpu.ikj")])) == ""
            and "No point recorded" in figure_of(view([make("cpu.ikj")])))
    crashed = make("cpu.ikj", cores=(1,), status="crashed")
    assert placements(view([crashed])) == []


def test_the_text_of_the_figure_is_whole_and_clear():
    figure = figure_of(view(placed_cases()))
    assert cut_off(figure) == [] and overlapping(figure) == []
