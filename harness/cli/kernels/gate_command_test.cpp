#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml.hpp"
#include "inspect/testing/recorded.hpp"
#include "record/testing/xml_check.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

/// A loop of loads from DRAM, and a kernel that is the same in both builds.
std::string source_of(int loads) {
  std::string sum;
  for (int i = 0; i < loads; ++i) sum += fmt::format(" + in[((blockIdx.x * 16 + i) * 2 + {}) * 128 + threadIdx.x]", i);
  return R"(extern "C" __global__ void total(const float* in, float* out) {
  float v = 0;
#pragma unroll 1
  for (int i = 0; i < 16; ++i) v = v)" +
         sum + R"(;
  out[blockIdx.x * 128 + threadIdx.x] = v;
}
extern "C" __global__ void scale(float* to, float by) { to[blockIdx.x * 128 + threadIdx.x] *= by; }
)";
}

constexpr const char* launches = R"(kernels:
  - name: total
    source: kernels.cu
    kernel: total
    grid: 4096
    block: 128
    l2: cold
    args: [{buffer: f32, count: [4096, 16, 2, 128]}, {buffer: f32, count: [4096, 128]}]
  - name: scale
    source: kernels.cu
    kernel: scale
    grid: 1024
    block: 128
    args: [{buffer: f32, count: [1024, 128]}, {f32: 2.5}]
)";

const std::string jit_ptxas = testing::inspect_data + "jit_ptxas.cubin";
const std::string jit_driver = testing::inspect_data + "jit_driver.cubin";
const std::string jit_launches = WARPCLOCK_SOURCE_DIR "/harness/gate/testdata/launches.yaml";

class GateCommandTest : public ::testing::Test {
 protected:
  GateCommandTest() {
    for (const auto& [name, loads] : std::map<std::string, int>{{"before", 1}, {"after", 2}}) {
      fs::create_directory(folder_ / name);
      testing::write(folder_ / name + "/kernels.cu", source_of(loads));
    }
    testing::write(folder_ / "launches.yaml", launches);
  }

  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {WARPCLOCK_PROGRAM, "gate"});
    arguments.insert(arguments.end(), {"--reports", WARPCLOCK_SOURCE_DIR "/reports", "--cache", folder_ / "cache"});
    return arguments;
  }
  [[nodiscard]] ProcessResult gate(const std::vector<std::string>& arguments) const {
    return run_process(command(arguments)).value();
  }
  [[nodiscard]] ProcessResult folders(std::vector<std::string> more) const {
    more.insert(more.begin(), {folder_ / "before", folder_ / "after", "--launches", folder_ / "launches.yaml"});
    return gate(more);
  }
  /// Runs a shell with the program on PATH, in a folder.
  [[nodiscard]] ProcessResult shell(const std::string& script, const std::string& in,
                                    const std::map<std::string, std::string>& environment = {}) const {
    std::vector<std::string> argv = {
        "env", fmt::format("PATH={}:{}", fs::path(WARPCLOCK_PROGRAM).parent_path().string(), std::getenv("PATH")),
        "WARPCLOCK_CACHE=" + (folder_ / "cache")};
    for (const auto& [name, value] : environment) argv.push_back(name + "=" + value);
    argv.insert(argv.end(), {"bash", "-e", "-c", "cd \"$0\"\n" + script, in});
    return run_process(argv).value();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(GateCommandTest, FindsTwiceTheLoads) {
  const auto text = folders({});
  EXPECT_EQ(text.exit_code, 1) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n1 slower, 1 same\n"));
  const auto json = json_of(folders({"--json"}).out);
  ASSERT_EQ(json["kernels"].size(), 2U);
  const auto& total = json["kernels"][0];
  EXPECT_EQ(total["verdict"], "slower");
  EXPECT_GT(total["change_low"], 0.2);
  EXPECT_LT(total["change_high"], 1.1) << "it takes twice the bytes, and waits for two loads at once";
  EXPECT_THAT(std::string(total["changed"]), HasSubstr(" executed "));
  EXPECT_EQ(total["file"], folder_ / "after" + "/kernels.cu");
  EXPECT_EQ(total["line"], 1);
  EXPECT_EQ(json["kernels"][1]["verdict"], "same");
  // The other way round it is faster.
  const auto back = gate({folder_ / "after", folder_ / "before", "--launches", folder_ / "launches.yaml"});
  EXPECT_EQ(back.exit_code, 0) << back.out;
  EXPECT_THAT(back.out, HasSubstr("\n1 faster, 1 same\n"));
}

TEST_F(GateCommandTest, PassesWhatTheLimitAllows) {
  EXPECT_EQ(folders({"--max", "200%"}).exit_code, 0);
  EXPECT_EQ(folders({"--max", "200"}).exit_code, 0);
  EXPECT_EQ(folders({"scale"}).exit_code, 0) << "only this case";
  for (const char* wrong : {"much", "-1", "3%%", "nan", ""})
    EXPECT_THAT(folders({"--max=" + std::string(wrong)}).err, HasSubstr("--max")) << wrong;
  const auto equal = gate({jit_ptxas, jit_ptxas, "--launches", jit_launches});
  EXPECT_EQ(equal.exit_code, 0) << equal.out << equal.err;
  EXPECT_THAT(equal.out, HasSubstr("\n3 same\n"));
}

TEST_F(GateCommandTest, TakesTheHeadersOfEachBuild) {
  for (const char* build : {"/before", "/after"}) {
    fs::create_directory(folder_.path() + build + "/include");
    testing::write(folder_.path() + build + "/include/trips.h",
                   std::string("#define TRIPS ") + (build[1] == 'a' ? "40" : "20") + "\n");
    testing::write(folder_.path() + build + "/kernels.cu",
                   replace_all("#include \"trips.h\"\n" + source_of(1), "i < 16", "i < TRIPS"));
  }
  const auto text = folders({"--include", "include"});
  EXPECT_EQ(text.exit_code, 1) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n1 slower, 1 same\n"));
}

TEST_F(GateCommandTest, NeverPassesInSilenceWhatIsInOneBuildOnly) {
  testing::write(folder_ / "one.yaml", R"(kernels:
  - {name: earlier, kernel: earlier, grid: 1, block: 32, args: [{buffer: u32, count: 32}]}
  - {name: later, kernel: later, grid: 1, block: 32, args: [{buffer: u32, count: 32}]}
)");
  const std::vector<std::string> what = {jit_ptxas, jit_driver, "--launches", folder_ / "one.yaml"};
  const auto refused = gate(what);
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("\n2 without a number\n"));
  EXPECT_THAT(refused.out, HasSubstr("after: " + jit_driver + ": there is no kernel 'earlier' (one of "));
  EXPECT_THAT(refused.out, HasSubstr("before: " + jit_ptxas + ": there is no kernel 'later' (one of "));
  EXPECT_THAT(refused.out, HasSubstr("no launch covers 3 of the kernels that differ: control, operands, spills"));
  auto allowed = what;
  allowed.emplace_back("--allow-unknown");
  const auto named = gate(allowed);
  EXPECT_EQ(named.exit_code, 0);
  EXPECT_EQ(named.out, refused.out);
}

