"""Bounded input: what a reader may need of memory and time for so many bytes, whatever they are. Each input is one that
is right, changed in a few places, and read by the program as its users have it read."""

import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import time
from pathlib import Path

from campaign import folder, source
from commands import cubin, records

asked = "12 readers, each 1000000 inputs within 256 MB + 64 bytes and 1 s + 1 s a MB for what is read"
base_mb, base_s = 256, 1
tests = source / "harness"


def readers(campaign, made):
    """Name, the right input, and the command that reads FILE."""
    for name in ("fleet", "capture"):
        (made / name).mkdir()
    shutil.copy(records / "result.json", made / "fleet/result.json")
    program, reports = campaign.program, ["--gpu", "h200", "--reports", records.parent]
    subprocess.run([program, "fleet", made / "fleet", "--write-baseline", made / "baseline.json"], capture_output=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(campaign.build / "fake_cuda"), "FAKE_CUBIN": str(cubin)}
    subprocess.run([program, "capture", "--out", made / "capture", "--", campaign.build / "warpclock_captured", "launch",
                    "0"], env=environment, capture_output=True)
    cases = json.loads(gzip.decompress((source / "reports/nvidia-h200/cases.json.gz").read_bytes()))
    cases["rows"] = cases["rows"][:8]
    (made / "cases.json").write_text(json.dumps(cases))
    (made / "gpus.txt").write_text("GPU 0: NVIDIA H200 (UUID: GPU-6611a2c6-087d-bf46-7e67-e2df68b8b0d5)\n")
    (made / "block.ptx").write_text("fma.rn.f32 %f1, %f2, %f3, %f4;\nadd.f32 %f5, %f1, %f2;\n")
    of = {
        "result": (records / "result.json", ["compare", "FILE", records / "result.json"]),
        "instructions": (records / "instructions.json", ["export", "csv", "FILE"]),
        "machine": (records / "machine.json", ["compare", "FILE", records / "machine.json"]),
        "kernels": (made / "cases.json", ["report", "PARENT"]),
        "baseline": (made / "baseline.json", ["fleet", made / "fleet", "--gate", "FILE"]),
        "capture": (made / "capture/capture.json.gz", ["capture", "--show", "FILE"]),
        "captured launches": (made / "capture/capture.json.gz", ["predict", "FILE", *reports]),
        "config": (source / "configs/shuffle.yaml", ["list", "--configs", "FOLDER"]),
        "launches": (tests / "gate/testdata/launches.yaml", ["gate", tests / "inspect/testdata/jit_ptxas.cubin",
                                                                tests / "inspect/testdata/jit_driver.cubin",
                                                                "--launches", "FILE", *reports]),
        "cubin": (cubin, ["inspect", "FILE"]),
        "fat binary": (tests / "inspect/testdata/size.fatbin", ["inspect", "FILE"]),
        "PTX": (made / "block.ptx", ["cycles", *reports, "--ptx-file", "FILE"]),
        "list of GPUs": (made / "gpus.txt", ["fleet", made / "fleet", "--expect", "FILE"]),
    }
    return {name: (path, path.read_bytes(), [program, *argv]) for name, (path, argv) in of.items()}


numbers = [0, 1, 17, 1025, 65536, *(2**bits - less for bits in (20, 31, 32, 40, 62, 63) for less in (0, 1))]


