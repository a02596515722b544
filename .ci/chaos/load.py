"""Load: what it takes in memory and time."""

import gzip
import json
import os
import resource
import subprocess
import time
from pathlib import Path

import gate
from campaign import folder
from commands import cubin

asked = "100000 records and 10 million launches in stated memory and time, nothing lost"
# Of the most that this part may take.
most_mb, most_seconds_of_records, most_seconds_of_launches = 2048, 60, 120


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


def run(campaign):
    # A minute has room for a tenth of it.
    share = 1 if (campaign.end - campaign.began) / 60 >= 5 else 0.1
    said = []
    for part, most in ((capture, 10_000_000), (fleet, 100_000)):
        with folder() as made:
            said.append(part(campaign, Path(made), round(share * most)))
    campaign.figure("; ".join(said), asked)
