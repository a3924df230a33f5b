"""What is wrong with a command line is one line, and ends with 2."""

import json

import pytest
from sample_records import needs_command

from report.__main__ import COMMANDS, main


@pytest.mark.parametrize("command,name,arguments",
                         [("build", "report", ["--no-such"]), ("compare", "compare", ["one"]),
                          ("doctor", "doctor", ["a", "b"]), ("export", "export", []),
                          ("profile", "profile", ["quick", "--no-such"])])
def test_every_command_says_what_is_wrong_in_one_line(capsys, command, name, arguments):
    with pytest.raises(SystemExit) as stopped:
        main([command, *arguments])
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert stopped.value.code == 2 and not said.out
    assert line.startswith(f"gemmlab {name}: error: ") and "usage" not in line


@pytest.mark.parametrize("arguments",
                         [["build", ""], ["build", "a", "--output", ""], ["build", "--output="],
                          ["merge", ""], ["merge", "a", "--output="], ["compare", "a", ""],
                          ["doctor", ""], ["export", "", "--output", "x"], ["bundle", ""],
                          ["verify-bundle", ""], ["explain", ""], ["slurm", ""], ["profile", ""]])
def test_an_empty_argument_is_a_mistake_and_no_name_of_this_folder(tmp_path, monkeypatch,
                                                                   capsys, arguments):
    needs_command(arguments[0])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert (stopped.value.code == 2 and "an argument is empty" in line
            and line.endswith("leave it out, or give it a value"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments,meant", [(["build", "--hlep"], "--help"), (
    ["compare", "--fail-on-regresion", "5"], "--fail-on-regression"),
    (["merge", "a", "--ouput=b"], "--output"), (["bundle", "x", "--languge", "zh"], "--language")])
def test_a_misspelt_option_is_named_with_the_one_that_was_meant(capsys, arguments, meant):
    needs_command(arguments[0])
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert (stopped.value.code == 2 and ": error: there is no option --" in line
            and f"(did you mean {meant}?)" in line)


def test_what_begins_an_option_and_what_stands_behind_a_double_dash_is_none(tmp_path, capsys):
    needs_command("merge")
    assert main(["merge", "--outp", str(tmp_path / "x"), "--", "--nowhere"]) == 2
    assert capsys.readouterr().err == "gemmlab merge: error: --nowhere: no such file or folder\n"


@pytest.mark.parametrize("arguments", [["nowhere", "--json"], ["--json", "--colour"],
                                       ["--json", ""], ["--json", "a", "b"]])
def test_who_asks_the_doctor_for_json_gets_it(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["doctor", *arguments])
    except SystemExit as stopped:
        code = stopped.code
    said = capsys.readouterr()
    assert code == 2 and said.err == f"gemmlab doctor: error: {json.loads(said.out)['error']}\n"


def test_a_crash_is_told_in_json_too(monkeypatch, capsys):
    def broken(_):
        raise RuntimeError("planted")

    monkeypatch.setitem(COMMANDS, "doctor", ("gemmlab doctor", broken))
    assert main(["doctor", "--json"]) == 3
    assert "planted" in json.loads(capsys.readouterr().out)["error"]


def test_compare_says_which_of_its_two_results_is_missing(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "one"])
    assert capsys.readouterr().err.endswith("required: SECOND\n")
