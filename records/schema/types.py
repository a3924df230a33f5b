"""The types and bounds that fields of a results file share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

SCHEMA = 1

Name = Annotated[str, Meta(max_length=300)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Cores = Annotated[int, Meta(ge=0, le=2**20)]
Extent = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Size = Annotated[int, Meta(ge=1, le=2**53)]  # of an operation's dimension
Number = Annotated[float, Meta(ge=-1e300, le=1e300)]
Amount = Annotated[float, Meta(ge=0, le=1e30)]
Rate = Annotated[float, Meta(gt=0, le=1e15)]
Time = Annotated[float, Meta(ge=1e-15, le=1e9)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Word = Name | Whole | Number | bool | None
Texts = list[str | None]
