"""Commands that need no GPU, and what must be equal of what they write and print."""

import gzip
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from campaign import source

records = source / "harness/model/testdata/nvidia-h200"
builds = source / "harness/inspect/testdata"
cubin = builds / "kernels.cubin"
launched = ["--kernel", "pipeline", "--launch", "132,32,2048", "--arg", "2=65", "--buffer", "0=1MiB,1=1MiB"]
passing = {"date", "argv", "duration_s", "compile_s", "measure_s", "resumed"}  # of the provenance


def whole(name, data):
    """What must be equal of a file, with an error if it is torn."""
    if name.endswith("run.journal"):
        return [json.loads(line.split("\t")[0]) for line in data.decode().splitlines(keepends=True) if line.endswith("\n")]
    if not name.endswith(".json.gz"):
        return data
    record = json.loads(gzip.decompress(data))
    for key in passing:
        record.get("provenance", {}).pop(key, None)
    # Processes and addresses are others each time.
    if record.get("record") == "capture":
        record = {key: record.get(key) for key in ("kernels", "notes", "exit_status")} | {
            "launches": [[one["grid"], one["block"], one["times"], len(one.get("pointers", []))]
                         for one in record["launches"]]}
    return record


class Ended:
    def __init__(self, status, out, err, folder):
        self.status = status
        self.out, self.err = (self.lasting(text, folder) for text in (out, err))

    @staticmethod
    def lasting(text, folder):
        return re.sub(r"[0-9.]+ m?s\b", "", text.decode(errors="replace").replace(str(folder), ""))


