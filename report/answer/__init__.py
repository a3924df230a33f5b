"""Who wins, CPU or GPU, from which size, and at what energy: the answer that a folder of records
gives.

first.py puts it together; it is not named here, since what it rests on takes words and points from
this package.
"""

from analysis.answer.model import Answer, Number

__all__ = ["Answer", "Number"]
