"""What a reader comes for, formed once and shown in every form: the tables and plots of speedup,
threads, GFLOP/s and block size, what each step buys, transfers, energy and published claims, each
under the question that it answers.

made.py puts them in their order.
"""

from .exhibit import Exhibit

__all__ = ["Exhibit"]
