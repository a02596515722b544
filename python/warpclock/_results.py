"""What commands answer: frozen dataclasses that notebooks show, and that become data frames and plots."""

from __future__ import annotations

import dataclasses
import html
import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from warpclock._reader import Estimate, NotMeasured

Row = Mapping[str, Any]


class NotPredicted(LookupError):
    """There is no number of cycles; the text has the causes, and what to give."""


def optional(module: str, used_for: str) -> Any:
    """Raises ImportError that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"{used_for} needs {package}: python -m pip install {package}") from None


def frame_of(rows: Iterable[Row], kind: str = "") -> Any:
    """A DataFrame of `kind`, "pandas" or "polars"; without it, of the one that is installed, pandas first."""
    lines = [{key: value for key, value in row.items() if not isinstance(value, (list, dict))} for row in rows]
    kinds = [kind] if kind else ["pandas", "polars"]
    for one in kinds[:-1]:
        try:
            return importlib.import_module(one).DataFrame(lines)
        except ImportError:
            continue
    library = optional(kinds[-1], "a data frame")
    return library.DataFrame(lines, infer_schema_length=None) if kinds[-1] == "polars" else library.DataFrame(lines)


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return html.escape(text)


def _table(rows: Sequence[Row], most: int = 60) -> str:
    plain = [{key: one for key, one in row.items() if not isinstance(one, (list, dict))} for row in rows[:most]]
    keys = list(dict.fromkeys(key for row in plain for key in row))
    head = "".join(f"<th>{_cell(key)}</th>" for key in keys)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(key))}</td>" for key in keys) + "</tr>" for row in plain)
    more = f"<p>and {len(rows) - most} more</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _facts(title: str, facts: Mapping[str, Any]) -> str:
    rows = "".join(f"<tr><th>{_cell(key)}</th><td>{_cell(one)}</td></tr>" for key, one in facts.items())
    return f"<p><b>{_cell(title)}</b></p><table>{rows}</table>"


def _bars(bounds: Sequence[Bound]) -> str:
    rows = "".join(
        f'<tr><th>{_cell(one.name)}</th><td style="width:20em"><div style="background:#4a7;width:'
        f'{min(100.0, 100 * one.share):.1f}%">&nbsp;</div></td><td>{100 * one.share:.0f} %</td></tr>'
        for one in bounds
    )
    return f"<table>{rows}</table>"


@dataclasses.dataclass(frozen=True)
class Bound:
    """What one resource alone would take."""

    name: str  #: "issue", "pipe tensor", "L2", "one warp alone"
    cycles: float  #: cycles of the SM
    share: float  #: of the predicted cycles; 1 is all of them


@dataclasses.dataclass(frozen=True)
class Loop:
    id: int  #: as `inspect` numbers loops
    begin: int  #: address of the first instruction
    end: int  #: address behind the last one
    low: float  #: cycles of one more trip, with all warps of the SM: lower end
    high: float  #: upper end
    trips: int | None = None  #: each time that the loop is entered; None if not known
    trips_from: str = ""  #: who says so


@dataclasses.dataclass(frozen=True)
class Wait:
    address: int
    text: str  #: the instruction
    issues: int  #: how often it is issued on the simulated SM
    cycles: float  #: beyond its stall count, for each issue
    why: str  #: "scoreboard of 0x0240 LDSM.16.M88.4"


@dataclasses.dataclass(frozen=True)
class Missing:
    why: str  #: why there is no number
    fix: str  #: what to give


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The predicted cycles of a launch, as `warpclock schema predict` has them. Made by predict()."""

    kernel: str
    gpu: str  #: whose measured costs they are: "NVIDIA H200"
    low: float | None  #: cycles of the launch: lower end of the range; None if there is no number
    high: float | None  #: upper end: they differ if a cost, a level of memory or an address is not known
    limiter: str  #: the resource that is used most, or "one warp alone"; empty without a number
    blocks: int  #: of the launch
    threads: int  #: of a block
    blocks_per_sm: int  #: that are on an SM at once
    waves: float  #: blocks over what all SMs hold at once
    level: str  #: which level of the memory system answers, and who says so
    bounds: tuple[Bound, ...]
    loops: tuple[Loop, ...]
    waits: tuple[Wait, ...]  #: longest first
    missing: tuple[Missing, ...]  #: why there is no number
    assumed: tuple[str, ...]  #: what was taken for granted
    raw: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)  #: all that the program says

    @property
    def cycles(self) -> float:
        """The middle of the range, in cycles of the SM. Raises NotPredicted without a number."""
        if self.low is None or self.high is None:
            raise NotPredicted(f"{self.kernel}: " + "; ".join(f"{one.why}; {one.fix}" for one in self.missing))
        return (self.low + self.high) / 2

    def seconds(self, sm_mhz: float) -> float:
        """Of the middle of the range at an SM clock in MHz. A launch takes some microseconds besides."""
        return self.cycles / sm_mhz / 1e6

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.kernel}: no number of cycles on {self.gpu}"
        number = f"{self.low:.6g}" if self.low == self.high else f"{self.low:.6g} to {self.high:.6g}"
        return f"{self.kernel}: {number} cycles on {self.gpu}, limited by {self.limiter}"

    def frame(self, part: str = "bounds", kind: str = "") -> Any:
        """A data frame of "bounds", "loops", "waits" or, if it was asked for, "timeline" or "instructions".

        `kind` is "pandas" or "polars"; without it, the one that is installed.
        """
        return frame_of(self.raw.get(part, []), kind)

    def plot(self, axes: Any = None) -> Any:
        """Draws the bounds as bars with matplotlib; returns the axes."""
        if axes is None:
            axes = optional("matplotlib.pyplot", "a plot").subplots()[1]
        shown = list(reversed(self.bounds))
        axes.barh([one.name for one in shown], [100 * one.share for one in shown])
        axes.set_xlabel("% of the predicted cycles")
        axes.set_title(str(self))
        return axes

    def _repr_html_(self) -> str:
        facts = {"level": self.level, "blocks": f"{self.blocks} of {self.threads} threads", "waves": self.waves}
        facts |= {f"missing {i}": f"{one.why}; {one.fix}" for i, one in enumerate(self.missing, 1)}
        parts = [_facts(str(self), facts), _bars(self.bounds)]
        parts += [_table(self.raw.get(part, []), 8) for part in ("loops", "waits") if self.raw.get(part)]
        return "".join(parts)


