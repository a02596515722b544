"""No mixed or forged record: resumed runs in which something was changed, damaged journals, and cache entries that were
damaged or forged. The tests that draw a few of each draw many here."""

import os
import subprocess

asked = "10000 resumes: 0 stale rows; 10000 cache entries: 0 changed numbers"
tests = {"measure_test": "JournalTest.TakesNoRowInto*:JournalTest.OfWhateverDamage*",
         "compile_test": "Cache.GivesWhatWasStoredOrNothing*"}
at_once = 2000


def run(campaign):
    done = dict.fromkeys(tests, 0)

    def trial(chosen):
        seed, program = chosen
        ended = subprocess.run([campaign.build / program, f"--gtest_filter={tests[program]}"], text=True,
                               capture_output=True, env={**os.environ, "WARPCLOCK_SEED": str(seed),
                                                         "WARPCLOCK_CASES": str(at_once)})
        if ended.returncode != 0 or "[  PASSED  ]" not in ended.stdout:
            campaign.complain(f"{program} with WARPCLOCK_SEED={seed} WARPCLOCK_CASES={at_once}: {ended.stdout[-900:]}")
        done[program] += at_once

    campaign.each(((campaign.random.randrange(1 << 31), program) for _ in range(1 << 30) for program in tests), trial)
    campaign.figure(f"{done['measure_test']} resumes with something changed and as many damaged journals, "
                    f"{done['compile_test']} spoilt cache entries: {campaign.broken} broke a promise", asked)
