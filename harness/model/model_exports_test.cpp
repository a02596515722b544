#include "model/model_exports.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/files/marked.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/schema.hpp"
#include "base/text.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

using testing::cut_machine;
using testing::first_program;
using ::testing::HasSubstr;

const ModelConfig& config() { return known_model_config().value(); }

TEST(ModelJson, IsTheAcceptedText) { testing::expect_golden("model.json", to_json(cut_machine()), "model"); }

TEST(ModelJson, IsWhatItsSchemaSays) {
  const std::string text = to_json(cut_machine());
  const std::string said = testing::schema_complaint(model_schema(), text);
  if (said == "skip") GTEST_SKIP() << "no validator here (install python3-jsonschema)";
  EXPECT_EQ(said, "");
  EXPECT_NE(testing::schema_complaint(model_schema(), replace_all(text, "\"rows\":[\"baseline/clock\"]", "\"rows\":7")),
            "");
  EXPECT_NE(testing::schema_complaint(model_schema(), replace_all(text, "\"unit\":\"MHz\",", "")), "");
}

TEST(ModelExports, AreTheAcceptedTexts) {
  const Machine machine = cut_machine();
  testing::expect_golden("model.csv", to_csv(machine), "model");
  testing::expect_golden("cpp_header.txt", to_cpp_header(machine), "model");
  testing::expect_golden("python_module.txt", to_python(machine), "model");
  testing::expect_golden("accel_sim.config", to_accel_sim(machine, config()), "model");
  testing::expect_golden("triton.json", to_triton(machine, config()), "model");
  testing::expect_golden("triton.def", to_triton_def(machine, config()), "model");
  testing::expect_golden("peaks.json", to_peaks(machine, config()), "model");
  testing::expect_golden("roofline.json", to_roofline(machine, config()), "model");
}

TEST(ModelExports, MayReplaceEarlierOnes) {
  const Machine machine = cut_machine();
  for (const std::string& text :
       {to_json(machine), to_csv(machine), to_cpp_header(machine), to_python(machine), to_accel_sim(machine, config()),
        to_triton(machine, config()), to_triton_def(machine, config()), to_peaks(machine, config()),
        to_roofline(machine, config())}) {
    EXPECT_TRUE(is_marked(text)) << text.substr(0, 100);
  }
}

/// What a compiler says of a source that includes the header of a machine; empty if it compiles.
std::string compiled(const std::vector<std::string>& compiler, const Machine& machine, const std::string& body) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "model.hpp", to_cpp_header(machine));
  testing::write(folder / "user.cu",
                 "#include \"model.hpp\"\nnamespace gpu = warpclock::" + identifier(machine.folder) + ";\n" + body);
  std::vector<std::string> command = compiler;
  command.push_back(folder / "user.cu");
  const auto ran = run_process(command);
  if (!ran) return ran.error().text;
  return ran->exit_code == 0 ? "" : "error: " + ran->out + ran->err;
}

