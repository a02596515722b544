"""Triton: which configurations of a kernel are worth measuring, by predictions; needs no GPU.

    @triton.autotune(configs, key=["n"], prune_configs_by={"perf_model": warpclock.triton.perf_model, "top_k": 4})

or, without launching anything:

    for one in warpclock.triton.rank(kernel, configs, {"x": warpclock.Buffer("64MiB", dtype="fp16"), "n": 4096}, grid):
        print(one)
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
import tempfile
import threading
import time
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Any

from warpclock import _kernels
from warpclock._program import BadInput, ProgramError, output_of
from warpclock._results import optional

_default_gpu = "h200"
_too_large = "not one block of this launch fits on an SM"  # as the program says it
_scalars = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "i1": "i8", "u1": "u8"}
_scalars |= {kind: kind for kind in ("i8", "i32", "i64", "u8", "u32", "u64")}


class Unpredicted(UserWarning):
    """Configurations of an autotuned kernel have no prediction; the text says which, why, and what becomes of them."""


@dataclasses.dataclass(frozen=True)
class Ranked:
    """A configuration and its prediction. Made by rank()."""

    config: Any  #: as it was given
    low: float | None  #: cycles of the launch: lower end; None without a prediction
    high: float | None  #: upper end
    clock: float  #: part of the SM clock that is left while its tensor cores run; 1 also if no row says
    limiter: str  #: "L2", "pipe tensor", "one warp alone"; empty without a prediction
    blocks_per_sm: int | None
    why: str = ""  #: why there is no prediction
    compile_seconds: float = 0
    kernel: Any = dataclasses.field(default=None, repr=False, compare=False)  #: what Triton compiled

    @property
    def runs(self) -> bool:
        """Whether it compiles, and a block of it fits on an SM."""
        return self.kernel is not None and self.why != _too_large

    @property
    def cycles(self) -> float:
        """The middle of the range; infinity without a prediction."""
        return float("inf") if self.low is None or self.high is None else (self.low + self.high) / 2

    @property
    def time(self) -> float:
        """By which configurations are ranked: in cycles of the full SM clock, which tensor cores lower."""
        return self.cycles / self.clock

    def __str__(self) -> str:
        return f"{self.config}: " + (self.why or f"{self.cycles:.0f} cycles, limited by {self.limiter}")


def rank(
    kernel: Any,
    configs: Sequence[Any],
    args: Sequence[Any] | Mapping[str, Any],
    grid: Any,
    *,
    gpu: str = _default_gpu,
    arch: int = 90,
    jobs: int | None = None,
    reports: str | PathLike[str] | None = None,
) -> list[Ranked]:
    """Compiles each configuration and predicts its launch: the fastest first, those without a prediction last.

    `kernel` is what @triton.jit made (also below @triton.autotune and @triton.heuristics), `configs` are triton.Config,
    `args` the arguments in order or by name: numbers, arrays, or warpclock.Buffer("64MiB", dtype="fp16"). Buffers hold
    zeros. `grid` is what the launch has in brackets: a tuple or a function of the arguments. `arch` is the compute
    capability to compile for, `jobs` how many compilations run at once (as many as cores).

    As Triton's benchmark does, each launch begins with an L2 that other stores have filled. Raises ImportError without
    Triton, BadInput if an argument is none, ProgramError if nothing can be predicted on that GPU.
    """
    function, heuristics = _function(kernel)
    if not isinstance(args, Mapping):
        args = dict(zip(function.arg_names, args))
    return _ranked(function, heuristics, configs, args, grid, arch, gpu, jobs, reports)


def model_for(gpu: str) -> Callable[..., float]:
    """A perf_model with the costs of this measured GPU; perf_model takes those of the GPU that Triton compiles for."""

    def model(**named: Any) -> float:
        return _model(gpu, named)

    return model


def perf_model(**named: Any) -> float:
    """For `prune_configs_by` of triton.autotune: the predicted time of the configuration in `named`.

    The first call compiles and predicts all configurations that are tuned. The costs are those of WARPCLOCK_GPU, or of
    the GPU here by the name that PyTorch gives it, or of an H200. A configuration that does not compile, or that is too
    large for an SM, counts as infinitely slow, as Triton counts it. One without a prediction counts as the fastest, so
    that it is measured. The warning Unpredicted names both with the causes, and says what `top_k` has no place for.
    """
    return _model("", named)


def _model(gpu: str, named: Mapping[str, Any]) -> float:
    tuner, configs = _tuner()
    tuned = {name for one in configs for name in one.all_kwargs()}
    settings = {name: value for name, value in named.items() if name in tuned}
    with _lock:
        ranked = _predicted(tuner, configs, gpu, {name: value for name, value in named.items() if name not in tuned})
    for one in ranked:
        if one.config.all_kwargs() == settings:
            return float("-inf") if one.why and one.runs else one.time
    raise BadInput("this configuration is none of those that are tuned")


_lock = threading.Lock()


def _tuner() -> tuple[Any, Sequence[Any]]:
    """The autotuner that asks, and the configurations that it asks for. A model gets the arguments and no kernel, so
    they are looked for in what called it."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None:
        tuner = frame.f_locals.get("self")
        if tuner is not None and frame.f_code.co_name == "prune_configs" and hasattr(tuner, "configs_top_k"):
            return tuner, frame.f_locals.get("pruned_configs") or tuner.configs
        frame = frame.f_back
    raise BadInput("perf_model is for prune_configs_by of triton.autotune, which calls it; elsewhere use rank()")


