"""Measured GPUs and their rows."""

from __future__ import annotations

import dataclasses
import functools
import gzip
import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpclock._program import NotFound, installed_reports, output_of

if TYPE_CHECKING:
    import pandas

# All that this reader knows of the records; python/tests/test_reader.py compares it with `warpclock schema`.
ROWS, ESTIMATES, PROBES, ANSWERS = "rows", "estimates", "probes", "answers"


@dataclasses.dataclass(frozen=True)
class Estimate:
    """One number of a row, as `warpclock schema record` has it."""

    name: str  #: what it is: "latency.a" is the latency from operand a, "throughput", "interval"
    value: float | None  #: in `unit`; None if the record has no finite number
    low: float | None  #: lower end of the interval, in `unit`
    high: float | None  #: upper end of the interval, in `unit`
    method: str  #: how it was estimated: "slope", "rate", "encoded"
    n: int  #: number of samples
    unit: str = ""  #: "cycles", "1/clk/SM", "B/clk/SM"; empty for a count
    note: str = ""
    varies: dict[str, Any] | None = None  #: why it may differ in another process: "why", "most" in `unit`, "reach"


class NotMeasured(LookupError):
    """No row of the GPU answers."""


class Ambiguous(LookupError):
    """Several rows answer; the text lists them with their numbers, the usual one first."""


class Gpu:
    """A measured GPU. Made by load()."""

    def __init__(self, folder: Path, model: dict[str, Any]) -> None:
        self.folder: Path = folder  #: its folder of records
        self.model: dict[str, Any] = model  #: the machine model, as `warpclock schema model` describes it
        self.name: str = model["gpu"]  #: "NVIDIA H200"
        self.arch: str = model["arch"]  #: "sm_90a"
        self._records: dict[str, dict[str, Any]] = {}
        self._estimates = functools.cache(self._ask)

    def __repr__(self) -> str:
        return f"<warpclock.Gpu {self.name}: {self.folder}>"

    @property
    def records(self) -> list[str]:
        """The names that rows() takes: "instructions", "machine", "result", "kernels/result"."""
        files = self.folder.rglob("*.json.gz")
        return sorted(file.relative_to(self.folder).as_posix().removesuffix(".json.gz") for file in files)

    def rows(self, record: str = "instructions") -> list[dict[str, Any]]:
        """The rows of a record, as `warpclock schema record` describes them.

        Raises NotFound if the GPU has no such record.
        """
        return self._record(record)[ROWS]

    def answers(self, record: str = "result") -> list[dict[str, Any]]:
        """The numbers that answer the question of each probe of a record, as `warpclock show` prints them.

        Each has the name of its "probe", and the fields of `answers` in `warpclock schema record`. Raises NotFound as
        rows() does.
        """
        probes = self._record(record).get(PROBES, [])
        return [{"probe": probe["name"]} | one for probe in probes for one in probe.get(ANSWERS, [])]

    def frame(self, record: str = "instructions") -> pandas.DataFrame:
        """The rows as a table with a line for each estimate, and one for a row without any.

        Columns are the fields of the row ("id", "outcome", "parameters.bytes"; lists are left out) and of the estimate
        ("name", "value", "low", "high", "unit", "varies.why"). Raises ImportError without pandas, NotFound as rows() does.
        """
        import pandas

        lines = []
        for row in self.rows(record):
            facts = dict(_scalars(row))
            lines += [facts | dict(_scalars(estimate)) for estimate in row.get(ESTIMATES) or [{}]]
        return pandas.DataFrame(lines)

    def estimates(self, ptx: str) -> dict[str, Estimate]:
        """Everything measured of a PTX instruction, by name: latencies, throughput, issue interval.

        `ptx` is anything that `warpclock cycles` takes: "fma.rn.f32", "ldmatrix.x4", or a line of a PTX listing. Raises
        Ambiguous if it is a name that several rows have, NotMeasured if no row answers, ProgramError if the program
        fails.
        """
        return dict(self._estimates(ptx))

    def latency(self, ptx: str, operand: str = "") -> float:
        """Cycles that the instruction adds to a dependency chain through an operand ("a").

        Without `operand`, that of the slowest one. Raises NotMeasured if no row answers or it has no such latency,
        Ambiguous if several rows answer, ProgramError if the program fails.
        """
        name = f"latency.{operand}" if operand else "latency"
        every = self.estimates(ptx)
        found = [every[key] for key in every if key == name or (not operand and key.startswith("latency."))]
        return _highest(found, f"{name} of '{ptx}' on {self.name}")

    def throughput(self, ptx: str) -> float:
        """Results per clock and SM at the plateau over warps. Raises as latency()."""
        found = [one for key, one in self.estimates(ptx).items() if key == "throughput"]
        return _highest(found, f"throughput of '{ptx}' on {self.name}")

    def _record(self, name: str) -> dict[str, Any]:
        if name not in self._records:
            if name not in self.records:
                raise NotFound(f"{self.folder} has no record '{name}': say one of {', '.join(self.records)}")
            with gzip.open(self.folder / f"{name}.json.gz", "rt", encoding="utf-8") as file:
                self._records[name] = json.load(file)
        return self._records[name]

    def _ask(self, ptx: str) -> dict[str, Estimate]:
        answers = asked(ptx, "--reports", str(self.folder.parent), "--gpu", self.folder.name)
        # A line without a row is compiled where there is a toolkit: that is encoded, not measured.
        recorded = [answer for answer in answers if "recorded" in answer]
        if len(recorded) > 1:
            rows = "; ".join(f"'{answer['ptx']}' {answer['answer']}" for answer in recorded)
            raise Ambiguous(f"'{ptx}' on {self.name} names {len(recorded)} instructions, give one: {rows}")
        if recorded:
            return {one["name"]: Estimate(**one) for one in recorded[0][ESTIMATES]}
        refused = next((answer["error"]["text"] for answer in answers if "error" in answer), "no row has it")
        raise NotMeasured(f"'{ptx}' on {self.name}: {refused}")


