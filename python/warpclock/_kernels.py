"""Kernels and arguments as Python programs have them, in the words of the command line."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from warpclock._program import BadInput

Extent = Union[int, Sequence[int]]


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Memory behind a pointer argument, where no array is at hand."""

    size: int | str  #: bytes: 4096, "64MiB"
    holds: Any = None  #: "zeros", "ones", "iota", "random", the name of a file, or an array: where it decides something
    dtype: str = ""  #: of its elements, as Triton calls it ("fp16", "i32"); only warpclock.triton needs it

    def text(self, folder: Path, number: int) -> str:
        """What --buffer says of it."""
        holds = self.holds
        if holds is not None and not isinstance(holds, (str, os.PathLike)):
            holds = folder / f"buffer{number}"
            holds.write_bytes(_bytes_of(self.holds))
        text = str(self.size) if holds is None else f"{self.size}:{os.fspath(holds)}"
        if "," in text:
            raise BadInput(f"a buffer's size and the name of its file have no comma: {text}")
        return text


def _bytes_of(array: Any) -> bytes:
    try:
        return bytes(memoryview(array).cast("B"))
    except (TypeError, ValueError) as error:
        raise BadInput(f"what a buffer holds is a word, a file or an array in host memory: {error}") from None


@dataclasses.dataclass(frozen=True)
class Machinecode:
    """A file that the program reads, or what will be in it, and what its owner knows of a launch."""

    content: bytes | None = None
    path: str = ""
    suffix: str = ".cubin"
    name: str = ""  #: of the kernel
    threads: int = 0  #: of a block; 0: not known
    shared: int = 0  #: dynamic shared memory, in bytes
    cluster: int = 1  #: blocks that the launch has for each one of the grid
    names: tuple[str, ...] = ()  #: of the arguments that the machine code has
    flat: Any = None  #: what becomes of an argument: a list of arguments
    include: tuple[str, ...] = ()

    @contextlib.contextmanager
    def file(self) -> Iterator[tuple[str, Path]]:
        """The path of the file, and a folder for others beside it; both are there within the context."""
        with tempfile.TemporaryDirectory(prefix="warpclock-") as folder:
            path = Path(folder) / f"kernel{self.suffix}"
            if self.content is not None:
                path.write_bytes(self.content)
            yield self.path or str(path), Path(folder)


def machinecode(kernel: Any) -> Machinecode:
    """The machine code, or the source, of what `predict` takes. Raises BadInput if nothing hands it out."""
    if isinstance(kernel, Machinecode):
        return kernel
    if isinstance(kernel, (str, os.PathLike)):
        return Machinecode(path=os.fspath(kernel))
    if isinstance(kernel, (bytes, bytearray, memoryview)):
        return Machinecode(bytes(kernel))
    for found in (_triton, _cupy, _numba, _cute):
        code = found(kernel)
        if code is not None:
            return code
    raise BadInput(
        f"{type(kernel).__name__} hands out no machine code: give a path, the bytes of a cubin, a kernel that Triton, "
        "Numba or CuTe DSL (with --keep-cubin) compiled, or a RawKernel of CuPy"
    )


def _triton(kernel: Any) -> Machinecode | None:
    asm, metadata = getattr(kernel, "asm", None), getattr(kernel, "metadata", None)
    if metadata is None or not isinstance(asm, Mapping) or "cubin" not in asm:
        return None
    signature = getattr(getattr(kernel, "src", None), "signature", {})
    return Machinecode(
        asm["cubin"],
        name=metadata.name,
        threads=metadata.num_warps * getattr(metadata, "warp_size", 32),
        shared=metadata.shared,
        cluster=getattr(metadata, "num_ctas", 1),
        names=tuple(str(name) for name, kind in signature.items() if kind != "constexpr"),
    )


def _cupy(kernel: Any) -> Machinecode | None:
    """RawKernel hands out its source, and no machine code; warpclock compiles it."""
    if not type(kernel).__module__.startswith("cupy") or not hasattr(kernel, "options"):
        return None
    name, options = kernel.name, kernel.options or ()
    if not kernel.code:
        return Machinecode(path=kernel.file_path, name=name)
    defined = [option[2:].partition("=") for option in options if option.startswith("-D")]
    lines = [f"#define {word.strip()} {value if equals else 1}\n" for word, equals, value in defined]
    include = tuple(option[2:].strip() for option in options if option.startswith("-I"))
    return Machinecode(("".join(lines) + kernel.code).encode(), suffix=".cu", name=name, include=include)