def _predicted(tuner: Any, configs: Sequence[Any], gpu: str, given: Mapping[str, Any]) -> list[Ranked]:
    """The predictions for the call that `tuner` prunes for. They are kept until each configuration had its own, with
    the call's arguments, by which the call is known."""
    kept = getattr(tuner, "_warpclock_kept", None)
    if kept is None or kept[0] is not tuner.nargs:
        args = {name: value for name, value in given.items() if name not in ("grid", "warmup")}
        function, heuristics = _function(tuner.fn)
        gpu = gpu or _gpu_here()
        ranked = _ranked(function, heuristics, configs, args, given["grid"], _target_here(), gpu, None, None)
        _warn(tuner, function, ranked)
        kept = [tuner.nargs, ranked, len(configs)]
    kept[2] -= 1
    tuner._warpclock_kept = kept if kept[2] > 0 else None
    return kept[1]


def _target_here() -> Any:
    return optional("triton.runtime.driver", "compiling a kernel of Triton").driver.active.get_current_target()


def _gpu_here() -> str:
    named = os.environ.get("WARPCLOCK_GPU")
    torch = sys.modules.get("torch")
    if named or torch is None or not torch.cuda.is_available():
        return named or _default_gpu
    return re.sub(r"[^a-z0-9]+", "-", torch.cuda.get_device_name().lower())


def _warn(tuner: Any, function: Any, ranked: Sequence[Ranked]) -> None:
    unknown = [one for one in ranked if one.why and one.runs]
    useless = [one for one in ranked if not one.runs]
    if not unknown and not useless:
        return
    top = tuner.configs_top_k
    places = top if isinstance(top, int) else max(1, int(len(ranked) * top))
    text = f"{function.__name__}, {len(ranked)} configurations:"
    if unknown:
        text += f" {len(unknown)} without a prediction are measured before others;"
    if len(unknown) > places:
        text += f" top_k has {places} places, so {len(unknown) - places} of them and all others are NOT measured;"
    if useless:
        text += f" {len(useless)} cannot run;"
    lines = [f"  {one}" for one in (*unknown, *useless)]
    warnings.warn("\n".join([text.rstrip(";"), *lines]), Unpredicted, stacklevel=2)


