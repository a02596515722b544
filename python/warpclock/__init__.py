"""What warpclock measured, and what it says of kernels: cycles of instructions, predictions, captures.

>>> import warpclock
>>> gpu = warpclock.load("h200")
>>> gpu.latency("ldmatrix.sync.aligned.m8n8.x4.shared.b16")
29.0
>>> warpclock.cycles("ldmatrix.x4").latency
29.0

warpclock.triton ranks the configurations of Triton's kernels, and `python -m warpclock.mcp` serves tools to agents.
The package brings the program as well: the command `warpclock`, or `python -m warpclock`.
"""

from warpclock._commands import Capture, ask, capture, cycles, gate, inspect, peaks, predict, show
from warpclock._kernels import Buffer
from warpclock._program import BadInput, NotFound, ProgramError
from warpclock._reader import Ambiguous, Estimate, Gpu, NotMeasured, gpus, load
from warpclock._results import Answer, Bound, Code, Cycles, Loop, Missing, NotPredicted, Prediction, Wait

__all__ = [
    "Ambiguous",
    "Answer",
    "BadInput",
    "Bound",
    "Buffer",
    "Capture",
    "Code",
    "Cycles",
    "Estimate",
    "Gpu",
    "Loop",
    "Missing",
    "NotFound",
    "NotMeasured",
    "NotPredicted",
    "Prediction",
    "ProgramError",
    "Wait",
    "ask",
    "capture",
    "cycles",
    "gate",
    "gpus",
    "inspect",
    "load",
    "peaks",
    "predict",
    "show",
]
