"""Hostile sources beside good ones: exactly the hostile ones are failed rows, and no compiler is left."""

import json
import os
import subprocess
from pathlib import Path

from campaign import folder, source

asked = "1000 hostile sources beside 1000 good ones: exactly 1000 failed rows"

good = """#include "probe.cuh"
// {number}
PROBE {{
  Window window;
  u32 v = input(args, 0);
  PASSES {{
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("mad.lo.u32 %0, %0, %0, {number};" : "+r"(v));
    window.wait(v);
    window.close();
  }}
  window.report(args);
}}
"""

stanza = """  - name: {name}
    asks: Is this one of the hostile ones?
    kernel: chaos/{name}.cu
    repeat: [16, 32, 64]
    window: {{target: IMAD, count: [n], chain: true}}
    measures:
      - {{name: latency, method: slope, unit: cycles}}
"""


def kernel(body):
    return good.format(number=7).replace("u32 v = input(args, 0);", "u32 v = input(args, 0);\n" + body)


# Of a size that is drawn, so that no two are alike.
kinds = {
    "nested templates": lambda n: "template<int n> struct A { static const int v = A<n + 1>::v; };\n"
                                  + kernel(f"v += A<{n}>::v;"),
    "endless constexpr": lambda n: "constexpr int f(int x) { while (true) ++x; return x; }\n"
                                   + kernel(f"constexpr int x = f({n}); v += x;"),
    "an array of terabytes": lambda n: f"__device__ int many[{n}L << 30] = {{1}};\n" + kernel("v += many[v];"),
    "macros that double": lambda n: "#define a0 v += 1;\n"
                                    + "".join(f"#define a{i + 1} a{i} a{i}\n" for i in range(24)) + kernel(f"a24 v += {n};"),
    "a file that includes itself": lambda n: f'#include "chaos/bad{n}.cu"\n' + kernel(""),
    "a device as header": lambda n: f'#include "/dev/zero"\n#include "/dev/urandom"\n' + kernel(f"v += {n};"),
    "a memory file as header": lambda n: '#include "/proc/self/mem"\n' + kernel(f"v += {n};"),
    "an error": lambda n: f"#error {n}\n" + kernel(""),
    "PTX that is none": lambda n: kernel(f'asm volatile("shfl.sync.bogus{n}.b32 %0;" : "+r"(v));'),
    "PTX that never ends": lambda n: kernel(f'asm volatile("{"{" * (1000 + n)}" ::);'),
    "PTX of another kernel": lambda n: kernel(f'asm volatile("ret; }} .visible .entry k{n}() {{ trap;" ::);'),
    "too much shared memory": lambda n: kernel(f"__shared__ int s[{n + 60000}]; s[v] = 1; v += s[v / 2];"),
    "a comment without an end": lambda n: kernel(f"/* {n}"),
    "a string without an end": lambda n: kernel(f'v += "{n};'),
    "bytes that are no text": lambda n: "\x00\x01" + kernel(f"v += \x7f{n}\x02;"),
    "no kernel": lambda n: f"int x = {n};\n",
    "another kernel": lambda n: f'extern "C" __global__ void other{n}() {{}}\n',
    "nothing": lambda n: "\n" * n,
    "a line of a megabyte": lambda n: kernel("v += " + "+".join(["v"] * (500_000 + n)) + ";"),
    "a window without its instruction": lambda n: good.format(number=n).replace("mad.lo.u32 %0, %0, %0", "add.u32 %0, %0"),
    "a window that is folded": lambda n: good.format(number=n).replace("asm volatile(", "if (i < 3) asm volatile("),
}


def run(campaign):
    names = list(kinds)
    hostile = failed = passed = rounds = 0

    def batch(first):
        nonlocal hostile, failed, passed, rounds
        with folder() as made:
            made = Path(made)
            (made / "probes/chaos").mkdir(parents=True)
            (made / "configs").mkdir()
            for header in ("probe.cuh", "clocked.cuh", "mbarrier.cuh"):
                (made / "probes" / header).write_bytes((source / "probes" / header).read_bytes())
            wanted, stanzas = {}, []
            for number in range(first, first + len(names)):
                kind = names[number % len(names)]
                size = draws[number]
                for name, text in ((f"good{number}", good.format(number=number + 3)), (f"bad{number}", kinds[kind](size))):
                    (made / f"probes/chaos/{name}.cu").write_text(text, errors="surrogateescape")
                    stanzas.append(stanza.format(name=name))
                    wanted[f"chaos/{name}"] = (name[0] == "g", kind, size)
            (made / "configs/chaos.yaml").write_text("family: chaos\nprobes:\n" + "\n".join(stanzas))
            ended = subprocess.run([campaign.program, "verify", "--probes", made / "probes", "--configs", made / "configs",
                                    "--arch", "sm_90a", "--json", "--cache", made / "cache"], capture_output=True,
                                   text=True, env={**os.environ, "TMPDIR": str(made)}, cwd=made)
            try:
                rows = {row["id"]: row for row in json.loads(ended.stdout)}
            except ValueError:
                return campaign.complain(f"sources {first} and on: status {ended.returncode}: {ended.stderr[-500:]}")
            for name, (is_good, kind, size) in wanted.items():
                row = rows.get(name, {"verdict": "no row"})
                right = (row["verdict"] == "verified") == is_good and row["verdict"] != "no row"
                if not right:
                    campaign.complain(f"{name}, {'good' if is_good else f'{kind} {size}'}: {row['verdict']}: {row.get('text', '')[:300]}")
                failed += not is_good and right
                passed += is_good and right
                hostile += not is_good
            left = [str(path) for path in made.iterdir() if path.name not in ("probes", "configs", "cache")]
            if left or ended.returncode != 1:
                campaign.complain(f"status {ended.returncode}, left behind: {left}")
            rounds += 1

    draws = [campaign.random.randint(1, 999) for _ in range(100 * len(names))]
    campaign.each(range(0, len(draws), len(names)), batch)
    campaign.figure(f"of {hostile} hostile sources {failed} are failed rows, of as many good ones {passed} are verified, in "
                    f"{rounds} commands ({len(names)} kinds)", asked)
