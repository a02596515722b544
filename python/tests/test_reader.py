"""The reader on the committed records. Run by ctest, with WARPCLOCK_PROGRAM and PYTHONPATH set."""

import dataclasses
import doctest
import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import warpclock
from warpclock import _program, _reader

reports = Path(__file__).resolve().parents[2] / "reports"
ldmatrix = "ldmatrix.sync.aligned.m8n8.x4.shared.b16"


@functools.cache
def h200():
    return warpclock.load("h200", reports)


def schema(record):
    return json.loads(_program.output_of("schema", record))["properties"]


class Load(unittest.TestCase):
    def test_lists_the_measured_gpus(self):
        self.assertIn("nvidia-h200", warpclock.gpus(reports))

    def test_takes_a_part_of_the_name(self):
        gpu = h200()
        self.assertEqual((gpu.name, gpu.arch, gpu.folder), ("NVIDIA H200", "sm_90a", reports / "nvidia-h200"))
        self.assertIn("pipes", gpu.model)

    def test_says_which_gpus_there_are(self):
        with self.assertRaisesRegex(warpclock.ProgramError, "one of nvidia-h100-80gb-hbm3, nvidia-h200"):
            warpclock.load("b200", reports)

    def test_needs_a_folder_with_records(self):
        with tempfile.TemporaryDirectory() as empty:
            for what in (warpclock.gpus, lambda folder: warpclock.load("h200", folder)):
                with self.assertRaisesRegex(warpclock.NotFound, "has no records"):
                    what(empty)


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gpu = h200()

    def recorded(self, ptx, name):
        """The value that the record has, read without the reader."""
        row = next(row for row in self.gpu.rows() if row["ptx"].split()[0] == ptx and row["outcome"] == "measured")
        return next(one["value"] for one in row["estimates"] if one["name"] == name)

    def test_latency_is_that_of_the_row(self):
        self.assertEqual(self.gpu.latency(ldmatrix), self.recorded(ldmatrix, "latency.a"))
        self.assertEqual(self.gpu.latency(ldmatrix), self.gpu.latency(ldmatrix, "a"))
        self.assertEqual(self.gpu.latency("fma.rn.f32"), 4, "and not its throughput")

    def test_latency_is_that_of_the_slowest_operand(self):
        found = self.gpu.estimates("atom.global.cas.b32")
        latencies = {name: one.value for name, one in found.items() if name.startswith("latency.")}
        self.assertGreater(len(set(latencies.values())), 1, "operands that differ show more")
        self.assertEqual(self.gpu.latency("atom.global.cas.b32"), max(latencies.values()))

    def test_throughput_is_that_of_the_row(self):
        self.assertEqual(self.gpu.throughput("fma.rn.f32"), self.recorded("fma.rn.f32", "throughput"))

    def test_what_has_no_row_is_not_measured(self):
        with self.assertRaisesRegex(warpclock.NotMeasured, "unknown opcode 'nosuch'"):
            self.gpu.latency("nosuch.b32")
        with self.assertRaisesRegex(warpclock.NotMeasured, "there is no latency.q of"):
            self.gpu.latency(ldmatrix, "q")

    def test_a_name_of_several_rows_is_an_error_that_lists_them(self):
        for name, usual in (("ld.global", "ld.global.b32 {d}, [{a}]"), ("cp.async", "cp.async.cg.shared.global [{d}]")):
            for ask in (self.gpu.latency, self.gpu.throughput, self.gpu.estimates):
                with self.assertRaisesRegex(warpclock.Ambiguous, r"names \d+ instructions, give one: ") as raised:
                    ask(name)
                self.assertIn(f"give one: '{usual}", str(raised.exception), "the usual one first")
        self.assertIn("'ld.global.u8 {d}, [{a}]'", str(self.failure("ld.global")))

    def failure(self, name):
        with self.assertRaises(warpclock.Ambiguous) as raised:
            self.gpu.latency(name)
        return raised.exception

    def test_another_spelling_has_the_same_row(self):
        self.assertEqual(self.gpu.latency("ld.shared.f32 %f1, [%r1];"), self.recorded("ld.shared.b32", "latency.a"))

    def test_takes_one_line_and_no_option(self):
        for wrong in ("", "fma.rn.f32\nadd.s32"):
            with self.assertRaises(ValueError):
                self.gpu.latency(wrong)
        with self.assertRaises(warpclock.NotMeasured):
            self.gpu.latency("--help")


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gpu = h200()

    def test_every_record_has_rows(self):
        self.assertIn("memory/result", self.gpu.records)
        for record in self.gpu.records:
            rows = self.gpu.rows(record)
            if record == "semantics":
                continue  # what `warpclock prove` found
            self.assertTrue(all({"id", "kind", "outcome"} <= set(row) for row in rows), record)
            # What was measured has its numbers in the same place, whatever it is; curves of fetched code are cells.
            bare = {row["kind"] for row in rows if row["outcome"] == "measured" and not row.get("estimates")}
            self.assertLessEqual(bare, {"fetch"}, record)

    def test_another_record_is_not_there(self):
        for name in ("nosuch", "../nvidia-h200/result"):
            with self.assertRaisesRegex(warpclock.NotFound, "say one of .*instructions, "):
                self.gpu.rows(name)

    def test_answers_are_those_that_show_prints(self):
        every = self.gpu.answers("memory/result")
        for probe in ("memory/chase_paths", "bandwidth/read"):
            options = ["--suite", "memory", "--gpu", "h200", "--reports", str(reports), "--json"]
            shown = json.loads(_program.output_of("show", probe, *options))["answer"]
            own = [(one["name"], one["text"]) for one in every if one["probe"] == probe]
            self.assertEqual([(one["of"], one["h200"].split(" (")[0]) for one in shown], own)
        self.assertEqual(self.gpu.answers("instructions"), [])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_a_frame_has_a_line_for_each_estimate(self):
        frame = self.gpu.frame("memory/result")
        rows = self.gpu.rows("memory/result")
        self.assertEqual(len(frame), sum(len(row.get("estimates") or [0]) for row in rows))
        line = frame[(frame["id"] == rows[0]["id"])].iloc[0]
        self.assertEqual(line["value"], rows[0]["estimates"][0]["value"])
        self.assertEqual(line["clock.sm_mhz"], rows[0]["clock"]["sm_mhz"])
        causes = sum("varies" in estimate for row in rows for estimate in row.get("estimates", []))
        self.assertGreater(causes, 0)
        self.assertEqual(frame["varies.why"].notna().sum(), causes)


