"""Commands as functions, on committed kernels and records. Run by ctest, with WARPCLOCK_PROGRAM and PYTHONPATH set."""

import collections
import dataclasses
import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
from pathlib import Path

import warpclock
from warpclock import _kernels, _program, _results

root = Path(__file__).resolve().parents[2]
reports = root / "reports"
kernels = root / "harness" / "inspect" / "testdata" / "kernels.cubin"
pipeline = functools.partial(warpclock.predict, kernels, 132, 128, name="pipeline", reports=reports)


@functools.cache
def predicted():
    """What several tests ask of one prediction."""
    return pipeline(["64MiB", "64MiB", 64])


def need(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"{module} is not installed")


def printed(*arguments):
    return json.loads(_program.output_of(*arguments, "--reports", str(reports), "--json"))


class Array:
    """What NumPy, CuPy and PyTorch have in common."""

    def __init__(self, nbytes):
        self.nbytes = nbytes


class Predict(unittest.TestCase):
    def test_is_what_the_command_prints(self):
        options = ["--launch", "132,128,0", "--arg", "2=64", "--buffer", "0=64MiB,1=64MiB"]
        (raw,) = printed("predict", str(kernels), "--kernel", "pipeline", *options)["kernels"]
        made = predicted()
        self.assertEqual(made.raw, raw)
        self.assertEqual((made.low, made.high, made.limiter), (raw["low"], raw["high"], raw["limiter"]))
        self.assertEqual(made.cycles, (raw["low"] + raw["high"]) / 2)
        self.assertAlmostEqual(made.seconds(1980), made.cycles / 1980e6)
        self.assertEqual([one.name for one in made.bounds], [one["name"] for one in raw["bounds"]])
        self.assertEqual(dataclasses.asdict(made.loops[0]), raw["loops"][0])
        self.assertEqual([one.address for one in made.waits], [one["address"] for one in raw["waits"]])

    def test_takes_all_that_is_a_kernel(self):
        expected = predicted()
        content = kernels.read_bytes()
        metadata = types.SimpleNamespace(name="pipeline", num_warps=4, warp_size=32, shared=0, num_ctas=1)
        signature = {"a": "*fp16", "N": "constexpr", "b": "*fp16", "steps": "i32"}
        triton = types.SimpleNamespace(
            asm={"cubin": content}, metadata=metadata, src=types.SimpleNamespace(signature=signature)
        )
        library = types.SimpleNamespace(get_cubin=lambda: types.SimpleNamespace(code=content))
        compiled = types.SimpleNamespace(library=library, entry_name="pipeline")
        numba = types.SimpleNamespace(overloads={"signature": compiled}, inspect_asm=None)
        cute = types.SimpleNamespace(artifacts=types.SimpleNamespace(CUBIN=content))
        args = ["64MiB", Array(64 << 20), 64]
        for kernel in (str(kernels), content, triton, numba, cute):
            self.assertEqual(warpclock.predict(kernel, 132, 128, args, name="pipeline", reports=reports), expected)
        by_name = {"a": "64MiB", "b": Array(64 << 20), "steps": 64}
        self.assertEqual(warpclock.predict(triton, 132, args=by_name, reports=reports), expected)
        with self.assertRaisesRegex(warpclock.BadInput, "no argument 'N': it has a, b, steps"):
            warpclock.predict(triton, 132, args={"N": 1})

    def test_a_cluster_has_more_blocks_than_the_grid(self):
        metadata = types.SimpleNamespace(name="pipeline", num_warps=4, shared=0, num_ctas=2)
        kernel = types.SimpleNamespace(asm={"cubin": kernels.read_bytes()}, metadata=metadata)
        self.assertEqual(warpclock.predict(kernel, (33, 2), args=["1MiB"], reports=reports).blocks, 132)

    def test_without_a_number_says_what_to_give(self):
        made = pipeline(["64MiB"])
        self.assertIsNone(made.low)
        self.assertEqual(made.missing[0].fix, "add --trips 0=N")
        with self.assertRaisesRegex(warpclock.NotPredicted, "no trip count; add --trips 0=N"):
            made.cycles
        self.assertGreater(pipeline(trips={0: 64}, hit="L2").cycles, 0)

    def test_what_a_buffer_holds_is_a_word_or_an_array(self):
        with tempfile.TemporaryDirectory() as folder:
            code = _kernels.Machinecode(path="x")
            holding = [warpclock.Buffer(8, "iota"), warpclock.Buffer("8B", b"\1\2\3\4\5\6\7\0"), None, True, 0.5]
            options = _kernels.arguments(holding, code, Path(folder))
            file = Path(folder) / "buffer1"
            self.assertEqual(file.read_bytes(), b"\1\2\3\4\5\6\7\0")
        words = ["--buffer", "0=8:iota", "--buffer", f"1=8B:{file}", "--arg", "3=1", "--arg", "4=0.5"]
        self.assertEqual(options, words)

    def test_a_scalar_may_have_a_type(self):
        half = types.SimpleNamespace(shape=(), dtype="float16", item=lambda: 0.5)
        boolean = types.SimpleNamespace(shape=(), dtype="bool", item=lambda: True)
        options = _kernels.arguments(["bf16:1", half, boolean, 1e-05], _kernels.Machinecode(path="x"), Path())
        self.assertEqual(options[1::2], ["0=bf16:1", "1=f16:0.5", "2=1", "3=1e-05"])

    def test_an_array_of_numba_is_the_arguments_that_it_makes(self):
        array = Array(96)
        array.size, array.itemsize, array.shape, array.strides = 12, 8, (3, 4), (32, 8)
        code = _kernels.Machinecode(flat=_kernels._numba_array)
        options = _kernels.arguments([array, 7], code, Path())
        self.assertEqual(options[1::2], "0=0 1=0 2=12 3=8 4=96 5=3 6=4 7=32 8=8 9=7".split())

    def test_sizes_come_from_any_array(self):
        interface = types.SimpleNamespace(__cuda_array_interface__={"shape": (3, 4), "typestr": "<f8"})
        old_tensor = types.SimpleNamespace(data_ptr=id, element_size=lambda: 2, numel=lambda: 5)
        self.assertEqual([_kernels.size_of(one) for one in (Array(7), interface, old_tensor, "x")], [7, 96, 10, None])

    def test_a_kernel_of_cupy_is_compiled_from_its_source(self):
        kernel_class = type("RawKernel", (), {"__module__": "cupy._core.raw"})
        kernel = kernel_class()
        kernel.name, kernel.code, kernel.file_path = "scale", 'extern "C" __global__ void scale() {}', None
        kernel.options = ("-DN=4", "-DFAST", "-I/include")
        code = _kernels.machinecode(kernel)
        self.assertEqual((code.suffix, code.name, code.include), (".cu", "scale", ("/include",)))
        self.assertTrue(code.content.startswith(b"#define N 4\n#define FAST 1\nextern"))
        kernel.code, kernel.file_path = None, "/module.cubin"
        self.assertEqual(_kernels.machinecode(kernel).path, "/module.cubin")