def asked(ptx: str, *options: str) -> list[dict[str, Any]]:
    """What `warpclock cycles` answers to one line, or to a name of several instructions."""
    if len(ptx.strip().splitlines()) != 1:
        raise ValueError("give one instruction")
    # By standard input, so that no line is taken for an option.
    return json.loads(output_of("cycles", "-", "--json", *options, text=ptx + "\n"))


def gpus(reports: str | PathLike[str] | None = None) -> list[str]:
    """The measured GPUs: the names of their folders, sorted.

    `reports` is a folder of reports, with a folder for each GPU; without it, the records that this package brings.
    Raises NotFound if it has none.
    """
    folder = installed_reports if reports is None else Path(reports)
    names = sorted({file.parent.name for file in folder.glob("*/*.json.gz")})
    if not names:
        raise NotFound(f"{folder} has no records: name the folder that `warpclock run` wrote its reports into")
    return names


def load(gpu: str, reports: str | PathLike[str] | None = None) -> Gpu:
    """A measured GPU by its name or a part of it: "h200", "nvidia-h100-80gb-hbm3".

    `reports` as for gpus(). Raises NotFound if there is no folder of records, ProgramError if `gpu` names none of them
    or more than one (the text lists them).
    """
    folder = installed_reports if reports is None else Path(reports)
    gpus(folder)
    model = json.loads(output_of("export", "json", "--gpu", gpu, "--reports", str(folder)))
    return Gpu(folder / model["folder"], model)


def _highest(found: list[Estimate], what: str) -> float:
    values = [one.value for one in found if one.value is not None]
    if not values:
        raise NotMeasured(f"there is no {what}")
    return max(values)


def _scalars(value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, one in value.items():
        if isinstance(one, dict):
            yield from _scalars(one, f"{prefix}{key}.")
        elif not isinstance(one, list):
            yield prefix + key, one
