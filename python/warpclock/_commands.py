"""The commands of the program as functions. Each runs the program once; threads may call them at the same time."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from warpclock import _kernels
from warpclock._kernels import Extent, Machinecode, machinecode
from warpclock._program import BadInput, ProgramError, environment, output_of, program
from warpclock._reader import Ambiguous, Estimate, NotMeasured, asked
from warpclock._results import Answer, Code, Cycles, Prediction, answer_of, code_of, frame_of, prediction_of


def _options(**named: Any) -> list[str]:
    """--name value for what is given; a mapping is KEY=VALUE, a sequence is separated by commas."""
    words: list[str] = []
    for name, value in named.items():
        if value is None or value == "" or value is False:
            continue
        words.append(f"--{name}")
        if isinstance(value, Mapping):
            words.append(",".join(f"{key}={one}" for key, one in value.items()))
        elif isinstance(value, (list, tuple)):
            words.append(",".join(map(str, value)))
        elif value is not True:
            words.append(os.fspath(value) if isinstance(value, PathLike) else str(value))
    return words


def _json_of(code: Machinecode, *arguments: str) -> Any:
    """What a command prints of a file as JSON. Messages leave out the name of a file that is not the user's."""
    try:
        return json.loads(output_of(*arguments))
    except ProgramError as error:
        raise ProgramError(str(error) if code.path else str(error).replace(f"{arguments[1]}: ", "")) from None


def predict(
    kernel: Any,
    grid: Extent | None = None,
    block: Extent | None = None,
    args: Sequence[Any] | Mapping[Any, Any] = (),
    *,
    gpu: str = "h200",
    name: str = "",
    shared: int | None = None,
    trips: Mapping[int, int] | None = None,
    hit: Mapping[Any, str] | str | None = None,
    stride: Mapping[str, int] | None = None,
    timeline: int | None = None,
    annotate: bool = False,
    page: str | PathLike[str] | None = None,
    trace: str | PathLike[str] | None = None,
    limit: float | None = None,
    include: str | PathLike[str] | None = None,
    reports: str | PathLike[str] | None = None,
) -> Prediction:
    """How many cycles a launch takes on a measured GPU, and what limits it. Runs nothing, and needs no GPU.

    `kernel` is the path of what `warpclock predict` reads, the bytes of a cubin, a kernel that Triton, Numba or CuTe
    DSL compiled, or a RawKernel of CuPy, whose source is compiled. `name` chooses one of several kernels.
    `grid` and `block` are numbers or up to three of them, in blocks and threads; Triton's kernels know their block and
    `shared`, the bytes that the launch adds. Without `grid`, as many blocks as all SMs hold at once are assumed.
    `args` are what the launch passes, in order or by number from 0 (of Triton's kernels also by name): numbers, which
    take the type of the argument; scalars of NumPy, or "f16:1", where arguments of 2 bytes are; arrays of NumPy, CuPy,
    PyTorch, JAX or Numba, of which only the size counts; bytes as "64MiB"; a Buffer; None for what is not given.
    Numba's arrays become the arguments that Numba makes of them.
    `trips`, `hit` ("L2" for all loads), `stride`, `timeline`, `annotate`, `page`, `trace` and `limit` (seconds) are the
    options of the command (docs/predict.md).

    Raises BadInput if something is no kernel or argument, ProgramError with the program's message if nothing could be
    predicted, Ambiguous if several kernels are meant. Without a number of cycles, `missing` of the result says why.
    """
    code = machinecode(kernel)
    threads = block if block is not None else code.threads or None
    if grid is not None and threads is None:
        raise BadInput("give the threads of a block as well: predict(kernel, grid, block)")
    launch = None
    if grid is not None and threads is not None:
        bytes_added = code.shared if shared is None else shared
        launch = f"{_kernels.extent(grid, 'grid', code.cluster)},{_kernels.extent(threads, 'block')},{bytes_added}"
    with code.file() as (path, folder):
        options = _options(
            kernel=name or code.name,
            launch=launch,
            trips=trips,
            hit={"load": hit} if isinstance(hit, str) else hit,
            stride=stride,
            timeline=timeline,
            annotate=annotate,
            page=page,
            trace=trace,
            limit=limit,
            gpu=gpu,
            reports=reports,
        )
        for one in (*code.include, *([include] if include else [])):
            options += ["--include", os.fspath(one)]
        options += _kernels.arguments(args, code, folder)
        found = _json_of(code, "predict", path, "--json", *options)
    kernels = [one for one in found["kernels"] if one["kernel"] == (name or code.name)] or found["kernels"]
    failed = found.get("failed", [])
    if len(kernels) + (len(failed) if not (name or code.name) else 0) != 1:
        names = ", ".join(one["readable"] for one in [*kernels, *failed])
        raise Ambiguous(f"several kernels are meant, give one by name: {names}")
    return prediction_of(kernels[0])


