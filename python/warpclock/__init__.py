"""Reads what warpclock measured: cycles of PTX instructions, and every row of the committed and of your own records.

>>> import warpclock
>>> gpu = warpclock.load("h200")
>>> gpu.latency("ldmatrix.sync.aligned.m8n8.x4.shared.b16")
29.0

The package brings the program as well: the command `warpclock`, or `python -m warpclock`.
"""

from warpclock._program import NotFound, ProgramError
from warpclock._reader import Ambiguous, Estimate, Gpu, NotMeasured, gpus, load

__all__ = ["Ambiguous", "Estimate", "Gpu", "NotFound", "NotMeasured", "ProgramError", "gpus", "load"]
