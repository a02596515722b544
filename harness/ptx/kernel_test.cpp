#include "ptx/kernel.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include "ptx/described_fixture.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const texts[] = {
    "fma.rn.f32 {d}, {a}, {b}, {c}",
    "and.b32 {d}, {a}, {b}",
    "setp.eq.and.s32 {p}, {a}, {b}, {c}",
    "mul.wide.u32 {d}, {a}, {b}",
    "cvt.rn.f16.f32 {d}, {a}",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}",
    "ld.global.u64 {d}, [{a}]",
    "ld.shared.u8 {d}, [{a}]",
    "ld.const.u32 {d}, [{a}]",
    "st.global.u32 [{a}], {b}",
    "atom.global.add.u32 {d}, [{a}], {b}",
    "@{p} add.f32 {d}, {a}, {b}",
    "bar.sync 0",
};

/// Every experiment of an instruction with every trick that its links allow.
std::vector<Experiment> experiments(const PtxInstruction& instruction) {
  std::vector<Experiment> all{{}};
  std::vector<Experiment> plain = latency_experiments(instruction);
  std::optional<Experiment> throughput = throughput_experiment(instruction, false, 1);
  for (; throughput; throughput = next_experiment(instruction, *throughput, false, 1)) all.push_back(*throughput);
  for (const Experiment& one : plain) {
    all.push_back(one);
    for (const Trick trick : {Trick::WovenMajority, Trick::WovenAdd, Trick::Refreshed, Trick::RefreshedMajority,
                              Trick::Guarded, Trick::Gathered}) {
      const bool links = !one.links.empty();
      if (trick == one.trick || (trick == Trick::Gathered && links)) continue;
      if (is_woven(trick) && (!links || instruction.operands[one.links.front().to].address)) continue;
      all.push_back(one);
      all.back().trick = trick;
    }
  }
  return all;
}

/// Names of one pattern that stand in the text.
std::set<std::string> names(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) found.insert(at->str());
  return found;
}

std::string declarations(const std::string& source) {
  std::string text;
  for (std::size_t at = source.find(".reg ."); at != std::string::npos; at = source.find(".reg .", at + 1)) {
    text += source.substr(at, source.find(';', at) - at) + "\n";
  }
  return text;
}

TEST(KernelSource, DeclaresEveryRegisterThatItUses) {
  const std::string registers = R"(\b(w[a-z]+[0-9]+_[0-9]+|wg[0-9]|wk[0-9])\b)";
  for (const char* text : texts) {
    const PtxInstruction instruction = described(text).value();
    for (const Experiment& experiment : experiments(instruction)) {
      const std::string source = kernel_source(instruction, experiment);
      const std::set<std::string> declared = names(declarations(source), registers);
      for (const std::string& used : names(source, registers)) {
        EXPECT_TRUE(declared.contains(used)) << used << " of " << text << ", " << experiment.name(instruction);
      }
    }
  }
}

TEST(KernelSource, IsBalancedAndReports) {
  for (const char* text : texts) {
    const PtxInstruction instruction = described(text).value();
    for (const Experiment& experiment : experiments(instruction)) {
      const std::string source = kernel_source(instruction, experiment);
      EXPECT_EQ(std::ranges::count(source, '{'), std::ranges::count(source, '}')) << source;
      EXPECT_EQ(std::ranges::count(source, '"') % 2, 0) << source;
      EXPECT_THAT(source, HasSubstr("window.open();"));
      EXPECT_LT(source.find("window.open();"), source.find("window.close();"));
      EXPECT_THAT(source, HasSubstr("window.report(args);"));
      EXPECT_EQ(kernel_source(instruction, experiment), source);
    }
  }
}

TEST(KernelSource, EveryExperimentIsAnotherKernel) {
  for (const char* text : texts) {
    const PtxInstruction instruction = described(text).value();
    std::set<std::string> sources;
    std::size_t asked = 0;
    for (const Experiment& experiment : experiments(instruction)) {
      // With nothing to refresh it is the plain one.
      if (experiment.trick == Trick::Refreshed) continue;
      ++asked;
      sources.insert(kernel_source(instruction, experiment));
    }
    EXPECT_EQ(sources.size(), asked) << text;
  }
}

TEST(KernelSource, ValuesComeOfTheirMasks) {
  const auto source = [](const std::string& value) {
    const auto instruction = described("add.f32 {d}, {a}, {b}", {.operands = {}, .values = {{"b", value}}});
    return kernel_source(*instruction, latency_experiments(*instruction).front());
  };
  EXPECT_THAT(source("one"), HasSubstr("0x3f800000u"));
  EXPECT_THAT(source("zero"), HasSubstr("& args.zero")) << "the compiler must not know";
  EXPECT_THAT(source("lane"), HasSubstr("lane()"));
  EXPECT_THAT(source("random"), Not(HasSubstr("lane()")));
}

/// testdata/<name> is the kernel; WARPCLOCK_ACCEPT=1 writes it.
void expect_kernel(const std::string& name, const std::string& source) {
  const std::string path = "harness/ptx/testdata/" + name;
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) {
    std::ofstream(fmt::format("{}/{}", WARPCLOCK_SOURCE_DIR, path), std::ios::binary) << source;
  }
  EXPECT_EQ(read_committed(path), source) << "WARPCLOCK_ACCEPT=1 accepts it";
}

TEST(KernelSource, IsWhatWasAccepted) {
  const PtxInstruction fma = described("fma.rn.f32 {d}, {a}, {b}, {c}").value();
  expect_kernel("fma_latency.cu", kernel_source(fma, latency_experiments(fma).front()));
  expect_kernel("fma_isolated.cu", kernel_source(fma, {}));
  const PtxInstruction setp = described("setp.eq.s32 {p}, {a}, {b}").value();
  expect_kernel("setp_throughput.cu", kernel_source(setp, throughput_experiment(setp, false, 1)));
  const PtxInstruction logic = described("and.b32 {d}, {a}, {b}").value();
  const auto spread = next_experiment(logic, throughput_experiment(logic, false, 1), false, 1);
  ASSERT_TRUE(spread && spread->trick == Trick::Spread);
  expect_kernel("and_spread.cu", kernel_source(logic, *spread));
  const PtxInstruction load = described("ld.shared.u8 {d}, [{a}]").value();
  Experiment guarded = latency_experiments(load).front();
  guarded.trick = Trick::Guarded;
  expect_kernel("load_guarded.cu", kernel_source(load, guarded));
}

}  // namespace
}  // namespace warpclock