def inspect(
    kernel: Any,
    *,
    name: str = "",
    block: int | None = None,
    shared: int | None = None,
    gpu: str = "",
    reports: str | PathLike[str] | None = None,
) -> list[Code]:
    """What the machine code of each kernel is made of: registers, spills, blocks per SM, pipes and loops.

    `kernel` as for predict(); `block` are the threads of a block and `shared` the bytes that a launch adds, for blocks
    per SM. Raises BadInput and ProgramError as predict() does.
    """
    code = machinecode(kernel)
    options = _options(
        kernel=name or code.name,
        block=block or code.threads or None,
        shared=code.shared or None if shared is None else shared,
        gpu=gpu,
        reports=reports,
    )
    with code.file() as (path, _):
        for one in code.include:
            options += ["--include", one]
        return [code_of(one) for one in _json_of(code, "inspect", path, "--json", *options)["kernels"]]


def cycles(line: str, *, gpu: str = "h200", arch: str = "", reports: str | PathLike[str] | None = None) -> Cycles:
    """What one instruction costs on a measured GPU: "fma.rn.f32", "ldmatrix.x4", or a line of a PTX listing.

    With `arch` ("sm_90a") and gpu="", only what the compiler's control fields say. Of a name of several rows, the usual
    one. Raises NotMeasured if the line is refused, ProgramError if the program fails.
    """
    answer = asked(line, *_options(gpu=gpu, arch=arch, reports=reports))[0]
    if "error" in answer:
        raise NotMeasured(f"'{line}': {answer['error']['text']}")
    estimates = {one["name"]: Estimate(**one) for one in answer.get("estimates", [])}
    return Cycles(answer["title"], answer.get("ptx", line), answer["outcome"], estimates, answer)


def ask(words: str, *, gpu: str | Sequence[str] = "", reports: str | PathLike[str] | None = None) -> Answer:
    """The number that answers a question, on all measured GPUs or on `gpu`: "4-way bank conflict".

    Raises NotMeasured if the records have no answer, ProgramError if the program fails.
    """
    found = json.loads(output_of("ask", "--json", *_options(gpu=_listed(gpu), reports=reports), "--", words))
    if "answer" not in found:
        raise NotMeasured(found["title"])
    return answer_of(found)


def show(probe: str = "", *, gpu: str | Sequence[str] = "", reports: str | PathLike[str] | None = None) -> Answer:
    """The rows of a probe, with all measured GPUs side by side; without `probe`, all probes with their answers.

    Raises ProgramError if no probe has the name.
    """
    words = ["--", probe] if probe else []
    return answer_of(json.loads(output_of("show", "--json", *_options(gpu=_listed(gpu), reports=reports), *words)))


def gate(
    before: str | PathLike[str],
    after: str | PathLike[str],
    launches: str | PathLike[str] | None = None,
    *,
    gpu: str | Sequence[str] = "h200",
    most: str = "",
    reports: str | PathLike[str] | None = None,
) -> Answer:
    """Whether a kernel of a build became slower: the rows of `warpclock gate`, each with its verdict (docs/gate.md).

    `most` is how much slower a kernel may be ("3%"). Raises ProgramError if the builds cannot be compared.
    """
    options = _options(launches=launches, gpu=_listed(gpu), max=most, reports=reports)
    found = json.loads(output_of("gate", os.fspath(before), os.fspath(after), "--json", *options))
    verdicts = [row["verdict"] for row in found["kernels"]]
    title = ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts)) or "no kernel is compared"
    return answer_of(found, title)