def changed(draw, data):
    """A few changes, one in eight of which makes much of little."""
    packed = data[:2] == b"\x1f\x8b"
    data = bytearray(gzip.decompress(data) if packed else data)
    for _ in range(draw.randint(1, 4)):
        at, size = draw.randrange(len(data) + 1), draw.choice((1, 1, 4, 16, 64, 512))
        match draw.randrange(11):
            case 0 | 1:
                data[at:at + 1] = bytes([draw.randrange(256)])
            case 2:
                del data[at:at + size]
            case 3:
                other = draw.randrange(len(data) + 1)
                data[at:at] = data[other:other + size]
            case 4:
                data[at:at + size] = draw.choice((b"[", b"{", b'"', b"-1", b"1e999", b"NaN", b"4294967296", b"\0", b"\xff" * 8,
                                                  b"9223372036854775807", b"null", b"&a [*a]", b"- ", b":", b"\n"))
            case 5:
                del data[at:]
            case 6:
                data[at:at] = data[at:at + size] * draw.randint(2, 400)
            case 7:
                data[at:at] = draw.choice((b"[", b"{\"a\":", b"(", b"- ", b"&a ", b" ")) * draw.choice((10, 1000, 200_000))
            case 8:
                data[at:at + 4] = draw.randbytes(4)
            case 9:
                if number := re.search(rb"\d+", data[at:at + 4096]):
                    data[at + number.start():at + number.end()] = str(draw.choice(numbers)).encode()
            case _:
                data[at:at] = bytes([draw.randrange(32, 127)]) * draw.choice((100, 100_000, 2_000_000))
        if not data:
            break
    data = bytes(data)
    return gzip.compress(data, 1) if packed or draw.randrange(8) == 0 else data


def with_parts(folder, seed):
    """The cubins of a capture."""
    if (seed.parent / "code").exists():
        (folder / "code").symlink_to(seed.parent / "code")


def run(campaign):
    most = {}
    with folder() as made:
        made = Path(made)
        known = readers(campaign, made)

        def trial(chosen):
            number, name, data = chosen
            seed, _, argv = known[name]
            own = made / f"input{number}/gpu"
            own.mkdir(parents=True)
            file = own / seed.name
            file.write_bytes(data)
            with_parts(own, seed)
            # What is packed is read as a whole.
            read = len(gzip.decompress(data)) if data[:2] == b"\x1f\x8b" else len(data)
            words = [str(word).replace("FILE", str(file)).replace("FOLDER", str(own)).replace(
                "PARENT", str(own.parent)) for word in argv]
            mb, seconds = base_mb + 64 * (read + len(data)) / 2**20, base_s + (read + len(data)) / 2**20
            began = time.monotonic()
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "WARPCLOCK_CACHE": str(made / "cache")},
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)))
            err = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            # The time that others of this machine take is not the reader's.
            took, took_mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
            most[name] = (max(most.get(name, (0, 0))[0], took), max(most.get(name, (0, 0))[1], took_mb))
            wrong = None
            if process.returncode not in (0, 1, 2):
                wrong = f"status {process.returncode}: {err[-300:].decode(errors='replace')}"
            elif process.returncode == 2 and not err.strip():
                wrong = "status 2 without a word"
            elif took_mb > mb or took > seconds:
                wrong = f"{took_mb:.0f} MB of {mb:.0f}, {took:.1f} s of {seconds:.1f} ({time.monotonic() - began:.1f} s passed)"
            if wrong:
                kept = campaign.build / f"chaos-input-{campaign.seed}-{number}-{seed.name}"
                shutil.copy(file, kept)
                campaign.complain(f"{name}: {kept}: {wrong}")
            shutil.rmtree(own.parent)
            return True

        names = list(known)
        for number, (name, (seed, data, argv)) in enumerate(known.items()):
            own = made / f"right{number}/gpu"
            own.mkdir(parents=True)
            (own / seed.name).write_bytes(data)
            with_parts(own, seed)
            words = [str(word).replace("FILE", str(own / seed.name)).replace("FOLDER", str(own)).replace(
                "PARENT", str(own.parent)) for word in argv]
            ended = subprocess.run(words, capture_output=True, text=True)
            # A reader that refuses everything would be bounded as well.
            if ended.returncode not in (0, 1):
                campaign.complain(f"{name}: the right input is refused: {ended.returncode}: {ended.stdout[-200:]}"
                                  f"{ended.stderr[-200:]}")

        def trials():
            for number in range(1 << 30):
                name = names[number % len(names)]
                yield number, name, changed(campaign.random, known[name][1])

        done = campaign.each(trials(), trial)
    slowest, largest = (max((one[which] for one in most.values()), default=0) for which in (0, 1))
    campaign.figure(f"{done} inputs of {len(most)} readers: {campaign.broken} broke a promise; at most {slowest:.1f} s and "
                    f"{largest:.0f} MB", asked)
