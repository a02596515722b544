"""Commands are killed, alone or with their children: at random moments, and before a system call that was drawn. After
each kill every file is whole, as it was or as an uninterrupted command leaves it, and no process is left. Then the same
command runs to its end: it leaves the files of an uninterrupted one, byte for byte, and no other. What states when it
ran is left out."""

import gzip
import json
import os
import signal
import subprocess
import time
import zlib
from pathlib import Path

from campaign import compiled, folder
from commands import commands, does_nothing, left_processes, leftovers, whole

asked = "10000 kills: rows and pages byte-identical after a rerun, 0 files and 0 processes left"
signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def rows_of_journals(made):
    """How many cases were measured before the kill."""
    lines = [line for journal in made.rglob("run.journal") for line in whole(journal.name, journal.read_bytes())]
    return len({line["id"] for line in lines if "id" in line})


def rows_taken_over(made):
    """How many the records say that they have of an earlier run."""
    records = [json.loads(gzip.decompress(path.read_bytes())) for path in made.rglob("result.json.gz")]
    return sum(record["provenance"].get("resumed", {}).get("rows", 0) for record in records)


def is_writing(made):
    return any(path.name.endswith((".tmp", ".lock", "run.journal")) for path in made.rglob("*"))


class Uninterrupted:
    def __init__(self, campaign, command, fault):
        self.command = command
        with folder() as made:
            made = Path(made)
            command.prepare(made)
            self.before = command.files(made)
            log = made.with_name(made.name + ".log")
            command.to_the_end(made, [fault, "KILL", "0", log])
            words = log.read_text().split("\n")[0].split()
            log.unlink()
            self.calls = int(words[words.index("KILL") + 1])
        with folder() as made:
            made = Path(made)
            command.prepare(made)
            began = time.monotonic()
            self.ended = command.to_the_end(made)
            self.seconds = time.monotonic() - began
            self.files = command.files(made)
            wrong = does_nothing(command, self.ended, self.before, self.files)
            if wrong or leftovers(made):
                campaign.complain(wrong or f"{command.name}: uninterrupted, left behind: {leftovers(made)}")


class Killing:
    def __init__(self, campaign):
        self.campaign, self.fault = campaign, compiled(campaign)
        self.of = [Uninterrupted(campaign, command, self.fault) for command in commands(campaign)]
        self.killed = self.resumed = self.found = 0

    def at_a_call(self, command, made, number):
        log = made.with_name(made.name + ".log")
        ended = command.to_the_end(made, [self.fault, "KILL", str(number), log])
        hit = log.read_text().split("\n")[1] if log.exists() else "nothing"
        log.unlink(missing_ok=True)
        return "hangs" if ended is None else None if hit == "nothing" else hit

    @staticmethod
    def at_a_moment(command, made, moment, sent, writing, everyone):
        process = command.start(made, out=subprocess.DEVNULL, start_new_session=True)
        if writing:
            while not is_writing(made) and process.poll() is None:
                time.sleep(0.0005)
            moment = min(0.05, moment / 4)
        time.sleep(moment)
        if everyone and process.poll() is None:
            os.killpg(process.pid, sent)
        else:
            process.send_signal(sent)
        process.wait(timeout=60)
        how = f"{sent.name}{' to all' if everyone else ''} after {moment:.3f} s{' of writing' if writing else ''}"
        return how if process.returncode < 0 else None

    def look(self, one, made, how):
        """What is wrong after the kill. Where a child was killed, a row may have failed."""
        left = left_processes(made)
        if left:
            return f"processes left: {left}"
        try:
            files = one.command.files(made)
        except (ValueError, OSError, EOFError, zlib.error) as problem:
            return f"torn: {problem}"
        if "by a child" in how:
            return None
        torn = [name for name, text in files.items() if not name.endswith((".tmp", ".lock", "run.journal"))
                and not name.startswith(("tmp/", "out/capture/")) and text not in (one.before.get(name), one.files.get(name))]
        return f"torn: {torn}" if torn else None

    def rerun(self, one, made):
        kept = rows_of_journals(made)
        self.resumed += kept > 0
        self.found += len(leftovers(made)) > 0
        again = one.command.to_the_end(made)
        if again is None or again.status != one.ended.status or again.out != one.ended.out and not one.command.dated:
            return f"the rerun ended with {again and (again.status, again.out[-300:], again.err[-300:])}"
        files = one.command.files(made)
        if files != one.files:
            names = sorted(name for name in files.keys() | one.files.keys() if files.get(name) != one.files.get(name))
            return f"after a rerun, other files: {names}"
        if leftovers(made):
            return f"after a rerun, left behind: {leftovers(made)}"
        if rows_taken_over(made) != kept:
            return f"{kept} rows were measured, {rows_taken_over(made)} taken over"
        return None

    def trial(self, chosen):
        number, one, share, sent = chosen
        with folder() as made:
            made = Path(made)
            one.command.prepare(made)
            if number % 2 == 0:
                how = self.at_a_call(one.command, made, 1 + int(share * one.calls))
            else:
                how = self.at_a_moment(one.command, made, share * one.seconds, sent, number % 4 == 1, number % 8 > 4)
            if how is None:
                return False
            wrong = how if how == "hangs" else self.look(one, made, how) or self.rerun(one, made)
            if wrong:
                self.campaign.complain(f"{one.command.name}: {how.replace(str(made), '')}: {wrong}")
        return True

    def run(self):
        draw = self.campaign.random
        trials = ((number, one, draw.random(), draw.choice(signals)) for number in range(1 << 30) for one in self.of)
        done = self.campaign.each(trials, self.trial)
        self.campaign.figure(f"{done} kills of {len(self.of)} commands, {self.resumed} left rows, {self.found} left "
                             f"temporary files or locks: {self.campaign.broken} broke a promise", asked)


def run(campaign):
    # Background commands of a shell ignore it, and so do their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Killing(campaign).run()