def _function(kernel: Any) -> tuple[Any, list[Mapping[str, Callable[..., Any]]]]:
    """The jitted function below decorators, and their heuristics, the outermost first."""
    heuristics = []
    while not hasattr(kernel, "params"):
        if isinstance(getattr(kernel, "values", None), Mapping):
            heuristics.append(kernel.values)
        if not hasattr(kernel, "fn"):
            raise BadInput(f"{type(kernel).__name__} is no kernel that @triton.jit made")
        kernel = kernel.fn
    return kernel, heuristics


class _Pointer:
    """What Triton asks of a tensor when it compiles: its type, and an address by which it is aligned."""

    def __init__(self, dtype: str, address: int = 0) -> None:
        self.dtype, self.address = dtype, address

    def data_ptr(self) -> int:
        return self.address


def _typed(name: str, value: Any) -> Any:
    if isinstance(value, _kernels.Buffer):
        if not value.dtype:
            raise BadInput(f"argument {name}: give the type of its elements, as Buffer('64MiB', dtype='fp16')")
        return _Pointer(value.dtype)
    if isinstance(value, str):
        raise BadInput(f"argument {name}: give memory as Buffer('{value}', dtype='fp16')")
    if hasattr(value, "data_ptr") or _kernels.size_of(value) is None:
        return value
    words = {"float": "fp", "bfloat": "bf", "int": "i", "uint": "u"}
    found = re.fullmatch(r"(float|bfloat|int|uint)(\d+)", str(getattr(value, "dtype", "")))
    if found is None:
        raise BadInput(f"argument {name}: say the type of its elements as Buffer(size, dtype='fp16')")
    return _Pointer(words[found[1]] + found[2])


def _compiled(function: Any, named: Mapping[str, Any], target: Any) -> tuple[Any, Mapping[str, Any]]:
    """What Triton's own launch would compile for these arguments, and all arguments with their defaults. `target` may
    be a compute capability."""
    compiler, jit, knobs, backends = (
        optional(f"triton.{module}", "compiling a kernel of Triton")
        for module in ("compiler", "runtime.jit", "knobs", "backends.compiler")
    )
    if isinstance(target, int):
        target = backends.GPUTarget("cuda", target, 32)
    backend = compiler.make_backend(target)
    options = {"debug": getattr(function, "debug", None) or knobs.runtime.debug}
    for name in ("instrumentation_mode", "fpsan_homomorphic_casts"):
        if hasattr(knobs.compilation, name):
            options[name] = getattr(knobs.compilation, name)
    options |= {name: value for name, value in named.items() if name not in function.arg_names}
    binder = jit.create_function_from_signature(function.signature, function.params, backend)
    given = {name: _typed(name, value) for name, value in named.items() if name in function.arg_names}
    bound, specialization, rest = binder(**given, **options)
    settings, signature, constexprs, attributes = function._pack_args(backend, options, bound, specialization, rest)
    source = compiler.ASTSource(function, signature, constexprs, attributes)
    return compiler.compile(source, target=target, options=settings.__dict__), bound


def _ranked(
    function: Any,
    heuristics: Sequence[Mapping[str, Callable[..., Any]]],
    configs: Sequence[Any],
    args: Mapping[str, Any],
    grid: Any,
    target: Any,
    gpu: str,
    jobs: int | None,
    reports: str | PathLike[str] | None,
) -> list[Ranked]:
    def one(config: Any) -> tuple[Any, Mapping[str, Any], str, float]:
        begun = time.perf_counter()
        named = {**args, **config.all_kwargs()}
        for values in heuristics:
            named |= {name: value(named) for name, value in values.items()}
        try:
            kernel, bound = _compiled(function, named, target)
        except (BadInput, ImportError):
            raise
        except Exception as error:  # whatever Triton's compiler raises is why there is no prediction
            lines = str(error).strip().splitlines() or [""]
            return None, {}, f"{type(error).__name__}: {lines[0]}", time.perf_counter() - begun
        seconds = time.perf_counter() - begun
        try:
            return kernel, _stanza(kernel, {**bound, **named}, grid), "", seconds
        except _Unsupported as error:
            return kernel, {}, str(error), seconds

    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        made = list(pool.map(one, configs))
    rows = _predictions([(kernel, stanza) for kernel, stanza, *_ in made], gpu, reports)
    ranked = []
    for config, (kernel, _, why, seconds), row in zip(configs, made, rows):
        found = row.get("kernel", {}).get("prediction", {})
        predicted = next((one for one in row.get("estimates", []) if one["name"] == "predicted"), {})
        why = why or found.get("refused") or ("" if predicted else row.get("reason", {}).get("text", ""))
        low, high = (None, None) if why else (predicted.get("low"), predicted.get("high"))
        if not why and (low is None or high is None):
            why = "it has no number of cycles"
        fits = found.get("blocks_per_sm")
        clock = found.get("clock_part") or 1.0
        ranked.append(Ranked(config, low, high, clock, found.get("limiter", ""), fits, why, seconds, kernel))
    return sorted(ranked, key=lambda one: one.time)