class Command:
    """`argv` and `environment` are made of the folder in which `prepare` put what the command begins with."""

    def __init__(self, name, argv, prepare=lambda folder: None, environment=lambda folder: {}, dated=False, status=0,
                 writes=True):
        self.name, self.argv, self.environment, self.dated = name, argv, environment, dated
        self.prepare_own, self.status, self.writes = prepare, status, writes

    def prepare(self, folder):
        for name in ("tmp", "out"):
            (folder / name).mkdir()
        self.prepare_own(folder)

    def start(self, folder, before=(), out=subprocess.PIPE, **how):
        # Nobody else's process has the name of the folder in its environment.
        environment = {**os.environ, "WARPCLOCK_CACHE": str(folder / "cache"), "TMPDIR": str(folder / "tmp"),
                       "WARPCLOCK_CHAOS": str(folder), **self.environment(folder)}
        return subprocess.Popen([*before, *self.argv(folder)], env=environment, cwd=source, stdin=subprocess.DEVNULL,
                                stdout=out, stderr=out, **how)

    def to_the_end(self, folder, before=()):
        """None if it hangs."""
        process = self.start(folder, before)
        try:
            out, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        return Ended(process.returncode, out, err, folder)

    def files(self, folder):
        """Contents by name, without the cache: the same code may be compiled in other company."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if not path.is_file() or name.startswith(("cache/", "tmp/warpclock-cache-")) or "/.cache/" in name:
                continue
            page = self.dated and path.suffix in (".html", ".md")
            found[name] = path.read_bytes()[-8:] if page else whole(name, path.read_bytes())
        return found


def does_nothing(command, ended, before, after):
    """Why nothing is tried by it; None if it does its work. What leaves nothing is never found to leave too little."""
    if ended is None or ended.status != command.status:
        return f"{command.name}: uninterrupted: {ended and (ended.status, ended.out[-300:], ended.err[-300:])}"
    if not command.writes:
        return None if len(ended.out) > 20 else f"{command.name}: uninterrupted, it prints nothing"
    if set(after) <= set(before) and not (command.name == "report" and after != before):
        return f"{command.name}: uninterrupted, it leaves nothing: {ended.out[-300:]}"
    return None


def left_processes(folder):
    """Those that a command in this folder started, once they had time to end."""
    until = time.monotonic() + 10
    while True:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if f"WARPCLOCK_CHAOS={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                pass
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.01)


def leftovers(folder):
    named = [path for path in folder.rglob("*") if path.name.endswith((".tmp", ".lock"))]
    # Compiled code goes there where the cache cannot be used.
    temporary = [path for path in (folder / "tmp").iterdir() if not path.name.startswith("warpclock-cache-")]
    return [str(path.relative_to(folder)) for path in [*named, *temporary]]


def commands(campaign):
    program, test = campaign.program, campaign.test

    def copied(folder):
        shutil.copytree(records, folder / "reports/nvidia-h200")

    def reports(folder):
        return ["--gpu", "h200", "--reports", str(records.parent)]

    def task(folder):
        return {"WARPCLOCK_TASK_OUT": str(folder / "reports/simulated"), "WARPCLOCK_TASK_PAUSE": "0.05"}

    def captured(folder):
        return {"LD_LIBRARY_PATH": str(campaign.build / "fake_cuda"), "FAKE_CUBIN": str(cubin)}

    def of(*words):
        """Words of a command; OUT is the folder for what it writes."""
        return lambda folder: [str(program), *(str(word).replace("OUT", str(folder / "out")) for word in words)]

    return [
        Command("report", lambda folder: [program, "report", str(folder / "reports")], copied),
        # A replay of a record by an earlier program differs.
        Command("replay", of("replay", records / "result.json", "--out", "OUT/again"), status=1),
        Command("fleet", of("fleet", records.parent, "--page", "OUT/fleet.html", "--write-baseline", "OUT/base.json")),
        Command("verify", of("verify", "--arch", "sm_90a", "shuffle/latency"), writes=False),
        Command("check", lambda folder: [program, "check", "--blocks", "2", *reports(folder), "--out",
                                         str(folder / "reports/nvidia-h200")], copied, dated=True),
        Command("run", lambda folder: [test, "--gtest_also_run_disabled_tests",
                                       "--gtest_filter=LaunchedTask.DISABLED_Measures"],
                environment=task, dated=True),
        Command("export", lambda folder: of("export", "json", "--out", "OUT/model.json", *reports(folder))(folder)),
        Command("capture", of("capture", "--out", "OUT/capture", "--", campaign.build / "warpclock_captured",
                              "launch", "graph", "fork", "exec", "0"), environment=captured, dated=True),
        Command("predict", of("predict", cubin, *launched, *reports(None), "--page", "OUT/page.html", "--trace",
                              "OUT/trace.json")),
        Command("inspect", of("inspect", cubin, "--page", "OUT/page.html")),
        Command("gate", of("gate", builds / "jit_ptxas.cubin", builds / "jit_driver.cubin", "--launches",
                           source / "harness/gate/testdata/launches.yaml", *reports(None), "--out", "OUT/gate.sarif",
                           "--out", "OUT/gate.xml", "--out", "OUT/gate.md"), status=1),
    ]


def printing(campaign):
    """Commands that only print."""
    committed = ["--gpu", "h200", "--reports", source / "reports"]

    def of(*words):
        return lambda folder: [str(word) for word in (campaign.program, *words)]

    def captured(folder):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(campaign.build / "fake_cuda"), "FAKE_CUBIN": str(cubin)}
        subprocess.run([campaign.program, "capture", "--out", folder / "capture", "--",
                        campaign.build / "warpclock_captured", "launch", "0"], env=environment, capture_output=True)

    words = {
        "ask": ("latency", "of", "shfl", *committed), "show": ("shuffle/latency", *committed),
        "cycles": ("fma.rn.f32 %f1, %f2, %f3, %f4;", *committed), "execute": (cubin, *launched),
        "advise": ("occupancy", cubin, "--block", "128"), "catalogue": ("--arch", "sm_90a", "mad.lo.u32"), "list": (),
        "compare": (records / "result.json", records / "result.json"), "guide": (records / "instructions.json",),
        "schema": ("record",), "completion": ("bash",), "doctor": ()}
    # The doctor misses a GPU.
    made = [Command(name, of(name, *rest),
                    status=1 if name == "doctor" else 0, writes=False) for name, rest in words.items()]
    made.append(Command("predict of a capture", lambda folder: [str(word) for word in (
        campaign.program, "predict", folder / "capture", "--gpu", "h200", "--reports", records.parent)], captured,
        writes=False))
    made.append(Command("show of a capture", lambda folder: [str(campaign.program), "capture", "--show",
                                                             str(folder / "capture")], captured, writes=False))
    return made
