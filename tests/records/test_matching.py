"""Which points of two machines are the same: equal parameters, or all cores of each."""

from sample_records import DATA

from analysis.compared.compare import compare
from records.loading import Experiment, Results
from records.matching import matched


def machine(make, cores, *threads):
    cases = [make(parameters={"threads": count}, label=f"t{count}", case_id=f"{cores}-{count}",
                  run_id=f"on{cores}", samples=(1.0 / count,) * 9) for count in threads]
    return Results(DATA, [Experiment("e", DATA, [{"run_id": f"on{cores}",
                                                  "host": {"cores": cores}}], cases)], [])


def found(first, second):
    shared, mine, theirs = matched(first, second)
    return ([(one.first.parameters["threads"], one.second.parameters["threads"], one.cores)
             for one in shared], [case.label for case in mine], [case.label for case in theirs])


def test_all_cores_of_one_machine_match_all_cores_of_the_other(make):
    assert found(machine(make, 16, 1, 16),
                 machine(make, 2, 1, 2)) == ([(1, 1, ""), (16, 2, "16 / 2")], [], [])


def test_equal_numbers_of_threads_come_first(make):
    assert found(machine(make, 16, 2, 16), machine(make, 2, 2)) == ([(2, 2, "")], ["t16"], [])


def test_some_cores_match_only_as_many(make):
    assert found(machine(make, 16, 8), machine(make, 2, 2)) == ([], ["t8"], ["t2"])
    assert found(machine(make, 16, 16), machine(make, 4, 2)) == ([], ["t16"], ["t2"])


def test_compare_says_that_the_cores_differ(make):
    said = compare(machine(make, 16, 1, 16), machine(make, 2, 1, 2))
    assert [row.heads[0] for row in said.table.rows] == ["t1", "t16, all cores (16 / 2)"]
    assert any("The numbers of cores differ: 1 point" in text and "“all cores (16 / 2)”" in text
               for text in said.remarks)
    same = compare(machine(make, 16, 1, 16), machine(make, 16, 1, 16))
    assert not any("cores differ" in text for text in same.remarks)