/// The commands of those of GCC, Clang and nvcc that are here, with all warnings as errors.
std::vector<std::vector<std::string>> compilers() {
  std::vector<std::vector<std::string>> found;
  for (const std::string name : {"g++", "clang++"}) {
    if (!first_program({name}).empty())
      found.push_back({name, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++"});
  }
  const std::string nvcc = first_program({"nvcc", "/usr/local/cuda/bin/nvcc"});
  if (!nvcc.empty())
    found.push_back({nvcc, "-std=c++17", "-arch=sm_90a", "-Werror", "all-warnings", "-cubin", "-o", "/dev/null"});
  return found;
}

std::vector<std::string> first_compiler() {
  const auto all = compilers();
  return all.empty() ? std::vector<std::string>() : all.front();
}

TEST(CppHeader, CompilesWithEachCompilerAndItsLeavesAreConstants) {
  const auto all = compilers();
  if (all.empty()) GTEST_SKIP() << "no compiler here";
  for (const std::vector<std::string>& compiler : all) {
    const bool device = compiler[0].ends_with("nvcc");
    const std::string use = "double use(double x) { return x * gpu::transfers::shared_load::latency; }\n";
    EXPECT_EQ(compiled(compiler, cut_machine(),
                       "static_assert(gpu::transfers::shared_load::latency == 23);\n"
                       "static_assert(gpu::instructions::FFMA_R_R_R_R::latency_a.high >= 4);\n"
                       "constexpr double both = gpu::transfers::l1_load::latency * 2;\n"
                       "static_assert(both > 60);\n" +
                           (device ? "__device__ " + use : use)),
              "")
        << compiler[0];
    const std::string absent = "double use() { return gpu::transfers::l2_load::latency_near; }\n";
    EXPECT_THAT(compiled(compiler, cut_machine(), device ? "__device__ " + absent : absent),
                HasSubstr("this number was not measured on this GPU"))
        << compiler[0];
  }
}

TEST(CppHeader, TheUseOfAnAbsentLeafIsACompileError) {
  const std::vector<std::string> compiler = first_compiler();
  if (compiler.empty()) GTEST_SKIP() << "no compiler here";
  for (const std::string use :
       {"double x = ABSENT;", "constexpr double x = ABSENT + 1.0;", "float f() { return ABSENT; }",
        "double x = ABSENT.value;", "static_assert(ABSENT > 0);"}) {
    const std::string body = replace_all(use, "ABSENT", "gpu::transfers::l2_load::latency_near");
    EXPECT_THAT(compiled(compiler, cut_machine(), body + "\n"), HasSubstr("not_measured")) << use;
  }
}

TEST(CppHeader, OfEachCommittedGpuCompilesWithEachCompiler) {
  for (const std::vector<std::string>& compiler : compilers()) {
    for (const auto& [gpu, machine] : testing::committed_gpus()) {
      EXPECT_EQ(compiled(compiler, machine, ""), "") << machine.folder << " " << compiler[0];
      // nvcc takes seconds for each, and the GPUs have the same names.
      if (compiler[0].ends_with("nvcc")) break;
    }
  }
}

TEST(CppHeader, DifferentEntriesHaveDifferentIdentifiers) {
  for (const auto& [gpu, machine] : testing::committed_gpus()) {
    for (const auto& [section, entries] : machine_sections) {
      std::set<std::string> seen;
      for (const Entry& entry : machine.*entries)
        EXPECT_TRUE(seen.insert(identifier(entry.name)).second) << section << ": " << entry.name;
    }
  }
}

/// A machine whose texts break out of any place where they are not escaped.
Machine hostile_machine() {
  Machine machine = cut_machine();
  const std::string poison = "\"; '''\n\\ */ // # <b> \x01\xff)~\"";
  machine.gpu = machine.arch = poison;
  for (RecordSource& record : machine.records) record.commit = record.date = record.driver = poison;
  for (const auto& [section, entries] : machine_sections) {
    for (Entry& entry : machine.*entries) {
      entry.says = entry.pipe = poison;
      for (Leaf& leaf : entry.leaves) leaf.rows = {poison}, leaf.unit = leaf.note = poison;
    }
  }
  return machine;
}

TEST(CppHeader, CompilesWhateverTheTexts) {
  const std::vector<std::string> compiler = first_compiler();
  if (compiler.empty()) GTEST_SKIP() << "no compiler here";
  EXPECT_EQ(compiled(compiler, hostile_machine(), ""), "");
}

/// What Python prints of a program that imports the module of a machine.
std::string python_says(const Machine& machine, const std::string& program) {
  const testing::TemporaryFolder folder;
  testing::write(folder / "model.py", to_python(machine));
  const auto ran =
      run_process({first_program({"python3"}), "-B", "-c",
                   "import sys\nsys.path.insert(0, " + compact(Json(folder.path())) + ")\nimport model\n" + program});
  return ran ? ran->out + ran->err : ran.error().text;
}

TEST(PythonModule, IsImportedAndItsLeavesAreNumbers) {
  if (first_program({"python3"}).empty()) GTEST_SKIP() << "no python3 here";
  EXPECT_EQ(python_says(cut_machine(),
                        "leaf = model.transfers['shared.load']['latency']\n"
                        "print(leaf + 1, leaf.unit, leaf.rows[0], model.records[leaf.record]['gpu'])\n"
                        "print(model.instructions['@PT FFMA R#, R#, R#, R#'].pipe)\n"
                        "print('latency.near' in model.transfers['l2.load'], model.transfers['l2.load'].absent[-1])\n"),
            "24.0 cycles memory/shared_chase[bytes=4,lanes=same] NVIDIA H200\nfma\nFalse rate.all_sms.far\n");
  EXPECT_EQ(python_says(hostile_machine(), "print(len(model.pipes) > 3)\n"), "True\n");
}

TEST(AccelSim, EachLineIsAnOptionOrAComment) {
  for (const Machine& machine : {cut_machine(), hostile_machine(), testing::committed_gpus().front().machine}) {
    std::istringstream text(to_accel_sim(machine, config()));
    for (std::string line; std::getline(text, line);) {
      if (line.empty() || line.starts_with('#')) continue;
      const std::vector<std::string> words = split(line, ' ');
      ASSERT_EQ(words.size(), 2U) << line;
      EXPECT_TRUE(words[0].starts_with('-')) << line;
      EXPECT_EQ(words[1].find_first_not_of("0123456789,"), std::string::npos) << line;
    }
  }
}

TEST(AccelSim, SubtractsTheStageBefore) {
  const Machine machine = cut_machine();
  const double l2 = find_leaf(machine, "transfers/l2.load/latency")->value;
  const double l1 = find_leaf(machine, "transfers/l1.load/latency")->value;
  EXPECT_THAT(to_accel_sim(machine, config()),
              HasSubstr("\n-gpgpu_l2_rop_latency " + fmt::format("{:.0f}\n", l2 - l1)));
  EXPECT_THAT(to_accel_sim(Machine(), config()), HasSubstr("# -gpgpu_l2_rop_latency: not measured\n"));
}

TEST(Peaks, AreTheFastestOfTheirTypeAtTheClockOfTheirRows) {
  Machine machine = cut_machine();
  EXPECT_FALSE(json_of(to_peaks(machine, config())).at("flops").contains("f16")) << "at which clock is not known";
  Entry& lowered = machine.clocks.emplace_back(Entry{.name = "sm.wgmma.f16.pause_0", .leaves = {}});
  lowered.leaves = {{.name = "mhz", .value = 1640}};
  const Json json = json_of(to_peaks(machine, config()));
  const Json& f16 = json.at("flops").at("f16").at("dense");
  EXPECT_EQ(f16.at("by"), "wgmma.m64n256k16.f32.f16.a_shared") << "and not mma.sync, which is slower";
  EXPECT_EQ(f16.at("per_clk_per_sm"), 2 * 2048);
  EXPECT_EQ(f16.at("sm_mhz"), 1640);
  EXPECT_EQ(f16.at("per_s"), 4096. * 132 * 1640 * 1e6);
  EXPECT_EQ(f16.at("leaf").at("record"), "kernels/result.json");
  EXPECT_NEAR(json.at("bytes").at("DRAM").at("load").at("per_s").get<double>(), 17.457 * 132 * 1979.86e6, 1e9);
  EXPECT_THAT(json.at("absent").dump(), AllOf(HasSubstr("DRAM, store"), Not(HasSubstr("\"f16, dense"))));
  EXPECT_THAT(json_of(to_peaks(Machine(), config())).at("absent").size(), ::testing::Gt(20U));
}

/// The struct has the fields of OpLatencyInfo in their order.
TEST(TritonDef, IsATableOfCpp) {
  const std::string user = R"(
    enum class HWPipeline { TMA, TC, CUDA, SFU, NONE };
    struct Info { HWPipeline pipeline; int latency, selfLatency, minWarps, occupancy; };
    struct Named { const char* name; Info info; };
    #define WARPCLOCK_OP(name, pipe, ...) {name, {HWPipeline::pipe, __VA_ARGS__}},
    constexpr Named table[] = {
    #include "triton.def"
    };
    constexpr bool sound() {
      for (const Named& one : table)
        if (one.info.selfLatency < 0 || one.info.selfLatency > one.info.latency) return false;
      return true;
    }
    static_assert(sound());
    static_assert(table[0].info.pipeline == HWPipeline::TC && table[0].info.latency == 195 &&
                  table[0].info.selfLatency == 128 && table[0].info.minWarps == 4 && table[0].info.occupancy == 128);
    struct Law { const char* name; HWPipeline pipeline; double base, perKiB; };
    #define WARPCLOCK_TRANSFER(name, pipe, ...) {name, HWPipeline::pipe, __VA_ARGS__},
    constexpr Law laws[] = {
    #include "triton.def"
    };
    static_assert(laws[0].pipeline == HWPipeline::TMA && laws[0].base == 309 && laws[0].perKiB == 9.6);
  )";
  const auto all = compilers();
  if (all.empty()) GTEST_SKIP() << "no compiler here";
  const testing::TemporaryFolder folder;
  testing::write(folder / "triton.def", to_triton_def(cut_machine(), config()));
  testing::write(folder / "user.cu", user);
  for (std::vector<std::string> command : all) {
    command.push_back(folder / "user.cu");
    const auto ran = must(run_process(command));
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  }
}

TEST(Roofline, HasTheCeilingsThatWereMeasured) {
  const Json json = json_of(to_roofline(cut_machine(), config()));
  EXPECT_EQ(json.at("bytes").at(0).at("name"), "shared memory");
  EXPECT_NEAR(json.at("flop").at(0).at("per_clk_per_sm").get<double>(), 255, 2);
  EXPECT_THAT(json.at("absent").dump(), HasSubstr("FP64 fma"));
}

}  // namespace
}  // namespace warpclock
