#include "ptx/experiment/kernel.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include "base/testing/matchers.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {
namespace {

struct Linked {
  PtxInstruction instruction;
  Link link;

  [[nodiscard]] std::string reg(std::size_t operand, int element) const {
    return fmt::format("{}{}", instruction.operands[operand].name, element);
  }
  [[nodiscard]] std::string converted() const {
    return conversion(instruction, link, [this](std::size_t i, int element) { return reg(i, element); });
  }
};

/// The link from the result of an instruction to its first source.
Linked link_of(const std::string& text) {
  Linked linked{described(text).value(), {}};
  linked.link = latency_experiments(linked.instruction).front().links.front();
  return linked;
}

std::string converted(const std::string& text) { return link_of(text).converted(); }

TEST(Conversion, TakesTheLowPartOfWhatIsWider) {
  EXPECT_EQ(converted("mul.wide.u32 {d}, {a}, {b}"), "{ .reg .b32 y; mov.b64 {a0, y}, d0; }");
  EXPECT_EQ(converted("cvt.rn.f16.f32 {d}, {a}"), "{ .reg .b16 l, h; mov.b32 {l, h}, a0; mov.b32 a0, {d0, h}; }")
      << "the other half is the source's own";
  EXPECT_EQ(converted("cvt.u64.u32 {d}, {a}"), "{ .reg .b32 y; mov.b64 {a0, y}, d0; }");
  EXPECT_EQ(converted("cvt.u32.u64 {d}, {a}"), "{ .reg .b32 x, y; mov.b64 {x, y}, a0; mov.b64 a0, {d0, y}; }");
  EXPECT_EQ(converted("cvt.f32.f16 {d}, {a}"), "{ .reg .b16 h; mov.b32 {a0, h}, d0; }");
}

TEST(Conversion, GoesInAndOutOfPredicates) {
  EXPECT_EQ(converted("setp.eq.s32 {p}, {a}, {b}"), "selp.b32 a0, a0, 1, p0;");
  EXPECT_EQ(converted("setp.eq.s64 {p}, {a}, {b}"), "selp.b64 a0, a0, 1, p0;");
  EXPECT_EQ(converted("selp.b32 {d}, 1, 0, {c}"), "setp.ne.b32 c0, d0, 0;");
}

TEST(Conversion, AddsALoadedZeroToTheAddress) {
  EXPECT_EQ(converted("ld.global.u8 {d}, [{a}]"), "{ .reg .u64 z; cvt.u64.u32 z, d0; add.u64 a0, a0, z; }");
  EXPECT_EQ(converted("ld.const.u64 {d}, [{a}]"), "add.u64 a0, a0, d0;");
}

std::int64_t count(const std::string& text, const std::string& what) {
  std::int64_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Conversion, ReadsAllOfAVectorThatLeadsToAnAddress) {
  const std::string bytes = link_of("ld.shared.v4.b8 {d}, [{a}]").converted();
  EXPECT_EQ(count(bytes, "or.b32"), 3) << bytes;
  const std::string constant = link_of("ld.const.v2.b64 {d}, [{a}]").converted();
  EXPECT_EQ(count(constant, "or.b32"), 3) << constant;
  EXPECT_EQ(count(constant, "add.u32"), 1) << constant;
  EXPECT_EQ(count(link_of("ld.global.v2.b16 {d}, [{a}]").converted(), "add.u64"), 1);
}

using ::testing::ContainsRegex;

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

/// Every experiment on an instruction, compiled and composed.
std::vector<Experiment> experiments(const PtxInstruction& instruction) {
  std::vector<Experiment> all = latency_experiments(instruction);
  all.push_back(throughput_experiment(instruction, 1));
  for (std::size_t i = all.size(); i-- > 0;) {
    Experiment composed{.question = all[i].question, .links = all[i].links, .composed = true, .words = 2, .quads = 3};
    all.push_back(std::move(composed));
  }
  all.emplace_back();
  return all;
}

/// Names in the text that match a pattern.
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

TEST(KernelPtx, DeclaresEveryRegisterThatItUses) {
  const std::string registers = R"(\bw[a-z]+[0-9]+_[0-9]+\b)";
  for (const char* text : texts) {
    const PtxInstruction instruction = described(text).value();
    for (const Experiment& experiment : experiments(instruction)) {
      const std::string source = kernel_ptx(instruction, experiment, 6);
      const std::set<std::string> declared = names(declarations(source), registers);
      for (const std::string& used : names(source, registers)) {
        EXPECT_TRUE(declared.contains(used)) << used << " of " << text << ", " << experiment.name(instruction);
      }
    }
  }
}

TEST(KernelPtx, IsBalancedAndReports) {
  for (const char* text : texts) {
    const PtxInstruction instruction = described(text).value();
    for (const Experiment& experiment : experiments(instruction)) {
      const std::string source = kernel_ptx(instruction, experiment, 6);
      EXPECT_EQ(std::ranges::count(source, '{'), std::ranges::count(source, '}')) << source;
      const std::size_t open = source.find("mov.u64 w_opened, %clock64;"),
                        close = source.find("mov.u64 w_closed, %clock64;");
      ASSERT_NE(close, std::string::npos);
      EXPECT_LT(open, close);
      EXPECT_LT(close, source.find("st.global.u64")) << "both readings are stored";
      EXPECT_EQ(kernel_ptx(instruction, experiment, 6), source);
    }
  }
}

TEST(KernelPtx, EveryExperimentIsAnotherKernel) {
  for (const char* text : texts) {
    const PtxInstruction instruction = described(text).value();
    std::set<std::string> sources;
    std::size_t asked = 0;
    for (const Experiment& experiment : experiments(instruction)) {
      ++asked;
      sources.insert(kernel_ptx(instruction, experiment, 6));
    }
    EXPECT_EQ(sources.size(), asked) << text;
  }
}

TEST(KernelPtx, ValuesComeOfTheirMasks) {
  const auto source = [](const std::string& value) {
    const auto instruction = described("add.f32 {d}, {a}, {b}", {.operands = {}, .values = {{"b", value}}});
    return kernel_ptx(*instruction, latency_experiments(*instruction).front(), 6);
  };
  EXPECT_THAT(source("one"), HasSubstr("0x3f800000;"));
  EXPECT_THAT(source("zero"), ContainsRegex("and.b32 w_r[0-9], w_r[0-9], w_zero;")) << "the compiler must not know";
  EXPECT_THAT(source("lane"), HasSubstr("w_thread, 31;"));
  EXPECT_THAT(source("random"), Not(HasSubstr("w_thread, 31;")));
}

/// The kernel of a wait, or of another operation, at an mbarrier.
std::string at_mbarrier(const std::string& text, const std::map<std::string, std::string>& values = {}) {
  const PtxInstruction one = must(described(text, {.operands = {}, .values = values}));
  return kernel_ptx(one, throughput_experiment(one, 1), 6);
}

// A wait that the phase has not ended for suspends, and 32 mbarriers take ten times as long as one.
TEST(KernelPtx, AWaitMeetsACompletePhaseOfOneMbarrierForAWarp) {
  constexpr const char* alone = "w_p[0-9]+ mbarrier.init.shared.b64 .w_r[0-9]+., (w_r[0-9]+);";
  constexpr const char* arrival = "@w_p[0-9]+ mbarrier.arrive.shared.b64 w_d[0-9]+, .w_r[0-9]+.;";
  for (const char* wait : {"mbarrier.try_wait.shared::cta.b64 {p}, [{a}], {b}",
                           "mbarrier.try_wait.parity.shared::cta.b64 {p}, [{a}], 0"}) {
    const std::string usual = at_mbarrier(wait), pending = at_mbarrier(wait, {{"a", "pending"}});
    EXPECT_THAT(usual, ContainsRegex(alone));
    EXPECT_THAT(usual, ContainsRegex(arrival)) << "ends the first phase";
    EXPECT_THAT(usual, HasSubstr("shr.u32")) << "the address is that of the warp";
    EXPECT_THAT(pending, Not(ContainsRegex(arrival)));
  }
  const char* const odd = "mbarrier.try_wait.parity.shared::cta.b64 {p}, [{a}], 1";
  EXPECT_THAT(at_mbarrier(odd), Not(ContainsRegex(arrival))) << "the phase before the first has ended";
  EXPECT_THAT(at_mbarrier(odd, {{"a", "pending"}}), ContainsRegex(arrival));
  const std::string arrive = at_mbarrier("mbarrier.arrive.shared.b64 {d}, [{a}]");
  EXPECT_THAT(arrive, Not(ContainsRegex(arrival)));
  EXPECT_THAT(arrive, HasSubstr("1048575;")) << "so that none of them ends the phase";
  EXPECT_THAT(at_mbarrier("mbarrier.arrive.b64 {d}, [{a}]"), HasSubstr("cvta.shared.u64"));
}

TEST(KernelPtx, HoldsAsManyCopiesAsItSays) {
  const auto copies = [](const std::string& ptx, std::string_view statement) {
    int count = 0;
    for (std::size_t at = ptx.find(statement); at != std::string::npos; at = ptx.find(statement, at + 1)) ++count;
    return count;
  };
  const PtxInstruction fma = described("fma.rn.f32 {d}, {a}, {b}, {c}").value();
  for (const int n : {1, 6, 24}) {
    EXPECT_EQ(copies(kernel_ptx(fma, latency_experiments(fma).front(), n), "fma.rn.f32 "), n);
    EXPECT_EQ(copies(kernel_ptx(fma, throughput_experiment(fma, 1), n), "fma.rn.f32 "), 4 * n);
  }
}

/// Expects the kernel to equal testdata/<name>; WARPCLOCK_ACCEPT=1 writes it.
void expect_kernel(const std::string& name, const std::string& source) {
  const std::string path = "harness/ptx/testdata/" + name;
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) {
    std::ofstream(fmt::format("{}/{}", WARPCLOCK_SOURCE_DIR, path), std::ios::binary) << source;
  }
  EXPECT_EQ(read_committed(path), source) << "WARPCLOCK_ACCEPT=1 accepts it";
}

TEST(KernelPtx, IsWhatWasAccepted) {
  const PtxInstruction fma = described("fma.rn.f32 {d}, {a}, {b}, {c}").value();
  expect_kernel("fma_latency.ptx", kernel_ptx(fma, latency_experiments(fma).front(), 6));
  expect_kernel("fma_isolated.ptx", kernel_ptx(fma, {}, 1));
  const PtxInstruction setp = described("setp.eq.s32 {p}, {a}, {b}").value();
  expect_kernel("setp_throughput.ptx", kernel_ptx(setp, throughput_experiment(setp, 1), 3));
  const PtxInstruction load = described("ld.shared.u8 {d}, [{a}]").value();
  const Experiment composed{.question = Question::Throughput, .ilp = 4, .composed = true, .words = 1, .quads = 2};
  expect_kernel("load_composed.ptx", kernel_ptx(load, composed, 1));
}

}  // namespace
}  // namespace warpclock
