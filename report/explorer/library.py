"""The drawing library: Vega with its embedding helper, whose JavaScript vl-convert-python
brings."""

from __future__ import annotations

from functools import cache


class NoLibrary(Exception):
    """There is no drawing library here; the message says how to get it."""


@cache
def javascript() -> str:
    """A script that puts the function `vegaEmbed` into the window, and nothing else. Raises
    NoLibrary."""
    try:
        from vl_convert import javascript_bundle
    except ImportError as error:
        raise NoLibrary("vl-convert-python") from error
    return f"(() => {{\n{javascript_bundle('window.vegaEmbed = vegaEmbed;')}\n}})();\n"
