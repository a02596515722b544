"""What .ci/house takes for a number that may be a fact about a GPU."""

import importlib.machinery
import importlib.util
import unittest
from pathlib import Path
from unittest import mock

script = Path(__file__).resolve().parents[2] / ".ci" / "house"
loader = importlib.machinery.SourceFileLoader("house", str(script))
house = importlib.util.module_from_spec(importlib.util.spec_from_loader("house", loader))
loader.exec_module(house)


def facts_in(source: str, name: str = "harness/predict/some.cpp") -> list[str]:
    with mock.patch.object(house, "text", lambda _: source):
        return house.facts([name])


class Facts(unittest.TestCase):
    def test_a_number_in_the_simulator_is_one(self):
        self.assertEqual(facts_in("constexpr double wait = 23.5;\n"),
                         ["harness/predict/some.cpp:1: constexpr double wait = 23.5;"])
        self.assertEqual(len(facts_in("use(7);\n\nuse(9);\n", "harness/verify/waits.cpp")), 2)

    def test_counts_limits_texts_and_comments_are_none(self):
        self.assertEqual(facts_in('use(2, 1.0);  // 23 cycles\nsay("23 cycles");\n'), [])
        self.assertEqual(facts_in("constexpr std::size_t most_waits = 77;\n"), [])

    def test_other_folders_may_have_numbers(self):
        self.assertEqual(facts_in("constexpr double wait = 23.5;\n", "harness/cli/list.cpp"), [])


if __name__ == "__main__":
    unittest.main()
