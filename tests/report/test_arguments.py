"""What is wrong with a command line is one line, and ends with 2."""

import pytest

from report.__main__ import main


@pytest.mark.parametrize("command,name,arguments", [
    ("build", "report", ["--no-such"]), ("compare", "compare", ["one"]), ("doctor", "doctor", ["a", "b"]),
    ("export", "export", []), ("profile", "profile", ["quick", "--no-such"])])
def test_every_command_says_what_is_wrong_in_one_line(capsys, command, name, arguments):
    with pytest.raises(SystemExit) as stopped:
        main([command, *arguments])
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert stopped.value.code == 2 and not said.out
    assert line.startswith(f"gemmlab {name}: error: ") and "usage" not in line


def test_compare_says_which_of_its_two_results_is_missing(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "one"])
    assert capsys.readouterr().err.endswith("required: SECOND\n")
