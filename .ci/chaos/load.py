"""Load: what it takes in memory and time."""

import gzip
import json
import os
import resource
import subprocess
import time
from pathlib import Path

import gate
from campaign import folder, gpu_is_there
from commands import cubin

asked = "100000 records, 10 million launches, 64 tasks and four runs in stated memory and time, nothing lost"
# Of the most that this part may take.
most_mb, most_seconds_of_records, most_seconds_of_launches = 2048, 60, 120
tasks, runs_at_once = 64, 4


def measured(argv, **how):
    """Status, output, seconds and the largest memory in MB."""
    began = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    out, err = process.communicate()
    seconds = time.monotonic() - began
    return process.returncode, out, err, seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def fleet(campaign, made, records):
    text = json.dumps(gate.record(0), separators=(",", ":"))
    for number in range(records):
        one = made / f"fleet/{number // 1000}/{number}"
        one.mkdir(parents=True)
        mine = text.replace(gate.uuid(0), f"GPU-{number:08x}-aaaa-bbbb-cccc-000000000000").replace(
            '"sm_mhz":1980.', f'"sm_mhz":1980.{number:06}')
        (one / "result.json").write_text(mine)
    status, out, err, seconds, mb = measured([campaign.program, "fleet", made / "fleet", "--json", "--page",
                                              made / "fleet.html"])
    counted = json.loads(out)["records"] if status in (0, 1) else 0
    if counted != records or mb > most_mb or seconds > most_seconds_of_records * max(1, records / 100_000):
        campaign.complain(f"a fleet of {records} records: status {status}, {counted} counted, {mb:.0f} MB, {seconds:.1f} s: {err[-300:]}")
    return f"a fleet of {records} records takes {mb:.0f} MB and {seconds:.1f} s"


def capture(campaign, made, launches):
    status, out, err, seconds, mb = measured(
        [campaign.program, "capture", "--out", made / "capture", "--", campaign.build / "warpclock_captured",
         "times", str(launches), "0"],
        env={**os.environ, "LD_LIBRARY_PATH": str(campaign.build / "fake_cuda"), "FAKE_CUBIN": str(cubin)})
    record = made / "capture/capture.json.gz"
    kept = sum(one["times"]["runs"] for one in json.loads(gzip.decompress(record.read_bytes()))["launches"]) \
        if record.exists() else 0
    if status != 0 or kept != launches or mb > most_mb or seconds > most_seconds_of_launches * max(1, launches / 1e7):
        campaign.complain(f"a capture of {launches} launches: status {status}, {kept} kept, {mb:.0f} MB, {seconds:.1f} s: {err[-300:]}")
    return f"a capture of {launches} launches takes {mb:.0f} MB and {seconds:.1f} s"


def node(campaign, made, count):
    """The tasks of a node write into one folder at once, each the record of its own GPU, and go on with it once more."""
    def start(task):
        return subprocess.Popen(
            [campaign.test, "--gtest_also_run_disabled_tests", "--gtest_filter=LaunchedTask.DISABLED_Measures"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "WARPCLOCK_TASK_OUT": str(made / "out"), "OMPI_COMM_WORLD_RANK": str(task),
                 "OMPI_COMM_WORLD_LOCAL_RANK": str(task),
                 "CUDA_VISIBLE_DEVICES": ",".join(str(gpu) for gpu in range(count))})

    began = time.monotonic()
    for _ in range(2):
        for one in [start(task) for task in range(count)]:
            _, err = one.communicate()
            if one.returncode != 0:
                campaign.complain(f"a task of {count} on a node: status {one.returncode}: {err[-300:]}")
    seconds = time.monotonic() - began
    status, out, err, _, _ = measured([campaign.program, "fleet", made / "out", "--json"])
    fleet = json.loads(out) if status in (0, 1) else {"gpus": []}
    rows = {gpu["rows"] for gpu in fleet["gpus"]}
    left = [str(path) for path in made.rglob("*") if path.name.endswith((".tmp", ".lock", "run.journal"))]
    if len(fleet["gpus"]) != count or len(rows) != 1 or left:
        campaign.complain(f"{count} tasks on a node: records of {len(fleet['gpus'])} GPUs with {sorted(rows)} rows, left {left}: {err[-300:]}")
    return f"{count} tasks on a node, twice, leave {len(fleet['gpus'])} records in {seconds:.1f} s"


def together(campaign, made, count):
    """Runs that share a GPU, and the code that they compile: each has all its rows, and says that it was not alone."""
    began = time.monotonic()
    started = [subprocess.Popen([campaign.program, "run", "--suite", "quick", "--out", made / f"run{number}"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "WARPCLOCK_CACHE": str(made / "cache")}) for number in range(count)]
    ended = [(one.communicate()[1], one.returncode) for one in started]
    listed = json.loads(measured([campaign.program, "list", "--suite", "quick", "--arch", "sm_90a", "--json"])[1])
    planned = {case["id"] for case in listed["cases"]}
    kept = []
    for number, (err, status) in enumerate(ended):
        record = made / f"run{number}/result.json.gz"
        found = json.loads(gzip.decompress(record.read_bytes())) if record.exists() else {"rows": []}
        # Curves are refined where they bend, which is elsewhere in each run.
        lost = planned - {row["id"] for row in found["rows"]}
        kept.append(len(found["rows"]))
        if status not in (0, 1) or lost:
            campaign.complain(f"one of {count} runs on a GPU: status {status}, no rows {sorted(lost)[:3]}: {err[-300:]}")
        elif "ran on the GPU" not in err:
            campaign.complain(f"one of {count} runs on a GPU does not say that it shared it")
    return f"{count} runs on a GPU keep {min(kept)} rows and more each in {time.monotonic() - began:.1f} s"


def run(campaign):
    # A minute has room for a tenth of it.
    share = 1 if (campaign.end - campaign.began) / 60 >= 5 else 0.1
    said = []
    parts = [(capture, round(share * 10_000_000)), (fleet, round(share * 100_000)), (node, tasks)]
    if gpu_is_there():
        parts.append((together, runs_at_once))
    for part, many in parts:
        with folder() as made:
            said.append(part(campaign, Path(made), many))
    if not gpu_is_there():
        said.append("no GPU for four runs at once")
    campaign.figure("; ".join(said), asked)