def _only(kind: Any, value: Mapping[str, Any]) -> Any:
    return kind(**{field.name: value[field.name] for field in dataclasses.fields(kind) if field.name in value})


def prediction_of(raw: Mapping[str, Any]) -> Prediction:
    """Of an element of `kernels`."""
    def parts(name: str, kind: Any) -> tuple[Any, ...]:
        return tuple(_only(kind, one) for one in raw.get(name, []))

    return Prediction(
        kernel=raw["readable"],
        gpu=raw["gpu"],
        low=raw.get("low"),
        high=raw.get("high"),
        limiter=raw["limiter"],
        blocks=raw["blocks"],
        threads=raw["threads"],
        blocks_per_sm=raw["blocks_per_sm"],
        waves=raw["waves"],
        level=raw.get("level", ""),
        bounds=parts("bounds", Bound),
        loops=parts("loops", Loop),
        waits=parts("waits", Wait),
        missing=parts("missing", Missing),
        assumed=tuple(raw.get("assumed", [])),
        raw=raw,
    )


@dataclasses.dataclass(frozen=True)
class Code:
    """What the machine code of a kernel is made of, as `warpclock schema inspect` has it. Made by inspect()."""

    name: str
    registers: int  #: of a thread
    shared_bytes: int  #: static shared memory of a block
    stack_bytes: int  #: of a thread
    spill_stores: int  #: instructions
    spill_loads: int  #: instructions
    instructions: int
    blocks_per_sm: int | None  #: with the threads that were given or that the kernel requires; None if not known
    raw: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)  #: all that the program says

    def frame(self, part: str = "loops", kind: str = "") -> Any:
        """A data frame of "loops", "occupancy", or "pipes" (instructions by pipe)."""
        rows = self.raw["mix"]["pipes"] if part == "pipes" else self.raw.get(part, [])
        return frame_of(rows, kind)

    def _repr_html_(self) -> str:
        facts = {
            one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name not in ("raw", "name")
        }
        loops = self.raw.get("loops")
        return _facts(self.name, facts) + (_table(loops) if loops else "")


