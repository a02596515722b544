"""What the parts share: the time that they have, what they find, and programs that run in parallel."""

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

source = Path(__file__).resolve().parents[2]


class Campaign:
    """One part: its random numbers, its end, and its complaints."""

    def __init__(self, part, build, seed, minutes):
        self.part, self.build, self.seed = part, Path(build).resolve(), seed
        self.program, self.test = self.build / "warpclock", self.build / "cli_test"
        self.random = random.Random(f"{part} {seed}")
        self.began, self.end = time.monotonic(), time.monotonic() + 60 * minutes
        self.broken = 0
        self.lock = threading.Lock()

    def time_is_left(self):
        return time.monotonic() < self.end

    def complain(self, what):
        with self.lock:
            self.broken += 1
            print(f"chaos: {self.part}: {what}", file=sys.stderr, flush=True)

    def figure(self, what, asked):
        """A promise is a line."""
        seconds = time.monotonic() - self.began
        line = f"chaos: {self.part}: {what}; asked: {asked}; seed {self.seed}, {seconds:.0f} s"
        print(line, flush=True)
        with open(self.build / "chaos.txt", "a", encoding="utf-8") as kept:
            print(line, file=kept)

    def each(self, trials, run):
        """Runs trials, as many at once as there are cores, until there are none or no time is left. How many ran."""
        done, running, trials = 0, set(), iter(trials)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for trial in trials:
                if not self.time_is_left():
                    break
                running.add(pool.submit(run, trial))
                if len(running) >= os.cpu_count():
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    done += sum(one.result() is not False for one in ended)
            done += sum(one.result() is not False for one in running)
        return done


def gpu_is_there():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.startswith("GPU ")
    except OSError:
        return False


def folder():
    return tempfile.TemporaryDirectory(prefix="warpclock-chaos-", ignore_cleanup_errors=True)


def compiled(campaign):
    """The program that lets system calls go wrong."""
    program = campaign.build / "fault"
    text = Path(__file__).with_name("fault.c")
    if not program.exists() or program.stat().st_mtime < text.stat().st_mtime:
        subprocess.run(["cc", "-O2", "-o", program, text], check=True)
    return program
