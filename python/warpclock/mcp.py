"""`python -m warpclock.mcp`: an MCP server over standard input and output, with the questions of warpclock as tools.

Needs the official SDK: python -m pip install "warpclock[mcp]".
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import warpclock
from warpclock._results import optional

_instructions = (
    "Measured cycles of NVIDIA GPUs, and predictions of kernels from their machine code. Nothing is run on a GPU. "
    "Numbers are of the GPUs that were measured (h100, h200); cycles are SM cycles. If a tool says that it has no "
    "number, there is none: do not make one up."
)


def ask(words: str, gpu: str = "") -> dict[str, Any]:
    """Finds the measured number that answers a question, on all measured GPUs: "4-way bank conflict", "dram latency",
    "__syncthreads with 8 warps", "wgmma m64n128k16 f16". The first answer counts; `ignored` has words that it has not.
    """
    return _plain(warpclock.ask(words, gpu=gpu))


def cycles(instruction: str, gpu: str = "h200", arch: str = "") -> dict[str, Any]:
    """Latency, throughput and issue interval of one PTX instruction on a measured GPU: "fma.rn.f32", "ldmatrix.x4", or
    a line of a PTX listing. With gpu="" and arch="sm_90a", only what the compiler's control fields say.
    """
    return dict(warpclock.cycles(instruction, gpu=gpu, arch=arch).raw)


def inspect(file: str, kernel: str = "", block: int = 0) -> list[dict[str, Any]]:
    """What the kernels of a file need and are made of: registers, spills, blocks per SM, instructions by pipe, loops.

    `file` is a path: a cubin, a program or library, PTX, or CUDA C++ (.cu). `kernel` is a name or a part of it; `block`
    are the threads of a block.
    """
    return [dict(one.raw) for one in warpclock.inspect(file, name=kernel, block=block or None)]


def predict(
    file: str,
    grid: list[int],
    block: list[int],
    args: list[int | float | str | None],
    kernel: str = "",
    shared: int = 0,
    gpu: str = "h200",
    trips: dict[int, int] | None = None,
) -> dict[str, Any]:
    """How many cycles a launch takes on a measured GPU, what limits it, each loop, and where warps wait.

    `file` is a path as for inspect. `args` are what the launch passes, in order: numbers, and the bytes of buffers as
    "64MiB"; null for what is not known. `shared` are bytes of dynamic shared memory, `trips` how often loops run, by
    their number, where the arguments do not decide it. Without a number, `missing` says why and what to give.
    """
    found = warpclock.predict(file, grid, block, args, name=kernel, shared=shared, gpu=gpu, trips=trips)
    return dict(found.raw)


def gate(before: str, after: str, launches: str, gpu: str = "h200", most: str = "3%") -> dict[str, Any]:
    """Whether a kernel became slower from one build to another, by predictions, and what changed in it.

    `before` and `after` are paths: cubins, libraries, sources, or folders. `launches` is a YAML file with `kernels:`
    that says how they are launched. `most` is how much slower a kernel may be. The verdicts are in `kernels`.
    """
    return _plain(warpclock.gate(before, after, launches, gpu=gpu, most=most))


def _plain(answer: warpclock.Answer) -> dict[str, Any]:
    return {"title": answer.title, **answer.facts, **answer.tables}


def _said(tool: Callable[..., Any], error: type[Exception]) -> Callable[..., Any]:
    """The tool, whose errors are what warpclock says, without a traceback."""

    @functools.wraps(tool)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return tool(*args, **named)
        except (LookupError, RuntimeError, ValueError) as wrong:
            raise error(str(wrong)) from None

    return call


def server() -> Any:
    """The server with its tools. Raises ImportError without the SDK."""
    library = optional("mcp.server.mcpserver", "the MCP server")
    made = library.MCPServer("warpclock", instructions=_instructions)
    for tool in (ask, cycles, inspect, predict, gate):
        made.tool()(_said(tool, library.exceptions.ToolError))
    return made


def main() -> None:
    """Serves until standard input ends."""
    try:
        made = server()
    except ImportError as error:
        sys.exit(f"warpclock: {error}")
    made.run("stdio")


if __name__ == "__main__":
    main()