def code_of(raw: Mapping[str, Any]) -> Code:
    """Of an element of `kernels`."""
    fits = [one["blocks"] for one in raw.get("occupancy", [])]
    return Code(
        name=raw["readable"],
        registers=raw["registers"],
        shared_bytes=raw["shared_bytes"],
        stack_bytes=raw["stack_bytes"],
        spill_stores=raw["spills"]["stores"],
        spill_loads=raw["spills"]["loads"],
        instructions=raw["mix"]["instructions"],
        blocks_per_sm=fits[0] if len(fits) == 1 else None,
        raw=raw,
    )


@dataclasses.dataclass(frozen=True)
class Cycles:
    """What one instruction costs. Made by cycles()."""

    title: str  #: "fma.rn.f32: 4.0 cycles (H200, measured 2026-11-29)"
    ptx: str
    outcome: str  #: "measured"; "encoded" if only the compiler's control fields say it
    estimates: Mapping[str, Estimate]  #: by name: "latency.a", "throughput", "interval", "issue"
    raw: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)  #: all that the program says

    @property
    def latency(self) -> float:
        """Cycles through the slowest operand. Raises NotMeasured if there is none."""
        found = [
            one.value for name, one in self.estimates.items() if name.startswith("latency") and one.value is not None
        ]
        if not found:
            raise NotMeasured(f"there is no latency of '{self.ptx}'")
        return max(found)

    def __str__(self) -> str:
        return self.title

    def frame(self, kind: str = "") -> Any:
        """A data frame with a line for each estimate."""
        return frame_of(self.raw.get("estimates", []), kind)

    def _repr_html_(self) -> str:
        return _facts(self.title, {"ptx": self.ptx, "outcome": self.outcome}) + _table(self.raw.get("estimates", []))


@dataclasses.dataclass(frozen=True)
class Answer:
    """A title, facts and tables. Made by ask(), show(), gate() and Capture.predict()."""

    title: str
    facts: Mapping[str, Any]  #: texts, numbers and lists of texts, by name
    tables: Mapping[str, Sequence[Row]]  #: by name: "answer", "rows", "kernels"

    def __str__(self) -> str:
        return self.title

    def frame(self, table: str = "", kind: str = "") -> Any:
        """A data frame of a table; without a name, of the first one."""
        return frame_of(self.tables[table or next(iter(self.tables))], kind)

    def plot(self, x: str, y: str | Sequence[str], table: str = "", axes: Any = None) -> Any:
        """Draws columns of a table over another one with matplotlib; returns the axes."""
        if axes is None:
            axes = optional("matplotlib.pyplot", "a plot").subplots()[1]
        rows = self.tables[table or next(iter(self.tables))]
        for name in [y] if isinstance(y, str) else y:
            points = [(row[x], row[name]) for row in rows if row.get(x) is not None and row.get(name) is not None]
            axes.plot([a for a, _ in points], [b for _, b in points], "o", label=name)
        axes.set_xlabel(x)
        axes.set_title(self.title)
        axes.legend()
        return axes

    def _repr_html_(self) -> str:
        plain = {key: "; ".join(map(str, one)) if isinstance(one, list) else one for key, one in self.facts.items()}
        tables = (f"<p>{_cell(name)}</p>{_table(rows)}" for name, rows in self.tables.items())
        return _facts(self.title, plain) + "".join(tables)


def answer_of(raw: Mapping[str, Any], title: str = "") -> Answer:
    """Of what a command prints with --json."""
    tables = {key: one for key, one in raw.items() if isinstance(one, list) and one and isinstance(one[0], dict)}
    facts = {key: one for key, one in raw.items() if key not in tables and key not in ("title", "schema", "record")}
    return Answer(raw.get("title", title), facts, tables)
