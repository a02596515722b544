"""No mixed or forged record: resumed runs in which something was changed, damaged journals, and cache entries that were
damaged or forged. The tests that draw a few of each draw many here."""

import os
import subprocess

asked = "10000 resumes: 0 stale rows; 10000 cache entries: 0 changed numbers"
tests = {"measure_test": ("JournalTest.TakesNoRowIntoARunInWhichSomethingWasChanged",
                          "JournalTest.OfWhateverDamageHasNoRowThatWasNotWritten"),
         "compile_test": ("Cache.GivesWhatWasStoredOrNothingWhateverIsDoneToIt",)}
at_once = 2000


def run(campaign):
    done = dict.fromkeys(tests, 0)

    def trial(chosen):
        seed, program = chosen
        ended = subprocess.run([campaign.build / program, f"--gtest_filter={':'.join(tests[program])}"], text=True,
                               capture_output=True, env={**os.environ, "WARPCLOCK_SEED": str(seed),
                                                         "WARPCLOCK_CASES": str(at_once)})
        # A program without these tests passes too.
        passed = all(f"[       OK ] {name} " in ended.stdout for name in tests[program])
        if ended.returncode != 0 or not passed:
            campaign.complain(f"{program} with WARPCLOCK_SEED={seed} WARPCLOCK_CASES={at_once}: {ended.stdout[-900:]}")
        done[program] += at_once if passed else 0

    campaign.each(((campaign.random.randrange(1 << 31), program) for _ in range(1 << 30) for program in tests), trial)
    campaign.figure(f"{done['measure_test']} resumes, one in ten with nothing changed, and as many damaged journals, "
                    f"{done['compile_test']} spoilt cache entries: {campaign.broken} broke a promise", asked)
