"""Faults of a GPU: of ten kinds at six stages of a run, by a driver that is none, and those that a kernel can make on a
real one. The test that draws rows and launches once draws them again and again here."""

import gzip
import json
import os
import subprocess
from pathlib import Path

from campaign import folder, gpu_is_there, source

asked = "ten kinds at six stages: each costs its own row, which names the cause"
test, of_each = "GpuFault.CostsItsOwnRowWhichNamesTheCause", 60
hostile = source / "harness/cli/testdata/hostile"
# What a row of the hostile suite names.
causes = {"illegal_address": "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "misaligned": "CUDA_ERROR_MISALIGNED_ADDRESS (716)",
          "odd_barrier": "CUDA_ERROR_ILLEGAL_INSTRUCTION (715)", "no_tensor_map": "CUDA_ERROR_ILLEGAL_INSTRUCTION (715)",
          "trap": "CUDA_ERROR_LAUNCH_FAILED (719)", "endless_loop": "no answer in 4 s",
          "expired_mbarrier": "no answer in 4 s", "syntax": "Unknown modifier '.sinc'"}


def real(campaign):
    """Each fault between two kernels that are well, which are measured."""
    with folder() as made:
        made = Path(made)
        ended = subprocess.run(
            [campaign.program, "run", "--configs", hostile / "configs", "--probes", hostile / "probes", "--suite", "all",
             "--no-counters", "--out", made / "out"], capture_output=True, text=True,
            env={**os.environ, "WARPCLOCK_WATCHDOG_S": "4", "WARPCLOCK_CACHE": str(made / "cache")})
        record = made / "out/result.json.gz"
        if ended.returncode != 1 or not record.exists():
            campaign.complain(f"a hostile suite: status {ended.returncode}: {ended.stderr[-300:]}")
            return "the hostile suite left no record"
        found = json.loads(gzip.decompress(record.read_bytes()))
    faults, well = 0, 0
    for row in found["rows"]:
        how, text = row["parameters"]["how"], row.get("reason", {}).get("text", "")
        if how in causes:
            right = row["outcome"] == "failed" and causes[how] in text
            faults += right
        else:
            # Some ask for more than there is, and are refused before they are launched.
            right = row["outcome"] == "measured" or "launch" == row["reason"]["code"] or "tensor map" in text
            well += row["outcome"] == "measured"
        if not right:
            campaign.complain(f"{row['id']}: {row['outcome']}: {text[:200]}")
    xids = found["provenance"].get("gpu_events", {}).get("xids", {})
    if faults < len(causes) or well < faults:
        campaign.complain(f"{faults} faults of a real GPU and {well} good rows")
    said = ", ".join(f"{xid} ({times} times)" for xid, times in sorted(xids.items())) or "none (NVML delivers none here)"
    return f"on {found['device']['name']}, {faults} faults of {len(causes)} kinds cost {faults} rows, {well} others are measured, Xids: {said}"


def run(campaign):
    done = 0

    def trial(seed):
        nonlocal done
        ended = subprocess.run([campaign.build / "measure_test", f"--gtest_filter={test}"], text=True,
                               capture_output=True, env={**os.environ, "WARPCLOCK_SEED": str(seed)})
        passed = ended.returncode == 0 and f"[       OK ] {test} " in ended.stdout
        if not passed:
            campaign.complain(f"measure_test with WARPCLOCK_SEED={seed}: {ended.stdout[-900:]}")
        done += of_each if passed else 0

    campaign.each((campaign.random.randrange(1 << 31) for _ in range(1 << 30)), trial)
    on_real = real(campaign) if gpu_is_there() else "no GPU for faults of a real one"
    campaign.figure(f"{done} faults, {of_each} in each run of the test; {on_real}: {campaign.broken} broke a promise", asked)