def _numba(kernel: Any) -> Machinecode | None:
    overloads = getattr(kernel, "overloads", None)
    if not isinstance(overloads, Mapping) or not hasattr(kernel, "inspect_asm"):
        return None
    if len(overloads) != 1:
        raise BadInput(f"this Numba kernel is compiled for {len(overloads)} signatures: compile it for one")
    (compiled,) = overloads.values()
    cubin = compiled.library.get_cubin()
    return Machinecode(getattr(cubin, "code", cubin), name=compiled.entry_name, flat=_numba_array)


def _numba_array(value: Any) -> list[Any]:
    """Numba passes an array as its owner and parent (null), elements, bytes of one, address, shape and strides."""
    if not hasattr(value, "strides") or not hasattr(value, "itemsize"):
        return [value]
    return [0, 0, value.size, value.itemsize, value, *value.shape, *value.strides]


def _cute(kernel: Any) -> Machinecode | None:
    artifacts = getattr(kernel, "artifacts", None)
    if artifacts is None:
        return None
    if not isinstance(getattr(artifacts, "CUBIN", None), bytes):
        raise BadInput("this CuTe DSL kernel kept no machine code: compile it with options='--keep-cubin'")
    return Machinecode(artifacts.CUBIN)


def extent(value: Extent, what: str, scale: int = 1) -> str:
    """ "32x8" for a number or a sequence of up to three."""
    try:
        sizes = [int(one) for one in (value if isinstance(value, Sequence) else [value])]
    except (TypeError, ValueError):
        sizes = []
    if not 1 <= len(sizes) <= 3 or isinstance(value, str):
        raise BadInput(f"{what} is a number, or up to three of them, and not {value!r}")
    return "x".join(str(one) for one in [sizes[0] * scale, *sizes[1:]])


def size_of(value: Any) -> int | None:
    """Bytes behind an array of NumPy, CuPy, PyTorch, JAX or Numba; None if it is none."""
    if isinstance(getattr(value, "nbytes", None), int):
        return value.nbytes
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        elements = 1
        for one in interface["shape"]:
            elements *= one
        return elements * int(re.sub(r"^\D+", "", interface["typestr"]))
    if hasattr(value, "data_ptr") and hasattr(value, "element_size"):
        return value.numel() * value.element_size()
    return None


def number(value: Any) -> int | float | None:
    """The number that an argument is: of Python, or a scalar of NumPy."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return value
    scalar = getattr(value, "shape", None) == () and not hasattr(value, "data_ptr") and hasattr(value, "item")
    return number(value.item()) if scalar else None


_typed = re.compile(r"(b?f16|f32|f64|[iu](8|32|64)):")
_bits = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u"}


def _kind(value: Any) -> str:
    """ "f16:" of a scalar of NumPy, which has a type; a number of Python takes that of the argument."""
    found = re.fullmatch(r"(b?float|u?int)(\d+)", str(getattr(value, "dtype", "")))
    kind = f"{_bits[found[1]]}{found[2]}:" if found else ""
    return kind if _typed.fullmatch(kind) else ""


def arguments(args: Sequence[Any] | Mapping[Any, Any], code: Machinecode, folder: Path) -> list[str]:
    """The options that say what a launch passes. None is an argument that is not given."""
    places: dict[int, Any] = {}
    if isinstance(args, Mapping):
        for key, value in args.items():
            if not isinstance(key, int) and key not in code.names:
                raise BadInput(
                    f"the machine code has no argument {key!r}: it has {', '.join(code.names) or 'no names'}"
                )
            places[key if isinstance(key, int) else code.names.index(key)] = value
    else:
        flat = code.flat or (lambda value: [value])
        places = dict(enumerate(one for value in args for one in flat(value)))
    options = []
    for at, value in places.items():
        if value is None:
            continue
        plain = value if isinstance(value, str) and _typed.match(value) else number(value)
        if plain is not None:
            options += ["--arg", f"{at}={_kind(value)}{plain}"]
            continue
        size = value if isinstance(value, str) else size_of(value)
        if not isinstance(value, Buffer) and size is None:
            raise BadInput(f"argument {at} is a number, bytes as '64MiB', a Buffer or an array, and not {value!r}")
        buffer = value if isinstance(value, Buffer) else Buffer(size or 0)
        options += ["--buffer", f"{at}={buffer.text(folder, at)}"]
    return options
