"""Faults of a GPU: of ten kinds at six stages of a run, by a driver that is none. The test that draws rows and launches
once draws them again and again here."""

import os
import subprocess

asked = "ten kinds at six stages: each costs its own row, which names the cause"
test, of_each = "GpuFault.CostsItsOwnRowWhichNamesTheCause", 60


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
    campaign.figure(f"{done} faults, {of_each} in each run of the test: {campaign.broken} runs broke a promise", asked)
