"""Bounded input under sanitizers: every reader in one process that reads changed inputs one after the other, by
libFuzzer, which keeps those that take a new way through the reader and begins with them the next time."""

import os
import re
import subprocess
from pathlib import Path

from campaign import source

asked = "each reader 1000000 inputs under sanitizers, within 256 MB in one piece and 5 s"
seeds = source / "harness/cli/testdata/readers"
# Programs whose input is any bytes, with the length that their inputs need.
programs = {"ptx": ["-dict=harness/ptx/testdata/ptx.dict"], "code": [], "image": ["harness/inspect/testdata"],
            "execute": ["-max_len=800"], "predict": ["-max_len=1200", "-len_control=0"],
            "capture": ["-max_len=1200", "-len_control=0"]}
bounds = ["-malloc_limit_mb=256", "-rss_limit_mb=2560", "-timeout=5"]


def number(of, text):
    found = re.search(rf"stat::{of}:\s+(\d+)", text)
    return int(found.group(1)) if found else 0


def run(campaign):
    build = campaign.build.parent / "fuzz"
    readers = sorted(path.name for path in seeds.iterdir())
    every = [(name, "readers_fuzz", [seeds / name]) for name in readers]
    every += [(name, f"{name}_fuzz", flags) for name, flags in programs.items()]
    # Each has all the time.
    seconds = max(1, round(campaign.end - campaign.began))
    read, most_mb, slowest = {}, 0, 0

    def trial(chosen):
        nonlocal most_mb, slowest
        name, program, flags = chosen
        if not (build / program).exists():
            return campaign.complain(f"{build / program} is not built (cmake/fuzz.cmake)")
        kept, found = build / "inputs" / name, build / "found"
        kept.mkdir(parents=True, exist_ok=True)
        found.mkdir(exist_ok=True)
        ended = subprocess.run(
            [build / program, f"-max_total_time={seconds}", "-print_final_stats=1", *bounds,
             f"-seed={campaign.seed % 2**31 + 1}", f"-artifact_prefix={found}/{name}-", kept, *flags],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", cwd=source,
            env={**os.environ, "WARPCLOCK_READER": name})
        read[name] = number("number_of_executed_units", ended.stderr)
        most_mb = max(most_mb, number("peak_rss_mb", ended.stderr))
        slowest = max(slowest, number("slowest_unit_time_sec", ended.stderr))
        if ended.returncode != 0:
            campaign.complain(f"{name}: status {ended.returncode}: {ended.stderr[-900:]}")
        elif read[name] < 100:
            campaign.complain(f"{name}: it read {read[name]} inputs in {seconds} s")
        return True

    campaign.end = float("inf")
    campaign.each(every, trial)
    told = ", ".join(f"{name} {count}" for name, count in sorted(read.items(), key=lambda one: one[1]))
    campaign.figure(f"{len(read)} readers under sanitizers ({told}): {campaign.broken} broke a promise; the slowest "
                    f"input took {slowest} s, and a process had {most_mb} MB at most", asked)