TEST_F(GateCommandTest, SaysWhereTheLaunchesAreWrong) {
  const auto message = [&](const std::string& text) {
    testing::write(folder_ / "launches.yaml", text);
    const auto result = folders({});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_EQ(result.out, "") << text;
    return result.err;
  };
  const std::string at = folder_ / "launches.yaml";
  EXPECT_THAT(message("kernels:\n  - name: a\n    kernel: a\n    gird: 1\n    block: 32\n"),
              StartsWith("warpclock: " + at + ":4:5: "));
  EXPECT_THAT(message("kernels:\n  - name: a\n    kernel: a\n    grid: 1\n    block: 4096\n"),
              StartsWith("warpclock: " + at + ":5:12: "));
  EXPECT_THAT(message("kernels: [\n"), StartsWith("warpclock: " + at + ":"));
  EXPECT_THAT(message("kernels: []\n"), StartsWith("warpclock: " + at + ":1:10: "));
  EXPECT_THAT(folders({"--out", folder_ / "x.txt"}).err, HasSubstr("ends in .md (Markdown), .sarif (SARIF) or .xml"));
  EXPECT_THAT(gate({jit_ptxas, jit_driver}).err, HasSubstr("say by --launches FILE how the kernels are launched"));
  EXPECT_THAT(gate({folder_ / "no", jit_driver, "--launches", jit_launches}).err, HasSubstr("no such file or folder"));
  EXPECT_THAT(gate({jit_ptxas, jit_driver, "nothing", "--launches", jit_launches}).err,
              HasSubstr("no case matches 'nothing'"));
}

