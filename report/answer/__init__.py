"""Who wins, CPU or GPU, from which size, and at what energy: the answer that a folder of records gives."""

from .first import answer_of
from .model import Answer, Number

__all__ = ["Answer", "Number", "answer_of"]