class Wrong(unittest.TestCase):
    def fails(self, kind, pattern, *given, **named):
        with self.assertRaisesRegex(kind, pattern) as raised:
            warpclock.predict(*given, **{"reports": reports, **named})
        return str(raised.exception)

    def test_input_is_an_error_of_our_own(self):
        self.fails(warpclock.BadInput, "^float hands out no machine code", 3.5)
        self.fails(warpclock.BadInput, "threads of a block", kernels, 132)
        self.fails(warpclock.BadInput, "grid is a number, or up to three of them, and not '4'", kernels, "4", 32)
        self.fails(warpclock.BadInput, "argument 0 is a number", kernels, 1, 32, [object()])
        self.fails(warpclock.BadInput, "have no comma: 1,2", kernels, 1, 32, ["1,2"])
        cute = types.SimpleNamespace(artifacts=types.SimpleNamespace(CUBIN=None))
        self.fails(warpclock.BadInput, "--keep-cubin", cute)
        numba = types.SimpleNamespace(overloads={}, inspect_asm=None)
        self.fails(warpclock.BadInput, "compiled for 0 signatures", numba)
        self.fails(warpclock.Ambiguous, "give one by name: tail, pipeline", kernels, 132, 128)

    def test_messages_are_those_of_the_program(self):
        self.fails(warpclock.ProgramError, "^nosuch.cubin: cannot open", "nosuch.cubin")
        self.assertNotIn("/", self.fails(warpclock.ProgramError, "this is not a cubin", b"abc"))
        self.fails(warpclock.ProgramError, "--launch is GRID,BLOCK", kernels, 132, 4096)
        self.fails(warpclock.ProgramError, "no reports of 'b200'", kernels, gpu="b200")
        with self.assertRaisesRegex(warpclock.ProgramError, "no probe is called 'nosuch'"):
            warpclock.show("nosuch", reports=reports)
        for ask, what in ((warpclock.ask, "zzz qqq"), (warpclock.cycles, "nosuch.b32")):
            with self.assertRaises(warpclock.NotMeasured):
                ask(what, reports=reports)
        with self.assertRaisesRegex(warpclock.ProgramError, "no such file or folder"):
            warpclock.gate("/nosuch", "/nosuch")


