"""`explain` understands what others call the rungs."""

from __future__ import annotations

import pytest

from emulator.explain import command as explain
from files.reading import InputError


@pytest.mark.parametrize(("asked", "implementation", "parameters", "told"), [
    (["kernel 3"], "gpu.tiled", {"block": 32}, "'kernel 3' is gpu.tiled, block 32\n"),
    (["kernel 3", "--block", "16"], "gpu.tiled", {"block": 16}, "'kernel 3' is gpu.tiled, block 16\n"),
    (["朴素"], "gpu.naive", {}, "'朴素' is gpu.naive\n"),  # of the CPU's naive loops nothing is explained
    (["gpu.tiled", "--block", "8"], "gpu.tiled", {"block": 8}, "")])
def test_explain_understands_them(monkeypatch, capsys, asked, implementation, parameters, told):
    def counted(program, one, of, product, blocks):
        assert (one, of) == (implementation, parameters)
        raise InputError("far enough")

    monkeypatch.setattr(explain, "program_path", lambda: "")
    monkeypatch.setattr(explain, "counted", counted)
    with pytest.raises(InputError, match="far enough"):
        explain.main(asked)
    assert capsys.readouterr().out == told
