"""The MCP server as an agent meets it: the SDK's own client, over standard input and output."""

import asyncio
import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

import warpclock
import warpclock.mcp

root = Path(__file__).resolve().parents[2]
data = root / "harness/inspect/testdata"
kernels = str(data / "kernels.cubin")


@unittest.skipUnless(importlib.util.find_spec("mcp"), "mcp is not installed")
class Server(unittest.TestCase):
    def serve(self, use):
        """Runs use(client) with a server of its own."""
        from mcp import Client
        from mcp.client.stdio import StdioServerParameters

        async def within():
            async with Client(command) as client:
                await use(client)

        command = StdioServerParameters(
            command=sys.executable, args=["-m", "warpclock.mcp"], env=dict(os.environ), cwd=root
        )
        asyncio.run(within())

    async def call(self, client, tool, **arguments):
        answer = await client.call_tool(tool, arguments)
        self.assertFalse(answer.is_error, answer.content)
        return answer.structured_content

    def test_tools_say_what_they_take(self):
        self.serve(self.use_tools)

    def test_answers_are_those_of_the_functions(self):
        self.serve(self.use_answers)

    def test_errors_are_the_messages_of_the_program(self):
        self.serve(self.use_errors)

    async def use_tools(self, client):
        tools = {one.name: one for one in (await client.list_tools()).tools}
        self.assertEqual(list(tools), ["ask", "cycles", "inspect", "predict", "gate"])
        for one in tools.values():
            self.assertTrue(one.description)
        self.assertEqual(tools["predict"].input_schema["required"], ["file", "grid", "block", "args"])

    async def use_answers(self, client):
        self.assertEqual((await self.call(client, "ask", words="4-way bank conflict"))["answer"][0]["number.h200"], 4)
        found = await self.call(client, "cycles", instruction="ldmatrix.x4")
        self.assertEqual(found["estimates"][0]["value"], warpclock.cycles("ldmatrix.x4").latency)
        (pipeline,) = (await self.call(client, "inspect", file=kernels, kernel="pipeline"))["result"]
        self.assertEqual(pipeline["registers"], 22)
        launch = {"grid": [132], "block": [128], "args": ["64MiB", "64MiB", 64]}
        predicted = await self.call(client, "predict", file=kernels, kernel="pipeline", **launch)
        expected = warpclock.predict(kernels, *launch.values(), name="pipeline")
        self.assertEqual((predicted["low"], predicted["high"]), (expected.low, expected.high))
        launch["args"][2] = None
        predicted = await self.call(client, "predict", file=kernels, kernel="pipeline", trips={0: 63}, **launch)
        self.assertEqual(predicted["loops"][0]["trips"], 63)
        builds = {"before": str(data / "jit_ptxas.cubin"), "after": str(data / "jit_driver.cubin")}
        compared = await self.call(client, "gate", **builds, launches=str(root / "harness/gate/testdata/launches.yaml"))
        self.assertEqual(compared["kernels"][0]["verdict"], "slower")

    async def use_errors(self, client):
        wrong = (
            ("cycles", {"instruction": "nosuch.b32"}, "unknown opcode 'nosuch'"),
            ("ask", {"words": "zzz qqq"}, "no answer"),
            ("predict", {"file": "/nosuch", "grid": [1], "block": [1], "args": []}, "/nosuch: cannot open"),
            ("predict", {"file": kernels, "grid": [], "block": [1], "args": []}, "grid is a number"),
        )
        for tool, arguments, message in wrong:
            answer = await client.call_tool(tool, arguments)
            self.assertTrue(answer.is_error)
            self.assertIn(message, answer.content[0].text)
            self.assertNotIn("Traceback", answer.content[0].text)


class WithoutTheSdk(unittest.TestCase):
    def test_says_what_to_install(self):
        code = "import sys; sys.modules['mcp'] = None; import warpclock.mcp; warpclock.mcp.main()"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr, "warpclock: the MCP server needs mcp: python -m pip install mcp\n")


if __name__ == "__main__":
    unittest.main()