class Others(unittest.TestCase):
    def test_inspect_is_what_the_command_prints(self):
        found = {one.name: one for one in warpclock.inspect(kernels, block=128, reports=reports)}
        raw = {one["readable"]: one for one in printed("inspect", str(kernels), "--block", "128")["kernels"]}
        self.assertEqual({name: one.raw for name, one in found.items()}, raw)
        self.assertEqual(found["pipeline"].registers, raw["pipeline"]["registers"])
        self.assertEqual(found["pipeline"].blocks_per_sm, raw["pipeline"]["occupancy"][0]["blocks"])
        self.assertGreater(found["spills"].spill_loads, 0)

    def test_cycles_ask_and_show_are_the_records(self):
        found = warpclock.cycles("ldmatrix.x4", reports=reports)
        self.assertEqual((found.latency, found.outcome), (29.0, "measured"))
        self.assertIn("throughput", found.estimates)
        answer = warpclock.ask("4-way bank conflict", reports=reports)
        self.assertEqual(answer.tables["answer"][0]["number.h200"], 4)
        rows = warpclock.show("synchronization/bar", gpu=["h100", "h200"], reports=reports).tables["rows"]
        self.assertTrue(all("barrier.h200" in row for row in rows))
        self.assertIn("probes", warpclock.show(reports=reports).tables)

    def test_peaks_are_those_of_the_rows(self):
        found = warpclock.peaks("h200", reports=reports)
        dense, sparse = (found["flops"]["bf16"][kind] for kind in ("dense", "sparse"))
        self.assertEqual(dense["per_clk_per_sm"], 4096)
        self.assertGreater(sparse["per_s"], 1.5 * dense["per_s"])
        row = next(
            row
            for row in warpclock.load("h200", reports).rows("result")
            if row["id"] == found["bytes"]["DRAM"]["store"]["leaf"]["rows"][0]
        )
        rate = row["estimates"][0]["value"] * found["sms"] * row["clock"]["sm_mhz"] * 1e6
        self.assertAlmostEqual(found["bytes"]["DRAM"]["store"]["per_s"] / rate, 1, 3)

    def test_gate_counts_verdicts(self):
        builds = [root / "harness/inspect/testdata" / name for name in ("jit_ptxas.cubin", "jit_driver.cubin")]
        answer = warpclock.gate(*builds, root / "harness/gate/testdata/launches.yaml", reports=reports)
        counts = collections.Counter(row["verdict"] for row in answer.tables["kernels"])
        self.assertEqual(answer.title, ", ".join(f"{number} {word}" for word, number in counts.items()))
        self.assertEqual(counts["slower"], 1)


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = predicted()

    def test_html_escapes_what_it_shows(self):
        text = self.made._repr_html_()
        self.assertIn(">one warp alone</th>", text)
        hostile = dataclasses.replace(self.made, kernel="<script>")
        self.assertIn("&lt;script&gt;", hostile._repr_html_())
        self.assertNotIn("<script>", hostile._repr_html_())
        for one in (
            warpclock.cycles("ldmatrix.x4", reports=reports),
            warpclock.ask("4-way bank conflict"),
            warpclock.inspect(kernels, block=32)[0],
        ):
            self.assertRegex(one._repr_html_(), "<table>.*<td>")

    def test_frames_have_the_rows(self):
        for kind in ("pandas", "polars"):
            if importlib.util.find_spec(kind):
                frame = self.made.frame("waits", kind)
                self.assertEqual(list(frame["address"]), [one.address for one in self.made.waits])
                self.assertTrue(type(frame).__module__.startswith(kind))

    @need("matplotlib")
    def test_a_plot_has_the_bounds(self):
        import matplotlib

        matplotlib.use("Agg")
        bars = self.made.plot().patches
        self.assertEqual([bar.get_width() for bar in bars][::-1], [100 * one.share for one in self.made.bounds])
        shown = warpclock.show("synchronization/bar", reports=reports)
        self.assertEqual(len(shown.plot("warps", ["barrier.h100", "barrier.h200"], "rows").lines), 2)

    def test_what_is_not_installed_is_named(self):
        with self.assertRaisesRegex(ImportError, "a plot needs nosuchmodule: python -m pip install nosuchmodule"):
            _results.optional("nosuchmodule.pyplot", "a plot")


