"""A fault at every system call: no command may end well with less output, by a signal, or with a worse record."""

import re
import shutil
import zlib
from pathlib import Path

from campaign import compiled, folder
from commands import commands, does_nothing, left_processes, leftovers, printing

asked = "status 0 with less output 0 times, a record replaced by a worse one 0 times"
kinds = ("ENOSPC", "EIO", "EINTR", "EACCES", "ENOMEM", "EAGAIN", "EMFILE", "SHORT")


class Reference:
    """What a command leaves that nothing happens to, and how many of its calls each kind of fault may hit. It begins
    with nothing, or with what it left before: code that is compiled already is another way through the program."""

    def __init__(self, campaign, command, fault, kept):
        self.command, self.fault = command, fault
        self.cold, self.warm = kept / f"{command.name}-cold", kept / f"{command.name}-warm"
        self.cold.mkdir()
        command.prepare(self.cold)
        self.before = command.files(self.cold)
        shutil.copytree(self.cold, self.warm, symlinks=True)
        with folder() as made:
            self.cold_calls = self.calls(made, False)
        self.ended = command.to_the_end(self.warm)
        self.after = command.files(self.warm)
        if wrong := does_nothing(command, self.ended, self.before, self.after):
            campaign.complain(wrong)
        with folder() as made:
            made = self.begin(made, True)
            command.to_the_end(made)
            if command.files(made) != self.after or leftovers(made):
                campaign.complain(f"{command.name}: a second run leaves other files: {leftovers(made)}")
            self.warm_calls = self.calls(made.parent, True)

    def begin(self, made, warm):
        made = Path(made) / "chaos"
        shutil.copytree(self.warm if warm else self.cold, made, symlinks=True)
        return made

    def calls(self, folder, warm):
        """By kind, the calls that it may hit, in words without numbers and names that differ each time."""
        found = {}
        for kind in kinds:
            made = self.begin(Path(folder) / kind, warm)
            log = made.with_name("log")
            self.command.to_the_end(made, [self.fault, kind, "0", log])
            found[kind] = [re.sub(r"[0-9a-f]{6,}|\d+", "#", line.replace(str(made), ""))
                           for line in log.read_text().split("\n")[1:-1]]
        return found


def warnings(text):
    return len(re.findall(r"^ *(?:missing|warn) ", text, re.MULTILINE))


def judge(reference, before, made, ended, hit):
    """What is wrong after a fault; nothing if all is as promised."""
    if ended is None:
        return "hangs"
    own = reference.command.name != "capture" or "by a child" not in hit
    if ended.status >= 128 and own:
        return f"ended by signal {ended.status - 128}: {ended.err[-300:]}"
    try:
        files = reference.command.files(made)
    except (ValueError, OSError, EOFError, zlib.error) as problem:
        return f"torn: {problem}"
    names = [name for name in files if not name.endswith((".tmp", ".lock", "run.journal"))]
    same = all(files.get(name) == reference.after[name] for name in reference.after)
    if ended.status == reference.ended.status:
        # Said on standard error, and nothing else is missing.
        if not same and "the record does not say" not in ended.err:
            lost = [name for name in reference.after if files.get(name) != reference.after[name]]
            return f"ended well, and other or missing: {lost}; {ended.err[-300:]}"
        # The program of the tests prints for people, and a doctor says what does not work.
        ill = reference.command.name == "doctor" and warnings(ended.out) > warnings(reference.ended.out)
        if ended.out != reference.ended.out and reference.command.name != "run" and not ill:
            return f"ended well with other output: {ended.err[-300:]}"
    elif not ended.err.strip() and not ended.out.strip():
        return f"status {ended.status} without a word"
    # A record of failed rows may be all that there is, and may not take the place of one with rows.
    # Of status 1, a row or a GPU failed: a page says so, and so does a record where there was none. A captured program
    # that failed has its own status, and is captured. The gate says of which kernels it has no number, and ends with 2.
    if reference.command.name == "gate" and ended.status == 2 and "without a number" in ended.out:
        return None
    failed = ended.status == 1 or reference.command.name == "capture" and ended.status not in (0, 2)
    if "the record does not say" in ended.err:
        return None
    other = [name for name in names if files[name] not in (before.get(name), reference.after.get(name))
             and not (failed and (name not in before or name.endswith(".html") or "capture" in name))
             and not (name.startswith("out/capture/spool/") and ("unlink" in hit or "/out/capture/spool" in hit))]
    if other:
        return f"status {ended.status}, and neither the old nor the new: {other}; {ended.err[-300:]}"
    left = [name for name in leftovers(made) if "unlink" not in hit]
    if left:
        return f"status {ended.status}, left behind: {left}"
    left = left_processes(made)
    return f"processes left: {left}" if left else None