def peaks(gpu: str = "h200", *, reports: str | PathLike[str] | None = None) -> dict[str, Any]:
    """The highest measured rates of a GPU, each with the row that reached it: `warpclock export peaks`.

    ["flops"]["bf16"]["dense"]["per_s"] are operations a second, two for each multiply-add; "sparse" counts those with
    zeros too. ["bytes"]["DRAM"]["load"]["per_s"] are bytes a second. "absent" names what was not measured. Raises
    ProgramError if the GPU is none of the measured ones.
    """
    return json.loads(output_of("export", "peaks", *_options(gpu=gpu, reports=reports)))


def _listed(gpu: str | Sequence[str]) -> str:
    return gpu if isinstance(gpu, str) else ",".join(gpu)


@dataclasses.dataclass
class Capture:
    """What a program launched on a GPU (docs/capture.md). Made by capture(), or of the folder of an earlier one."""

    folder: Path

    @property
    def record(self) -> dict[str, Any]:
        """The record, as `warpclock schema capture` describes it. Raises ProgramError while capture() has not ended."""
        try:
            with gzip.open(self.folder / "capture.json.gz", "rt", encoding="utf-8") as file:
                return json.load(file)
        except OSError as error:
            raise ProgramError(f"{self.folder} has no record yet: {error.strerror or error}") from None

    def predict(self, gpu: str | Sequence[str] = "h200", *, reports: str | PathLike[str] | None = None) -> Answer:
        """Each launch predicted on each GPU, beside its measured time."""
        options = _options(gpu=_listed(gpu), reports=reports)
        return answer_of(json.loads(output_of("predict", str(self.folder), "--json", *options)), str(self.folder))

    def frame(self, kind: str = "") -> Any:
        """A data frame with a line for each kernel: times, runs, launches."""
        return frame_of(self._listing().tables.get("kernels", []), kind)

    def _listing(self) -> Answer:
        return answer_of(json.loads(output_of("capture", "--show", str(self.folder), "--json")), str(self.folder))

    def _repr_html_(self) -> str:
        return self._listing()._repr_html_()


# What the captured command is while this process is the program: it says what its environment has, and waits.
_waits = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
_names = ("CUDA_INJECTION64_PATH", "WARPCLOCK_CAPTURE_FOLDER", "WARPCLOCK_CAPTURE_CUPTI", "WARPCLOCK_CAPTURE_DATA")


def _uses_cuda() -> bool:
    """Whether this process has initialized the driver, which looks for a library to load only then."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    if "/libcuda.so" not in maps:
        return False
    count = ctypes.c_int()
    not_initialized = 3
    return ctypes.CDLL("libcuda.so.1").cuDeviceGetCount(ctypes.byref(count)) != not_initialized


@contextlib.contextmanager
def capture(out: str | PathLike[str] | None = None, *, data: str | int | None = None) -> Iterator[Capture]:
    """Keeps the kernels that this process launches within the context, as `warpclock capture` does of a program.

    `out` is the folder of the record (a new one without it), `data` the bytes that are kept behind each pointer
    ("64KiB"). The driver loads what keeps them when the process first uses CUDA, so the context has to be entered
    before that, and once in a process. Processes that are started within it are captured too.

    Raises ProgramError if CUDA is in use already, or if the record cannot be made.
    """
    if _uses_cuda():
        raise ProgramError("this process uses CUDA already: enter capture() before, or run `warpclock capture`")
    folder = Path(tempfile.mkdtemp(prefix="warpclock-capture-") if out is None else out)
    options = _options(out=folder, data=data)
    command = [str(program()), "capture", *options, "--", sys.executable, "-c", _waits]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment()) as running:
        assert running.stdout is not None and running.stderr is not None
        said = running.stdout.readline()
        if not said:
            raise ProgramError(running.stderr.read().strip().removeprefix("warpclock: "))
        given = json.loads(said)
        before = {name: os.environ.get(name) for name in _names}
        os.environ.update({name: given[name] for name in _names})
        try:
            yield Capture(folder)
        finally:
            _end_capture(given[_names[0]])
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
            _, wrong = running.communicate()
    if running.returncode != 0:
        raise ProgramError(wrong.strip().removeprefix("warpclock: "))


def _end_capture(library: str) -> None:
    """Lets the library in this process write what it has, if the driver loaded it."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    if library in maps:
        ctypes.CDLL(library).warpclock_end_capture()
