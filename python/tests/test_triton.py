"""Ranking and pruning with stand-ins for Triton's objects: a compiled kernel is one of the committed cubins."""

import os
import types
import unittest
import unittest.mock
import warnings
from pathlib import Path

import warpclock
import warpclock.triton
from warpclock import _program

root = Path(__file__).resolve().parents[2]
mebibyte = warpclock.Buffer("1MiB", dtype="fp16")
cubin = (root / "harness/inspect/testdata/kernels.cubin").read_bytes()


class Config:
    """As triton.Config."""

    def __init__(self, kwargs, num_warps=4):
        self.kwargs, self.num_warps = kwargs, num_warps

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps}

    def __str__(self):
        return str(self.all_kwargs())


class Function:
    """As what @triton.jit makes: pipeline(a, b, steps, DEPTH)."""

    params, arg_names, __name__ = (), ["a", "b", "steps", "DEPTH"], "pipeline"
    fn = None


class Tuner:
    """As triton.runtime.autotuner.Autotuner calls a model."""

    def __init__(self, fn, configs, top_k, perf_model):
        self.fn, self.configs, self.configs_top_k, self.perf_model = fn, configs, top_k, perf_model

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.fn.arg_names, args))
        kept = self.prune_configs(kwargs)
        self.nargs = None
        return kept

    def prune_configs(self, kwargs):
        pruned_configs = self.configs
        timing = {one: self.perf_model(**self.nargs, **kwargs, **one.all_kwargs()) for one in pruned_configs}
        return sorted(timing, key=timing.get)[: self.configs_top_k]


def compiled(function, named, target):
    """More warps of DEPTH 9 need more than an SM has; DEPTH 8 does not compile; DEPTH 7 is a kernel that waits."""
    if named["DEPTH"] == 8:
        raise RuntimeError("depth is wrong\nin line 3")
    shared = 1 << 19 if named["DEPTH"] == 9 else 0
    metadata = types.SimpleNamespace(name="pipeline", num_warps=named["num_warps"], shared=shared)
    signature = {"a": "*fp16", "b": "*fp16", "steps": "i32" if named["DEPTH"] != 7 else "i7", "DEPTH": "constexpr"}
    source = types.SimpleNamespace(signature=signature)
    kernel = types.SimpleNamespace(asm={"cubin": cubin}, metadata=metadata, src=source)
    return kernel, {name: value for name, value in named.items() if name in function.arg_names}


class WithoutTriton(unittest.TestCase):
    def setUp(self):
        patches = (
            unittest.mock.patch.object(warpclock.triton, "_compiled", side_effect=compiled),
            unittest.mock.patch.object(warpclock.triton, "_target_here", return_value="target"),
            unittest.mock.patch.object(warpclock.triton, "output_of", side_effect=_program.output_of),
        )
        self.compiling, _, self.running = (self.enter(one) for one in patches)

    def enter(self, patch):
        self.addCleanup(patch.stop)
        return patch.start()


class Ranking(WithoutTriton):
    args = {"a": mebibyte, "b": warpclock.Buffer(1 << 20, dtype="fp16"), "steps": 64}

    def rank(self, configs, **named):
        return warpclock.triton.rank(Function(), configs, self.args, (132,), **named)

    def test_the_fastest_is_first(self):
        configs = [Config({"DEPTH": 1}, warps) for warps in (32, 1, 8)]
        ranked = self.rank(configs)
        self.assertEqual([one.config.num_warps for one in ranked], [1, 8, 32])
        self.assertEqual(self.running.call_count, 1, "the records are read once")
        for one in ranked:
            launch = (132, 32 * one.config.num_warps, [mebibyte, mebibyte, 64])
            alone = warpclock.predict(cubin, *launch, name="pipeline", hit="dram")
            self.assertLess(abs(one.cycles / alone.cycles - 1), 0.1, "but L2 begins with what others stored")
            self.assertEqual((one.blocks_per_sm, one.runs), (alone.blocks_per_sm, True))
        self.assertRegex(str(ranked[0]), r"'num_warps': 1}: \d+ cycles, limited by one warp alone")

    def test_what_has_no_prediction_is_last_and_says_why(self):
        ranked = self.rank([Config({"DEPTH": depth}) for depth in (8, 9, 7, 1)])
        self.assertEqual(ranked[0].config.kwargs, {"DEPTH": 1})
        found = {one.config.kwargs["DEPTH"]: (one.why, one.runs, one.low) for one in ranked[1:]}
        self.assertEqual(found[8], ("RuntimeError: depth is wrong", False, None))
        self.assertEqual(found[9], ("not one block of this launch fits on an SM", False, None))
        self.assertEqual(found[7][0], "argument steps is of type i7, which no prediction can be given")

    def test_heuristics_and_functions_of_the_grid_get_all_arguments(self):
        kernel = types.SimpleNamespace(fn=Function(), values={"steps": lambda named: named["DEPTH"] * 32})
        ranked = warpclock.triton.rank(
            kernel, [Config({"DEPTH": 2})], {"a": mebibyte, "b": mebibyte}, lambda named: (named["steps"] + 68,)
        )
        self.assertEqual(ranked[0].cycles, self.rank([Config({"DEPTH": 2})])[0].cycles)
        self.assertEqual(self.compiling.call_args_list[0].args[1]["steps"], 64)

    def test_wrong_input_is_an_error_of_our_own(self):
        with self.assertRaisesRegex(warpclock.BadInput, "SimpleNamespace is no kernel"):
            warpclock.triton.rank(types.SimpleNamespace(), [], {}, (1,))
        with self.assertRaisesRegex(warpclock.BadInput, "'64 apples' is no number of bytes"):
            warpclock.triton.rank(
                Function(), [Config({"DEPTH": 1})], {**self.args, "a": warpclock.Buffer("64 apples")}, (1,)
            )
        with self.assertRaisesRegex(warpclock.ProgramError, "no reports of 'b200'"):
            self.rank([Config({"DEPTH": 1})], gpu="b200")
        with self.assertRaisesRegex(warpclock.BadInput, "which calls it; elsewhere use rank"):
            warpclock.triton.perf_model(a=1)


