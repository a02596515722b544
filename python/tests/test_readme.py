"""What the README and the docs print, their one-liners, their links and their lines. Run by ctest."""

import concurrent.futures
import doctest
import fnmatch
import gzip
import importlib.util
import json
import operator
import os
import re
import shutil
import subprocess
import unittest
import unittest.mock
import urllib.parse
from pathlib import Path

import warpclock
from warpclock import _program, _reader

root = Path(__file__).resolve().parents[2]
reports = root / "reports"
texts = {
    str(path.relative_to(root)): path.read_text(encoding="utf-8")
    for path in [root / "README.md", *sorted(root.glob("docs/*.md"))]
}
folders = ("nvidia-h100-80gb-hbm3", "nvidia-h200")  # of the columns of the README's table
need_pandas = unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")


def output_of(command, folder):
    """What a shell prints; `warpclock` is the program that was built."""
    path = f"{_program.program().parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, shell=True, cwd=folder, env=dict(os.environ, PATH=path), capture_output=True, text=True, check=True
    ).stdout


def expected_lines(rows):
    """A line for each row, as jq's @tsv writes it: its id and the value of its first estimate."""
    return [[row["id"], (row.get("estimates") or [{}])[0].get("value")] for row in rows]


def split_lines(text):
    return [[cell, float(value) if value else None] for cell, value in (line.split("\t") for line in text.splitlines())]


