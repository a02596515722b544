"""usage: .ci/chaos BUILD [PART...] [--seed N] [--minutes M]

Breaks what can be broken without a GPU, and prints for each promise how often it was kept (docs/promises.md). BUILD is
build/test. Each part has M minutes (1). The seed is printed, and the figures are kept in BUILD/chaos.txt. The exit
status is 1 if a promise is broken.
"""

import argparse
import sys
import time

import faults
import fuzz
import gate
import gpu
import inputs
import kills
import load
import resumes
import sources
from campaign import Campaign

parts = {"faults": faults, "resumes": resumes, "kills": kills, "gate": gate, "sources": sources, "load": load,
         "inputs": inputs, "fuzz": fuzz, "gpu": gpu}


def main():
    parser = argparse.ArgumentParser(prog="./bootstrap test --chaos", description=__doc__.split("\n\n")[1])
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("part", metavar="PART", nargs="*", help=f"of {', '.join(parts)}; without it, all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--minutes", type=float, default=1)
    given = parser.parse_args()
    unknown = [name for name in given.part if name not in parts]
    if unknown or not given.minutes > 0:
        parser.error(f"no part {unknown[0]}: {', '.join(parts)}" if unknown else "--minutes: above 0")
    broken = 0
    for name in given.part or parts:
        campaign = Campaign(name, given.build, given.seed, given.minutes)
        parts[name].run(campaign)
        broken += campaign.broken
    sys.exit(1 if broken else 0)


main()