@unittest.skipUnless(Path(os.environ.get("WARPCLOCK_FAKE_CUDA", "/nosuch")).is_dir(), "it is not built with CUPTI")
class Capture(unittest.TestCase):
    """In a process of its own, with a driver and CUPTI of no GPU."""

    def run_python(self, code):
        variables = {"LD_LIBRARY_PATH": os.environ["WARPCLOCK_FAKE_CUDA"], "FAKE_CUBIN": str(kernels)}
        start = """
            import ctypes, os, sys, warpclock

            def launch():
                cuda = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libcupti.so.13")
                cuda[0].fake_start()
                for _ in range(3):
                    cuda[0].fake_launch(b"pipeline", ctypes.c_size_t(512), 65, ctypes.c_uint64(2000))
            """
        text = textwrap.dedent(start) + textwrap.dedent(code)
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, TMPDIR=folder, **variables)
            ran = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_keeps_what_this_process_launches_in_the_context(self):
        said = self.run_python("""
            with warpclock.capture(data=64) as c:
                launch()
            launch()
            (launched,) = c.record["launches"]
            print(launched["times"]["runs"], launched["pointers"][0]["data_bytes"], c.record.get("notes"))
            print(c.record["processes"][0]["pid"] == os.getpid(), os.environ.get("CUDA_INJECTION64_PATH"))
            print(list(c.predict().tables["kernels"][0]), "pipeline" in c._repr_html_())
            try:
                with warpclock.capture():
                    pass
            except warpclock.ProgramError as error:
                print(error)
            """)
        lines = said.splitlines()
        self.assertEqual(lines[:2], ["3 64 None", "True None"])
        self.assertRegex(lines[2], r"measured_us.*h200_us.* True$")
        self.assertRegex(lines[3], "^this process uses CUDA already")

    def test_says_what_is_wrong(self):
        said = self.run_python("""
            for out, data in ((sys.executable, None), (None, "much")):
                try:
                    with warpclock.capture(out, data=data):
                        print("entered")
                except warpclock.ProgramError as error:
                    print(error)
            with warpclock.capture() as c:
                try:
                    c.record
                except warpclock.ProgramError as error:
                    print(error)
            """)
        self.assertRegex(said, r"(?s)it has files and is no capture.*--data is a number of bytes.*has no record yet")
        self.assertNotIn("entered", said)


if __name__ == "__main__":
    unittest.main()