def after_it(reference, made):
    """What is wrong when the command runs again, and nothing happens to it."""
    again = reference.command.to_the_end(made)
    files = reference.command.files(made)
    if again is None or again.status != reference.ended.status:
        return f"after it, the command does not do its work: {again and again.err[-300:]}"
    other = [name for name, text in reference.after.items() if files.get(name) != text]
    return f"after it, the command leaves other files: {other}" if other else None


def run(campaign):
    with folder() as kept:
        run_in(campaign, Path(kept), compiled(campaign))


def run_in(campaign, kept, fault):
    known, references = commands(campaign) + printing(campaign), {}
    reruns = of_tools = 0
    unlike, tried = set(), set()

    def trial(chosen):
        nonlocal reruns, of_tools
        reference, kind, number, warm, call = chosen
        with folder() as made:
            made = reference.begin(made, warm)
            log = made.with_name("log")
            ended = reference.command.to_the_end(made, [fault, kind, str(number), log])
            hit = log.read_text().split("\n")[1].replace(str(made), "") if log.exists() else "?"
            # The shell of the worker without a GPU is not a part of the program.
            if hit == "nothing" or hit.endswith((" sh", " sed", " sleep")):
                return False
            tried.add((reference.command.name, kind, call, warm))
            wrong = judge(reference, reference.after if warm else reference.before, made, ended, hit)
            if wrong is None and ended.status != reference.ended.status:
                reruns += 1
                wrong = after_it(reference, made)
            # What happens inside ptxas and nvdisasm is theirs to say: they call some of it an error of the source.
            if wrong and hit.endswith((" ptxas", " nvdisasm")):
                of_tools += 1
            elif wrong:
                campaign.complain(f"{reference.command.name}: {kind} {number}{' again' if warm else ''}: {hit}: "
                                  f"{wrong.replace(str(made), '')}")
        return True

    def places_of(one):
        """Each once: a kind, the number of a call that it may hit, and what the command begins with. The last, which are
        taken first, are of calls that are not alike."""
        places = [(one, kind, number, warm, call) for warm, calls in ((False, one.cold_calls), (True, one.warm_calls))
                  for kind in kinds for number, call in enumerate(calls[kind], 1)]
        campaign.random.shuffle(places)
        first = {(kind, call, warm): place for place in places for _, kind, _, warm, call in [place]}
        unlike.update((one.command.name, *key) for key in first)
        taken = {place[:4] for place in first.values()}
        return [place for place in places if place[:4] not in taken] + list(first.values())

    def trials():
        left, places = list(known), {}
        while left:
            command = campaign.random.choice(left)
            # A minute has no room for what all of them do without a fault.
            if command.name not in references:
                references[command.name] = Reference(campaign, command, fault, kept)
                places[command.name] = places_of(references[command.name])
            if places[command.name]:
                yield places[command.name].pop()
            else:
                left.remove(command)

    done = campaign.each(trials(), trial)
    places = sum(len(calls) for one in references.values() for of in (one.cold_calls, one.warm_calls)
                 for calls in of.values())
    campaign.figure(f"{done} faults at as many of {places} places, at {len(tried & unlike)} of {len(unlike)} that are not "
                    f"alike ({', '.join(kinds)}; {len(references)} of {len(known)} commands), {reruns} of them with a "
                    f"rerun: {campaign.broken} broke a promise, and {of_tools} that ptxas or nvdisasm did not report as "
                    f"such", asked)