class Outputs(unittest.TestCase):
    def test_are_those_of_the_program(self):
        """A line with an ellipsis leaves lines out. Dates and commits are those of the records."""
        changing = re.compile(r"\d{4}-\d\d-\d\d|(?<=commit )[0-9a-f]{8}")
        shown = [block for text in texts.values() for block in re.findall(r"```\n\$ (warpclock .*?)```", text, re.S)]
        self.assertGreater(len(shown), 2)
        split = [re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", block, re.S).groups() for block in shown]
        commands = {command for command, _ in split}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outputs = dict(zip(commands, pool.map(lambda command: output_of(command, root), commands)))
        for command, said in split:
            pattern = ".*\n".join(re.escape(changing.sub("", part)) for part in said.split("…\n"))
            printed = changing.sub("", outputs[command])
            self.assertTrue(re.fullmatch(pattern + r"\s*", printed, re.S), f"{command} prints\n{printed}")


class Cookbook(unittest.TestCase):
    def test_has_thirty_questions_each_with_one_command(self):
        """Outputs runs the commands."""
        sections = re.split(r"^### ", texts["docs/cookbook.md"], flags=re.M)[1:]
        self.assertEqual([section.split(".")[0] for section in sections], [str(n) for n in range(1, 31)])
        for section in sections:
            self.assertEqual(len(re.findall(r"^\$ warpclock ", section, re.M)), 1, section)
            self.assertGreater(len(re.findall(r"^(?!…|```).+", section, re.M)), 2, section)


def without_code(text):
    return re.sub(r"^( *)```.*?^ *```", "", text, flags=re.M | re.S)


def anchors_of(text):
    """As on a page of GitHub."""
    heads = re.findall(r"^#+ (.*)", without_code(text), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", head).lower()).replace(" ", "-") for head in heads}


class Markdown(unittest.TestCase):
    places = ("*.md", "docs/*.md", "probes/*.md", "harness/*/*.md", "reports/*.md", "reports/*/*.md")
    files = [str(path.relative_to(root)) for place in places for path in sorted(root.glob(place))]

    def test_has_lines_of_120_columns(self):
        """But for rows of tables, and for what a program prints."""
        for name in self.files:
            for line in without_code((root / name).read_text(encoding="utf-8")).splitlines():
                self.assertTrue(len(line) <= 120 or line.startswith("|"), f"{name}: {line}")

    def test_of_the_readme_has_at_most_110_lines(self):
        self.assertLessEqual(len(texts["README.md"].splitlines()), 110)

    def test_links_to_files_and_anchors_that_exist(self):
        for name in self.files:
            text = without_code((root / name).read_text(encoding="utf-8"))
            for target in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (root / name).parent / urllib.parse.unquote(path) if path else root / name
                self.assertTrue(file.exists(), f"{name} links to {target}")
                if anchor and file.suffix == ".md":
                    self.assertIn(anchor, anchors_of(file.read_text(encoding="utf-8")), f"{name} links to {target}")


class Promises(unittest.TestCase):
    def test_have_their_parts_and_tests(self):
        rows = re.findall(r"^\| .+ \| (`[a-z`, ]+`) \| (.+) \|$", texts["docs/promises.md"], re.M)
        parts = re.search(r"^parts = (.*?)}", (root / ".ci/chaos/__main__.py").read_text(), re.M | re.S).group(1)
        named = {part for cell, _ in rows for part in re.findall(r"`(\w+)`", cell)}
        self.assertEqual(named, set(re.findall(r'"(\w+)":', parts)))
        sources = "".join(path.read_text() for path in root.glob("harness/**/*_test.cpp"))
        known = [".".join(one) for one in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", sources, re.M)]
        for pattern in re.findall(r"`(\w+\.[\w*]+)`", " ".join(tests for _, tests in rows)):
            self.assertTrue(fnmatch.filter(known, pattern), pattern)


class Version(unittest.TestCase):
    def test_is_one_in_program_changelog_and_citation(self):
        (version,) = re.findall(r"^project\(warpclock VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)
        self.assertEqual(re.findall(r"^## (\S+)", (root / "CHANGELOG.md").read_text(), re.M)[0], version)
        self.assertEqual(re.findall(r"^version: (\S+)", (root / "CITATION.cff").read_text(), re.M), [version])
        self.assertIn(f"warpclock {version} ", output_of("warpclock --version", root))


class Values(unittest.TestCase):
    """Numbers of summaries that the README and the docs have. Readme of cli_test holds the others to the records."""

    def line(self, start):
        found = [line for line in texts["README.md"].splitlines() if line.startswith(start)]
        self.assertEqual(len(found), 1, start)
        return [cell.strip() for cell in found[0].split("|")[2:4]]

    def test_of_the_machine_instructions_are_those_of_the_summary(self):
        ((covered, forms),) = re.findall(r"covers ([\d,]+) of ([\d,]+) forms", texts["docs/instructions.md"])
        for folder in folders:
            summary = (reports / folder / "README.md").read_text(encoding="utf-8")
            measured, all_of_them = (int(each.replace(",", "")) for each in (covered, forms))
            ((*counts,),) = re.findall(r"\(machine\.html\) \|.*?\| (\d+) \| (\d+) \|", summary)
            self.assertEqual([int(each) for each in counts], [measured, all_of_them - measured], folder)

    def test_of_predictions_are_those_of_the_summary(self):
        for folder, cell in zip(folders, self.line("| `warpclock predict`")):
            summary = (reports / folder / "README.md").read_text(encoding="utf-8")
            ((number, errors),) = re.findall(
                r"^\| \[predictions\]\(cases\.html\) \| (\d+) kernels, median error (.*?), worst", summary, re.M
            )
            self.assertEqual(cell, errors.replace("95 % within ", ""), folder)
            self.assertRegex(texts["README.md"], rf"error for .*\b{number} kernels")
            ((worst, right),) = re.findall(
                rf"{number} kernels, .*? worst (.*?) \(.*; the limiter is right in (\d+)", summary
            )
            gpu = folder.split("-")[1].upper()
            row = f"| {gpu} | all | {number} | {errors.replace(', 95 % within', ' |')} | {worst} | {right} |"
            self.assertIn(row, texts["docs/predict.md"])


@unittest.skipUnless(shutil.which("jq"), "jq is not installed")
class Jq(unittest.TestCase):
    def lines_of(self, name, folder, record):
        command, *_ = re.findall(r"zcat \S+ \| jq -r '[^']*'", texts[name])
        return split_lines(output_of(command.replace("machine.json", f"{record}.json"), folder))

    def test_read_all_records(self):
        for record in ("machine", "result", "instructions", "cases"):
            rows = warpclock.load("h200", reports).rows(record)
            self.assertEqual(self.lines_of("README.md", root, record), expected_lines(rows))
            measured = [row for row in rows if row["outcome"] == "measured"]
            found = self.lines_of("docs/pages.md", reports / "nvidia-h200", record)
            self.assertEqual(found, expected_lines(measured))

    def test_read_answers_and_causes(self):
        gpu = warpclock.load("h200", reports)
        _, answers, causes = re.findall(r"zcat \S+ \| jq -r '[^']*'", texts["docs/pages.md"])
        found = [line.split("\t")[:3] for line in output_of(answers, gpu.folder).splitlines()]
        self.assertEqual(found, [[one["probe"], one["name"], one["text"]] for one in gpu.answers()])
        found = [line.split("\t") for line in output_of(causes, gpu.folder).splitlines()]
        every = [(row["id"], one) for row in gpu.rows("result") for one in row.get("estimates", [])]
        self.assertEqual(found, [[row, one["name"], one["varies"]["why"]] for row, one in every if "varies" in one])
        self.assertGreater(len(found), 10)


@need_pandas
class Pandas(unittest.TestCase):
    def test_of_the_readme(self):
        (code,) = re.findall("```python\n(.*?)```", texts["README.md"], re.S)
        *lines, last = code.strip().splitlines()
        names = {}
        with unittest.mock.patch.object(_reader, "installed_reports", reports):
            exec("\n".join(lines), names)
            self.assertEqual(eval(lines[2], names), 29.0)
            self.assertGreater(eval(last, names)["fp32"], 0)

    def test_of_the_docs(self):
        import pandas

        expression, answers = re.findall(r"`(pandas\.[^`]*)`", texts["docs/pages.md"])
        with unittest.mock.patch.object(_reader, "installed_reports", reports):
            table = eval(answers, {"pandas": pandas, "warpclock": warpclock})
        self.assertGreater(len(table[table.probe == "bandwidth/read"].value.dropna()), 0)
        for record in ("machine", "result", "instructions", "cases"):
            file = str(reports / "nvidia-h200" / f"{record}.json.gz")
            table = eval(expression.replace("machine.json.gz", file), {"pandas": pandas, "json": json, "gzip": gzip})
            rows = warpclock.load("h200", reports).rows(record)
            self.assertEqual(list(table.id), [row["id"] for row in rows])
            self.assertEqual((table.outcome == "measured").sum(), sum(row["outcome"] == "measured" for row in rows))


class PythonPage(unittest.TestCase):
    blocks = re.findall("```python\n(.*?)```", texts["docs/python.md"], re.S)

    def test_examples_print_what_it_says(self):
        """All in one session, from the root of the repository."""
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(root)
        session = "\n".join(block for block in self.blocks if block.startswith(">>>"))
        runner = doctest.DocTestRunner()
        runner.run(doctest.DocTestParser().get_doctest(session, {}, "docs/python.md", None, 0))
        self.assertEqual(runner.failures, 0)
        self.assertGreater(runner.tries, 10)

    def test_names_of_other_examples_are_there(self):
        words = set(re.findall(r"warpclock\.((?:triton\.)?[a-zA-Z_]+)", "".join(self.blocks)))
        self.assertIn("triton.rank", words)
        importlib.import_module("warpclock.triton")
        for word in words - {"_program"}:
            self.assertTrue(operator.attrgetter(word)(warpclock), word)


if __name__ == "__main__":
    unittest.main()