class Examples(unittest.TestCase):
    """What the docstring shows, on the committed records."""

    def setUp(self):
        patch = unittest.mock.patch.object(_reader, "installed_reports", reports)
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_docstring(self):
        self.assertEqual(doctest.testmod(warpclock), (0, 4))


class Schema(unittest.TestCase):
    def test_an_estimate_has_the_fields_of_the_schema(self):
        estimate = schema("record")[_reader.ROWS]["items"]["properties"][_reader.ESTIMATES]["items"]
        fields = dataclasses.fields(warpclock.Estimate)
        required = {field.name for field in fields if field.default is dataclasses.MISSING}
        self.assertEqual({field.name for field in fields}, set(estimate["properties"]))
        self.assertEqual(required, set(estimate["required"]))

    def test_the_model_has_what_load_reads(self):
        self.assertLessEqual({"gpu", "arch", "folder"}, set(schema("model")))


class Command(unittest.TestCase):
    def run_module(self, *arguments, **variables):
        return subprocess.run(
            [sys.executable, "-m", "warpclock", *arguments],
            env=dict(os.environ, **variables),
            capture_output=True,
            text=True,
        )

    def test_becomes_the_program(self):
        ran = self.run_module("cycles", ldmatrix, "--gpu", "h200", "--reports", str(reports))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.startswith(f"{ldmatrix}: 29.0 cycles (H200, measured "), ran.stdout)
        self.assertEqual(self.run_module("nosuch").returncode, 2)

    def test_says_that_there_is_no_program(self):
        ran = self.run_module("--version", WARPCLOCK_PROGRAM="/nowhere/warpclock")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr.count("\n"), 1)
        self.assertIn("there is no program /nowhere/warpclock", ran.stderr)

    def test_names_the_wheels_of_another_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "nvidia" / "cu13").mkdir(parents=True)
            code = "from warpclock._program import environment; print(environment()['CUDAToolkit_ROOT'])"
            path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
            variables = {key: value for key, value in os.environ.items() if key != "CUDAToolkit_ROOT"}
            for more, expected in (({}, f"{folder}/nvidia/cu13"), ({"CUDAToolkit_ROOT": "/mine"}, "/mine")):
                ran = subprocess.run(
                    [sys.executable, "-c", code],
                    env={**variables, "PYTHONPATH": path, **more},
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(ran.stdout.strip(), expected, ran.stderr)


if __name__ == "__main__":
    unittest.main()