TEST_F(GateCommandTest, WritesReportsThatOthersRead) {
  const auto result = gate({"--out", folder_ / "gate.md", jit_ptxas, jit_driver, "--launches", jit_launches, "--gpu",
                            "h200,h100", "--out", folder_ / "gate.sarif", "--out", folder_ / "gate.xml"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const auto sarif = json_of(must(read_file(folder_ / "gate.sarif")));
  EXPECT_EQ(sarif["version"], "2.1.0");
  ASSERT_EQ(sarif["runs"].size(), 1U);
  const auto& run = sarif["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "warpclock");
  ASSERT_EQ(run["results"].size(), 2U) << "spills, on each GPU";
  for (const auto& one : run["results"]) {
    const std::size_t rule = one["ruleIndex"];
    EXPECT_EQ(run["tool"]["driver"]["rules"].at(rule)["id"], one["ruleId"]);
    EXPECT_EQ(one["level"], "error");
    EXPECT_THAT(std::string(one["message"]["text"]), StartsWith("spills on NVIDIA H"));
    const auto& place = one["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "file://" + jit_launches);
    EXPECT_EQ(place["region"]["startLine"], 3);
  }
  EXPECT_NE(run["results"][0]["partialFingerprints"], run["results"][1]["partialFingerprints"]);

  const std::string junit = must(read_file(folder_ / "gate.xml"));
  EXPECT_EQ(testing::xml_error(junit), "");
  EXPECT_THAT(junit, HasSubstr("<testsuites name=\"warpclock gate\" tests=\"6\" failures=\"2\" errors=\"0\" skipped"));
  EXPECT_THAT(junit, HasSubstr("<testsuite name=\"NVIDIA H200\" tests=\"3\" failures=\"1\""));
  EXPECT_THAT(junit, HasSubstr("<failure message=\"spills on NVIDIA H200: slower"));

  const std::string markdown = must(read_file(folder_ / "gate.md"));
  EXPECT_THAT(markdown, HasSubstr("\n### Kernels are slower\n"));
  EXPECT_THAT(markdown, HasSubstr("\n| **slower** | `spills` | NVIDIA H200 | "));
  for (const auto& [format, text] :
       std::map<std::string, std::string>{{"markdown", markdown}, {"junit", junit}, {"sarif", sarif.dump() + "\n"}})
    EXPECT_EQ(gate({jit_ptxas, jit_driver, "--launches", jit_launches, "--gpu", "h200,h100", "--format", format}).out,
              text);
  // What it wrote it replaces, and nothing else.
  testing::write(folder_ / "own.md", "# Mine\n");
  EXPECT_THAT(folders({"--out", folder_ / "own.md"}).err, HasSubstr("own.md: there is a file that warpclock did not"));
}

TEST_F(GateCommandTest, IsTheSameInTenRunsAndWithAnyNumberOfThreads) {
  const std::string first = folders({"--json"}).out;
  ASSERT_THAT(first, HasSubstr("slower"));
  for (int i = 1; i < 10; ++i) EXPECT_EQ(folders({"--json"}).out, first) << i;
  auto alone = command({folder_ / "before", folder_ / "after", "--launches", folder_ / "launches.yaml", "--json"});
  // One core is one thread.
  alone.insert(alone.begin(), {"taskset", "-c", "0"});
  EXPECT_EQ(run_process(alone)->out, first);
  // Nor do the environment, the functions of the math library that a processor gets, or what is cached.
  alone.insert(alone.begin(), {"env", "-i", "PATH=" + std::string(std::getenv("PATH")), "LC_ALL=C", "TZ=Asia/Tokyo",
                               "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"});
  alone.back() = folder_ / "another-cache";
  EXPECT_EQ(run_process(alone)->out, first);
}

/// The members of a map in a YAML file.
std::map<std::string, Node> members(const Node& node) {
  std::map<std::string, Node> found;
  for (const auto& [name, value] : node.entries()) found.emplace(name, value);
  return found;
}

TEST_F(GateCommandTest, IsRunByTheActionForHostedCi) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/action.yml";
  const auto document = must(Document::parse(path, must(read_file(path))));
  const auto action = members(document.root());
  std::map<std::string, std::string> given = {{"before", "before"}, {"after", "after"}, {"launches", "launches.yaml"}};
  for (const auto& [name, input] : members(action.at("inputs"))) {
    const auto about = members(input);
    EXPECT_TRUE(about.contains("description")) << name;
    if (about.contains("default") && !about.at("default").is_empty_text())
      given.emplace(name, about.at("default").text());
    else
      given.emplace(name, "");
  }
  const auto runs = members(action.at("runs"));
  EXPECT_EQ(runs.at("using").text(), "composite");
  /// `${{ inputs.name }}`
  const auto value_of = [&](const std::string& text) {
    std::string out = text;
    for (const auto& [name, value] : given) out = replace_all(out, "${{ inputs." + name + " }}", value);
    EXPECT_THAT(out, Not(HasSubstr("${{"))) << "an input that is not known";
    return out;
  };
  const auto run_all = [&] {
    testing::write(folder_ / "summary", "");
    testing::write(folder_ / "output", "");
    ProcessResult last;
    std::size_t done = 0;
    for (const Node& item : runs.at("steps").items()) {
      const auto step = members(item);
      EXPECT_EQ(step.at("shell").text(), "bash");
      if (step.contains("if")) {
        EXPECT_EQ(step.at("if").text(), "inputs.install != ''");
        continue;
      }
      std::map<std::string, std::string> environment = {{"GITHUB_STEP_SUMMARY", folder_ / "summary"},
                                                        {"GITHUB_OUTPUT", folder_ / "output"}};
      for (const auto& [name, value] : members(step.at("env"))) environment[name] = value_of(value.text());
      last = shell(step.at("run").text(), folder_ / "", environment);
      ++done;
    }
    EXPECT_EQ(done, 1U);
    return last;
  };
  const auto slower = run_all();
  EXPECT_EQ(document.error(), std::nullopt);
  EXPECT_EQ(slower.exit_code, 1) << slower.out << slower.err;
  EXPECT_EQ(must(read_file(folder_ / "output")), "status=1\n");
  EXPECT_THAT(must(read_file(folder_ / "summary")), HasSubstr("| **slower** | `total` |"));
  EXPECT_EQ(must(read_file(folder_ / "summary")), must(read_file(folder_ / "gate/gate.md")));
  EXPECT_THAT(must(read_file(folder_ / "gate/gate.sarif")), HasSubstr("\"uri\":\"after/kernels.cu\""));
  EXPECT_EQ(testing::xml_error(must(read_file(folder_ / "gate/gate.xml"))), "");
  given["max"] = "200%", given["arguments"] = "--allow-unknown --csv", given["gpu"] = "h100";
  const auto allowed = run_all();
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  EXPECT_THAT(allowed.out, HasSubstr("NVIDIA H100"));
  EXPECT_EQ(must(read_file(folder_ / "output")), "status=0\n");
  given["launches"] = "nowhere.yaml";
  EXPECT_EQ(run_all().exit_code, 2);
  EXPECT_EQ(must(read_file(folder_ / "output")), "status=2\n");
}

TEST_F(GateCommandTest, IsRunByTheHookBeforeACommit) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/.pre-commit-hooks.yaml";
  const auto document = must(Document::parse(path, must(read_file(path))));
  const auto hooks = document.root().items();
  ASSERT_EQ(hooks.size(), 1U);
  const auto hook = members(hooks[0]);
  EXPECT_EQ(hook.at("language").text(), "script");
  EXPECT_FALSE(hook.at("pass_filenames").boolean());
  EXPECT_THAT(hook.at("files").text(), HasSubstr("cu|"));
  std::string called = WARPCLOCK_SOURCE_DIR "/" + hook.at("entry").text();
  for (const Node& argument : hook.at("args").items()) called += " " + argument.text();
  EXPECT_EQ(document.error(), std::nullopt);

  const std::string repository = folder_ / "repository";
  fs::create_directory(repository);
  const std::string git = "git -c user.name=a -c user.email=a@b.c ";
  const std::string own = "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null\n";
  testing::write(repository + "/kernels.yaml", launches);
  testing::write(repository + "/kernels.cu", source_of(1));
  const auto first = shell(own + "git init -q\ngit add .\n" + called, repository);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "there is no commit to compare with\n");
  const auto same = shell(own + git + "commit -qm first\n" + called, repository);
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("\n2 same\n"));
  testing::write(repository + "/kernels.cu", source_of(2));
  const auto slower = shell(own + "git add .\n" + called, repository);
  EXPECT_EQ(slower.exit_code, 1) << slower.out << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("\n1 slower, 1 same\n"));
  const auto pushed = shell(own + git + "commit -qm second\nPRE_COMMIT_FROM_REF=HEAD~1 " + called, repository);
  EXPECT_EQ(pushed.exit_code, 1) << pushed.out << pushed.err;
}

}  // namespace
}  // namespace warpclock