class Pruning(WithoutTriton):
    configs = [Config({"DEPTH": 1}, warps) for warps in (32, 1, 8, 2)]

    def tuned(self, configs, top_k, model=warpclock.triton.perf_model, steps=64):
        tuner = Tuner(Function(), configs, top_k, model)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            kept = tuner.run(mebibyte, mebibyte, steps, grid=(132,), warmup=False)
        return tuner, kept, [str(one.message) for one in said]

    def test_keeps_the_fastest_and_predicts_once_a_call(self):
        tuner, kept, said = self.tuned(self.configs, 2)
        self.assertEqual([one.num_warps for one in kept], [1, 2])
        self.assertEqual((said, self.running.call_count), ([], 1))
        tuner.run(mebibyte, mebibyte, 6400, grid=(132,), warmup=False)
        self.assertEqual(self.running.call_count, 2, "another call has other arguments")
        self.assertIsNone(tuner._warpclock_kept, "arguments are not kept alive")

    def test_takes_the_gpu_that_is_named(self):
        def gpu():
            arguments = self.running.call_args.args
            return arguments[arguments.index("--gpu") + 1]

        self.tuned(self.configs, 2, warpclock.triton.model_for("h100"))
        self.assertEqual(gpu(), "h100")
        with unittest.mock.patch.dict(os.environ, WARPCLOCK_GPU="nvidia-h200"):
            self.tuned(self.configs, 2)
        self.assertEqual(gpu(), "nvidia-h200")
        cuda = types.SimpleNamespace(is_available=lambda: True, get_device_name=lambda: "NVIDIA H100 80GB HBM3")
        with unittest.mock.patch.dict("sys.modules", torch=types.SimpleNamespace(cuda=cuda)):
            self.tuned(self.configs, 2)
        self.assertEqual(gpu(), "nvidia-h100-80gb-hbm3")

    def test_what_has_no_prediction_is_measured_and_named(self):
        more = [Config({"DEPTH": 7}), Config({"DEPTH": 8}), Config({"DEPTH": 9})]
        _, kept, said = self.tuned(self.configs + more, 2)
        self.assertEqual(
            [one.all_kwargs() for one in kept], [{"DEPTH": 7, "num_warps": 4}, {"DEPTH": 1, "num_warps": 1}]
        )
        (text,) = said
        self.assertIn("7 configurations: 1 without a prediction are measured before others; 2 cannot run\n", text)
        self.assertIn("'DEPTH': 8, 'num_warps': 4}: RuntimeError: depth is wrong", text)

    def test_says_what_top_k_has_no_place_for(self):
        _, kept, said = self.tuned([Config({"DEPTH": 7}, warps) for warps in (1, 2, 4)], 2)
        self.assertEqual(len(kept), 2)
        self.assertIn("top_k has 2 places, so 1 of them and all others are NOT measured", said[0])


class Types(unittest.TestCase):
    def test_of_arrays_and_buffers_are_those_of_triton(self):
        array = types.SimpleNamespace(nbytes=8, dtype="bfloat16")
        for value, dtype in ((array, "bf16"), (warpclock.Buffer(8, dtype="i32"), "i32")):
            self.assertEqual(warpclock.triton._typed("x", value).dtype, dtype)
        tensor = types.SimpleNamespace(nbytes=8, data_ptr=id)
        self.assertIs(warpclock.triton._typed("x", tensor), tensor)
        self.assertEqual(warpclock.triton._typed("x", 4), 4)
        for value in ("8", warpclock.Buffer(8), types.SimpleNamespace(nbytes=8, dtype="complex64")):
            with self.assertRaisesRegex(warpclock.BadInput, "argument x: .*dtype='fp16'"):
                warpclock.triton._typed("x", value)

    def test_arguments_that_only_the_machine_code_has_are_zeros(self):
        kernel = compiled(Function(), {"DEPTH": 1, "num_warps": 4}, None)[0]
        kernel.asm["ptx"] = ".entry pipeline(\n.param .u64 pipeline_param_3,\n.param .u64 pipeline_param_4\n)"
        kernel.asm["ptx"] += "ld.param [pipeline_param_0]; [pipeline_param_1]; [pipeline_param_2]; [pipeline_param_3]"
        stanza = warpclock.triton._stanza(
            kernel, {"a": warpclock.Buffer("8"), "b": warpclock.Buffer("1KiB"), "steps": 3}, (2, 3)
        )
        self.assertEqual(stanza["grid"], {"x": 2, "y": 3})
        buffers = [{"buffer": "u8", "count": [8]}, {"buffer": "u8", "count": [1024]}]
        self.assertEqual(stanza["args"], [*buffers, {"i32": 3}, {"u64": 0}, {"u64": 0}])


if __name__ == "__main__":
    unittest.main()