def _stanza(kernel: Any, named: Mapping[str, Any], grid: Any) -> dict[str, Any]:
    """The launch as `warpclock check` reads it. Arguments are zeros where the machine code has more than the kernel:
    addresses of scratch memory."""
    code = _kernels.machinecode(kernel)
    sizes = grid(named) if callable(grid) else grid
    extents = _kernels.extent(sizes, "grid", code.cluster).split("x")
    passed = [_argument(name, kernel.src.signature[name], named[name]) for name in code.names]
    declared = set(re.findall(rf"\b{re.escape(code.name)}_param_(\d+)", kernel.asm.get("ptx", "")))
    return {
        "kernel": code.name,
        "grid": {axis: int(one) for axis, one in zip("xyz", extents)},
        "block": code.threads,
        "shared": code.shared,
        "l2": "cold",
        "args": passed + [{"u64": 0}] * (len(declared) - len(passed)),
    }


class _Unsupported(Exception):
    """A launch that `warpclock check` has no words for."""


def _argument(name: str, kind: str, value: Any) -> dict[str, Any]:
    size = value.size if isinstance(value, _kernels.Buffer) else _kernels.size_of(value)
    if kind.startswith("*") and size is not None:
        count = _bytes(size) if isinstance(size, str) else size
        return {"buffer": "u8", "count": [max(count, 1)]}
    plain = _kernels.number(value)
    if kind not in _scalars or plain is None:
        raise _Unsupported(f"argument {name} is of type {kind}, which no prediction can be given")
    return {_scalars[kind]: plain}


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)(B|KiB|MiB|GiB|)", text)
    if found is None:
        raise BadInput(f"'{text}' is no number of bytes, as 4096 or 64MiB")
    return int(found[1]) << {"KiB": 10, "MiB": 20, "GiB": 30}.get(found[2], 0)


def _predictions(
    made: Sequence[tuple[Any, Mapping[str, Any]]], gpu: str, reports: str | PathLike[str] | None
) -> list[Mapping[str, Any]]:
    """The row of each launch, all of one run of the program: it reads the records once and predicts on all cores."""
    stanzas = []
    with tempfile.TemporaryDirectory(prefix="warpclock-") as folder:
        for number, (kernel, stanza) in enumerate(made):
            if not stanza:
                continue
            file = Path(folder) / f"c{number}.cubin"
            file.write_bytes(kernel.asm["cubin"])
            stanzas.append({"name": f"c{number}", "source": file.name, **stanza})
        if not stanzas:
            return [{} for _ in made]
        launches = Path(folder) / "launches.yaml"
        launches.write_text(json.dumps({"kernels": stanzas}), encoding="utf-8")
        options = ["--reports", os.fspath(reports)] if reports else []
        try:
            found = json.loads(output_of("check", str(launches), "--gpu", gpu, "--json", *options))
        except ProgramError as error:
            raise ProgramError(str(error).replace(f"{folder}/", "")) from None
    rows = {row["probe"]: row for row in found["rows"]}
    return [rows.get(f"c{number}", {}) for number in range(len(made))]
