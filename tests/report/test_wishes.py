"""What report.pdf is wished to be comes from the command line and from [report] of gemmlab.toml,
with clear errors."""

from __future__ import annotations

import argparse

import pytest

from files.reading import InputError
from report.__main__ import main
from report.handin.wishes import KEYS, Wishes, add_options, wishes_of, wishes_of_json


def wished(records, *arguments):
    parser = argparse.ArgumentParser()
    add_options(parser)
    return wishes_of(parser.parse_args(arguments), records)


@pytest.fixture(name="places")
def _places(tmp_path, monkeypatch):
    """A folder of records, and another where the command is given."""
    for name in ("records", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "records", tmp_path / "here"


def test_the_command_line_goes_before_the_records_folder_and_that_before_the_working_folder(places):
    records, here = places
    (here / "gemmlab.toml").write_text('[report]\nauthor = "A"\ncourse = "here"\n'
                                       'student_number = "1"\n')
    (records / "gemmlab.toml").write_text('[report]\ncourse = "there"\nauthor = "B"\n'
                                          'appendix = ["commands", "tables"]\n')
    assert wished(records, "--author", "C") == Wishes(
        author="C", course="there", student_number="1", appendix=("tables", "commands"))
    assert wished(records, "--appendix", "machine", "--edition", "full").edition == "full"


def test_without_a_file_and_options_it_is_the_edition_to_hand_in(places):
    assert wished(places[0]) == Wishes() and Wishes().edition == "handin"


def test_a_discussion_is_read_from_beside_the_file_that_names_it(places):
    records, here = places
    (records / "gemmlab.toml").write_text('[report]\ndiscussion = "mine.md"\n')
    (records / "mine.md").write_bytes("\ufeffIt *pays*.\r\n".encode())
    (here / "other.md").write_text("Otherwise.")
    assert wished(records).discussion == "It *pays*.\n"
    assert wished(records, "--discussion", "other.md").discussion == "Otherwise."


@pytest.mark.parametrize(("text", "said"), [
    ('[report]\ncolour = "red"', "unknown key 'colour'; allowed: edition, title, author"),
    ('[paper]\nauthor = "A"', "unknown table or key 'paper'; allowed: [report]"),
    ('report = 3', "'report' is 3; it must be written as [report]"),
    ('[report]\nauthor = 3', "'author' is 3; a text in quotes is expected"),
    ('[report]\nedition = "short"', "'edition' is 'short'; allowed: handin, full"),
    ('[report]\nappendix = ["tables", "code"]',
     "'appendix' names 'code'; allowed: tables, machine, commands"),
    ('[report]\nappendix = 3', "'appendix' is 3; a list of names is expected"),
    ('[report]\ndiscussion = "none.md"', "and there is no such file"),
    ('[report', "not valid TOML"), (f"x = {'[' * 9000}", "more than 32 deep"),
    (f"{'a.' * 20_000}a = 1", "more than 32 deep"), (f"x = {'9' * 5000}", "not valid TOML"),
    (f'[report]\nauthor = "{"a" * 201}"', "'author' has 201 letters; at most 200")])
def test_what_is_wrong_is_said_with_file_key_value_and_what_is_allowed(places, text, said):
    records, _ = places
    (records / "gemmlab.toml").write_text(text)
    with pytest.raises(InputError, match="gemmlab.toml") as error:
        wished(records)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_an_appendix_that_is_none_ends_the_command_in_one_line(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text("{}")
    assert main(["build", str(tmp_path), "--appendix", "code"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_bundle_holds_all_of_it_and_yields_it_again():
    wishes = Wishes(author="A", discussion="two\n\nparagraphs", appendix=("tables",))
    assert wishes_of_json(wishes.as_json()) == wishes and set(wishes.as_json()) == set(KEYS)
    for broken in (3, {"author": 3}, {"colour": "red"}, {"discussion": 3}):
        with pytest.raises(ValueError, match="'report'"):
            wishes_of_json(broken)
