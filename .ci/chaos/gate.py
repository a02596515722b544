"""Ways to hide a bad GPU from the gate of a fleet. Eight GPUs are accepted; of the eight that are new, one is five times
too slow, and something is done to its record or beside it. The gate must fail each time, and pass without it."""

import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path

from campaign import folder
from commands import records

asked = "0 of 50 ways pass"
gpus, bad = 8, 3
then, now, later = "2026-10-01T10:00:00Z", "2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"


def uuid(number):
    return f"GPU-{number:08x}-aaaa-bbbb-cccc-00000000000{number:x}"


def record(number, date=now, slow=1.0):
    """Of a GPU with its own noise, slower by a factor."""
    made = json.loads((records / "result.json").read_text())
    made["provenance"].update(date=date, host=f"node{number // 4}")
    made["device"].update(uuid=uuid(number), pci=f"0000:{number:02x}:00.0", serial=f"16539{number}")
    for at, row in enumerate(made["rows"]):
        noise = 1 + 0.0007 * ((number * 7 + at * 3) % 5 - 2)
        row["clock"]["sm_mhz"] = 1980 + number * 0.00137 + at * 0.00011
        for estimate in row["estimates"]:
            for key in ("value", "low", "high"):
                estimate[key] *= noise / slow
    return made


def put(path, made, packed=True):
    path.mkdir(parents=True, exist_ok=True)
    text = json.dumps(made, separators=(",", ":"))
    if packed:
        (path / "result.json.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (path / "result.json").write_text(text)


class Fleet:
    """The folder of the new GPUs, and the one of the bad GPU."""

    def __init__(self, made):
        self.folder = made / "new"
        self.own, self.file = self.of(bad), self.of(bad) / "result.json.gz"
        for number in range(gpus):
            put(self.of(number), record(number, slow=5 if number == bad else 1))

    def of(self, number):
        return self.folder / f"nvidia-h200-{number:08x}"

    def edit(self, change):
        made = record(bad, slow=5)
        put(self.own, change(made) or made)

    def rows(self, change):
        self.edit(lambda made: [change(row) for row in made["rows"]] and None)

    def beside(self, made, name="again"):
        put(self.folder / name, made)


def set_in(*path, value):
    def change(made):
        for key in path[:-1]:
            made = made[key]
        made[path[-1]] = value
    return change


def without(made, condition):
    made["rows"] = [row for row in made["rows"] if not condition(row)]


def not_measured(outcome):
    def change(row):
        row.update(outcome=outcome, reason="it was so", estimates=[])
    return change


def estimates(**values):
    def change(row):
        for estimate in row["estimates"]:
            estimate.update(values)
    return change


def nothing_there(fleet):
    shutil.rmtree(fleet.own)


def replaced_by(text):
    return lambda fleet: fleet.file.write_bytes(text)


def link_to(target):
    def hide(fleet):
        nothing_there(fleet)
        fleet.own.symlink_to(target(fleet) if callable(target) else target)
    return hide


def good_copy(change=lambda made: None):
    """The record of a good GPU in the place of the bad one's."""
    def hide(fleet):
        made = record(2)
        change(made)
        put(fleet.own, made)
    return hide


def as_bad(made):
    made["device"].update(uuid=uuid(bad))


def as_bad_in_all(made):
    made["device"].update(record(bad)["device"])
    made["provenance"].update(record(bad)["provenance"])


def as_bad_later(made):
    as_bad_in_all(made)
    made["provenance"]["date"] = later


def old_beside(change):
    """A good record of earlier, beside the newer one that was changed."""
    def hide(fleet):
        fleet.beside(record(bad, date=then))
        fleet.rows(change)
    return hide


def renamed(name):
    return lambda fleet: fleet.file.rename(fleet.own / name)


def unreadable(of):
    return lambda fleet: of(fleet).chmod(0)


def wrong_uuid(value):
    return lambda fleet: fleet.edit(set_in("device", "uuid", value=value))


def other_commit(fleet):
    """A good record that another program made."""
    made = record(bad)
    made["provenance"].update(commit="0" * 40)
    put(fleet.own, made)


def changed_program(fleet):
    made = record(bad)
    made["provenance"].update(dirty=True)
    put(fleet.own, made)


def stale(fleet):
    put(fleet.own, record(bad, date=then))


def of_the_future(fleet):
    fleet.beside(record(bad, date="2099-01-01T00:00:00Z"))


def half(fleet):
    text = fleet.file.read_bytes()
    fleet.file.write_bytes(text[:len(text) // 2])


def twice_unpacked(fleet):
    """A good record under the other name, which is read where both are there."""
    put(fleet.own, record(bad, date=then), packed=False)


def failure_alone(fleet):
    nothing_there(fleet)
    fleet.own.mkdir()
    (fleet.own / "failure.json").write_text('{"schema":{"major":1},"record":"failure","host":"n","gpu":"3","text":""}')


def a_row(fleet):
    """Only one row is bad, and that row is gone."""
    made = record(bad)
    del made["rows"][4]
    put(fleet.own, made)


def edited(fleet):
    """Its numbers are those of the baseline; everything else is its own."""
    made = record(bad)
    made["rows"] = [dict(row, estimates=good["estimates"]) for row, good in zip(made["rows"], record(2)["rows"])]
    put(fleet.own, made)


ways = {
    "its folder is removed": nothing_there,
    "its folder is empty": lambda fleet: (nothing_there(fleet), fleet.own.mkdir()),
    "only a page is left": lambda fleet: (fleet.file.unlink(), (fleet.own / "report.html").write_text("<html>")),
    "its folder cannot be read": unreadable(lambda fleet: fleet.own),
    "its record cannot be read": unreadable(lambda fleet: fleet.file),
    "its folder is hidden": lambda fleet: fleet.own.rename(fleet.folder / ".hidden"),
    "its folder is below others": lambda fleet: ((fleet.folder / "a/b").mkdir(parents=True),
                                                 fleet.own.rename(fleet.folder / "a/b/c")),
    "its record is result.json.bak": renamed("result.json.bak"),
    "its record is record.json.gz": renamed("record.json.gz"),
    "its record is Result.json.gz": renamed("Result.json.gz"),
    "its record is a folder": lambda fleet: (fleet.file.unlink(), fleet.file.mkdir()),
    "its record is empty": replaced_by(b""),
    "its record is gzip of nothing": replaced_by(gzip.compress(b"")),
    "its record is cut off": half,
    "its record is {}": replaced_by(b"{}"),
    "its record is null": replaced_by(b"null"),
    "its record is a page": replaced_by(b"<!DOCTYPE html>"),
    "its record is a baseline": lambda fleet: shutil.copy(fleet.folder.parent / "baseline.json", fleet.file),
    "its record is a failure without a word": failure_alone,
    "its folder leads nowhere": link_to("gone"),
    "its folder leads to itself": link_to(lambda fleet: fleet.own.name),
    "its folder leads to a good GPU": link_to(lambda fleet: fleet.of(2)),
    "its folder leads to the fleet": link_to(".."),
    "no rows": lambda fleet: fleet.edit(set_in("rows", value=[])),
    "one row is left": lambda fleet: fleet.edit(set_in("rows", value=record(bad)["rows"][:1])),
    "its one bad row is gone": a_row,
    "rows of other probes": lambda fleet: fleet.rows(lambda row: row.update(id="x/" + row["id"], probe="x/y")),
    "rows with other parameters": lambda fleet: fleet.rows(lambda row: row.update(id=row["id"].replace("=1", "=7"))),
    "rows are skipped": lambda fleet: fleet.rows(not_measured("skipped")),
    "rows failed": lambda fleet: fleet.rows(not_measured("failed")),
    "rows were rejected": lambda fleet: fleet.rows(not_measured("rejected")),
    "rows have no numbers": lambda fleet: fleet.rows(lambda row: row.update(estimates=[])),
    "numbers have other names": lambda fleet: fleet.rows(estimates(name="ratio")),
    "numbers are null": lambda fleet: fleet.rows(estimates(value=None)),
    "numbers are 1e999": lambda fleet: fleet.rows(estimates(value=float("inf"))),
    "numbers are encoded ones": lambda fleet: fleet.rows(estimates(method="encoded")),
    "numbers have another unit": lambda fleet: fleet.rows(lambda row: [
        each.update(value=each["value"] * 5, unit="B/us") for each in row["estimates"]]),
    "no UUID": wrong_uuid(""),
    "the UUID of no GPU": wrong_uuid(uuid(9)),
    "the UUID of a good GPU": wrong_uuid(uuid(2)),
    "the UUID of a good GPU, of earlier": lambda fleet: fleet.edit(lambda made: (
        set_in("device", "uuid", value=uuid(2))(made), set_in("provenance", "date", value=then)(made)) and None),
    "another model": lambda fleet: fleet.edit(set_in("device", "name", value="NVIDIA H200 NVL")),
    "a good record of earlier": stale,
    "a good record of earlier beside one whose rows failed": old_beside(not_measured("failed")),
    "a good record of earlier beside one without numbers": old_beside(lambda row: row.update(estimates=[])),
    "a good record of earlier beside it, not packed": twice_unpacked,
    "a good record of another year beside it": of_the_future,
    "a good GPU's record": good_copy(),
    "a good GPU's record with its UUID": good_copy(as_bad),
    "a good GPU's record with all that identifies it": good_copy(as_bad_in_all),
    "the same beside it, and newer": lambda fleet: fleet.beside((made := record(2), as_bad_later(made))[0]),
    "a record by another commit": other_commit,
    "a record by a changed program": changed_program,
    "a good GPU's numbers in its record": edited,
}


# Nothing signs a record (docs/promises.md).
not_promised = {"a good GPU's numbers in its record"}


class Gate:
    def __init__(self, campaign, made):
        self.program, self.made = campaign.program, made
        for number in range(gpus):
            put(made / f"accepted/{number}", record(number + 16))
        self.list = made / "gpus.txt"
        self.list.write_text("".join(f"GPU {at}: NVIDIA H200 (UUID: {uuid(at)})\n" for at in range(gpus)))
        self.fleet(made / "accepted", "--write-baseline", made / "baseline.json")

    def fleet(self, *words):
        # Root reads what nobody may read.
        user = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"] if os.geteuid() == 0 else []
        if "--write-baseline" in words:
            user = []
        return subprocess.run([*user, self.program, "fleet", *words], capture_output=True, text=True, timeout=60)

    def status(self, hide):
        shutil.rmtree(self.made / "new", ignore_errors=True)
        fleet = Fleet(self.made)
        hide(fleet)
        return self.fleet(self.made / "new", "--gate", self.made / "baseline.json", "--within", "1", "--expect", self.list,
                          "--since", "2026-10-20")


def run(campaign):
    with folder() as made:
        made = Path(made)
        made.chmod(0o755)
        gate = Gate(campaign, made)
        good = gate.status(lambda fleet: put(fleet.own, record(bad)))
        if good.returncode != 0:
            campaign.complain(f"good GPUs do not pass: {good.stdout}{good.stderr}")
        seen = gate.status(lambda fleet: None)
        if seen.returncode != 1:
            campaign.complain(f"the bad GPU passes where nothing hides it: {seen.stdout}{seen.stderr}")
        forged = 0
        for name, hide in ways.items():
            ended = gate.status(hide)
            if name in not_promised:
                forged += ended.returncode == 0
            elif ended.returncode not in (1, 2):
                campaign.complain(f"{name}: status {ended.returncode}: {ended.stdout[-400:]}{ended.stderr[-400:]}")
        campaign.figure(f"{campaign.broken} of {len(ways) - len(not_promised)} ways to hide a bad GPU pass the gate, and "
                        f"{forged} of {len(not_promised)} to forge all its numbers, which is not promised", asked)
