#include <gtest/gtest.h>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "check/study.hpp"

namespace warpclock {
namespace {

const std::string stanza = R"(kernels:
  - name: saxpy
    source: saxpy.cu
    kernel: "saxpy_{variant}"
    sweep:
      points:
        - {size: 4, l2: warm}
        - {size: 8, l2: cold}
      variant: [plain, wide]
    grid: {x: [sms, 2], y: size}
    block: [32, size]
    shared: 1 KiB
    l2: l2
    trips: {loop0: [size, 4], loop2: 7}
    hits: {"0x0240": L1}
    args:
      - {buffer: f16, count: [size, 1024], fill: random}
      - {i32: size}
      - {f32: -2.5}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::vector<KernelCase> cases_of(const std::string& text) {
  return must(kernel_cases(must(read_studies("k.yaml", text)), 132));
}

/// The whole message, with its location.
std::string refusal(const std::string& text) {
  const auto studies = read_studies("k.yaml", text);
  return studies ? "no error" : studies.error().message();
}

TEST(StudyConfig, EachPointIsACaseWithNothingLeftToResolve) {
  const auto cases = cases_of(stanza);
  ASSERT_EQ(cases.size(), 4U);
  const KernelCase& one = cases[3];
  EXPECT_EQ(one.id, "saxpy[size=8,l2=cold,variant=wide]");
  EXPECT_EQ(one.kernel, "saxpy_wide");
  EXPECT_THAT(one.defines, ElementsAre("SIZE=8", "L2=\"cold\"", "L2_cold=1", "VARIANT=\"wide\"", "VARIANT_wide=1"));
  EXPECT_THAT(one.call.grid, ElementsAre(264, 8, 1));
  EXPECT_THAT(one.call.block, ElementsAre(256, 1, 1));
  EXPECT_EQ(one.call.shared_bytes, 1024);
  EXPECT_TRUE(one.call.cold);
  EXPECT_EQ(one.level, MemoryLevel::Dram) << "cold lines are in DRAM";
  EXPECT_EQ(one.hits.at(0x240), MemoryLevel::L1);
  EXPECT_EQ(one.trips.at(0), 32);
  EXPECT_EQ(one.trips.at(2), 7);
  ASSERT_EQ(one.call.arguments.size(), 3U);
  EXPECT_EQ(one.call.arguments[0], (CallArgument{16384, CallType::F16, CallFill::Random, 0}));
  EXPECT_EQ(one.call.arguments[1], (CallArgument{0, CallType::I32, CallFill::Zeros, 8}));
  EXPECT_EQ(one.call.arguments[2].value, -2.5);
  EXPECT_FALSE(cases[0].call.cold);
  EXPECT_EQ(cases[0].level, std::nullopt) << "the buffers say it";
}

TEST(StudyConfig, ErrorsHaveFileLineAndColumn) {
  EXPECT_THAT(refusal("kernels:\n"), StartsWith("k.yaml:1:"));
  EXPECT_THAT(refusal(replaced(stanza, "grid: {x: [sms, 2], y: size}", "gird: 1")),
              AllOf(StartsWith("k.yaml:10:5"), HasSubstr("grid")));
  EXPECT_THAT(refusal(replaced(stanza, "y: size", "y: sise")),
              AllOf(StartsWith("k.yaml:10:"), HasSubstr("did you mean 'size'")));
  EXPECT_THAT(refusal(replaced(stanza, "block: [32, size]", "block: [256, size]")),
              AllOf(StartsWith("k.yaml:11:"), HasSubstr("2048 is out of range (1 to 1024)")));
  EXPECT_THAT(refusal(replaced(stanza, "fill: random", "fill: chaos")), StartsWith("k.yaml:17:"));
  EXPECT_THAT(refusal(replaced(stanza, "buffer: f16", "buffer: f12")),
              AllOf(StartsWith("k.yaml:17:"), HasSubstr("f12")));
  EXPECT_THAT(refusal(replaced(stanza, "{i32: size}", "{int: size}")),
              AllOf(StartsWith("k.yaml:18:"), HasSubstr("'int' is not the type of a scalar")));
  EXPECT_THAT(refusal(replaced(stanza, "{i32: size}", "{i32: size, u32: 1}")), HasSubstr("its type and its value"));
  EXPECT_THAT(refusal(replaced(stanza, "{f32: -2.5}", "[1, 2]")), StartsWith("k.yaml:19:"));
  EXPECT_THAT(refusal(replaced(stanza, "trips: {loop0:", "trips: {zero:")),
              HasSubstr("'zero' is not a loop, as loop0"));
  EXPECT_THAT(refusal(replaced(stanza, "0x0240", "here")), HasSubstr("not the address of an instruction"));
  EXPECT_THAT(refusal(replaced(stanza, "L1}", "L3}")), StartsWith("k.yaml:15:"));
  EXPECT_THAT(refusal(replaced(stanza, "    l2: l2", "    l2: lukewarm")), StartsWith("k.yaml:13:"));
  EXPECT_THAT(refusal(stanza + stanza.substr(stanza.find('\n') + 1)), HasSubstr("'saxpy' is given twice"));
  EXPECT_THAT(refusal(replaced(stanza, "saxpy_{variant}", "saxpy_{kind}")), StartsWith("k.yaml:4:"));
}

const std::string with_library = R"(kernels:
  - name: gemm
    source: gemm.cu
    kernel: gemm
    sweep: {depth: [64, 128]}
    grid: 1
    block: 32
    library: {cublas: gemm_f16_f32, m: [16, 3], n: 32, k: depth}
    args: [{buffer: f16, count: [48, depth]}, {buffer: f16, count: [32, depth]}, {buffer: f32, count: [48, 32]}]
)";

TEST(StudyConfig, TheKeyKernelMeansWhatIsNamedExactlyBeforeTemplates) {
  // scan(int), scan<float>(float*), scan<double>(double*), (anonymous namespace)::fill<4>(float*)
  const std::vector<std::string> symbols = {"_Z4scani", "_Z4scanIfEvPT_", "_Z4scanIdEvPT_",
                                            "_ZN12_GLOBAL__N_14fillILi4EEEvPf"};
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(named_by(symbols, "scan"), Places{0});
  EXPECT_EQ(named_by(symbols, "_Z4scanIfEvPT_"), Places{1});
  EXPECT_EQ(named_by(symbols, "void scan<double>"), Places{2});
  EXPECT_EQ(named_by(symbols, "fill"), Places{3});
  EXPECT_EQ(named_by({symbols.begin() + 1, symbols.end()}, "scan"), (Places{0, 1}));
  EXPECT_EQ(named_by(symbols, "sca"), Places{});
}

TEST(StudyConfig, ALibraryDoesTheWorkOfTheCase) {
  const auto cases = cases_of(with_library);
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[1].call.library, (LibraryGemm{48, 32, 128}));
  EXPECT_EQ(cases_of(stanza)[0].call.library, LibraryGemm{}) << "none is asked for";
}

TEST(StudyConfig, ALibraryThatDoesOtherWorkIsRejected) {
  EXPECT_EQ(refusal(replaced(with_library, "gemm_f16_f32", "gemm_f16_f16")),
            "k.yaml:8:23: library.cublas: unknown value 'gemm_f16_f16' (did you mean 'gemm_f16_f32'?)");
  EXPECT_THAT(refusal(replaced(with_library, "cublas:", "cutlass:")), StartsWith("k.yaml:8:"));
  EXPECT_THAT(refusal(replaced(with_library, "n: 32, k", "k")), AllOf(StartsWith("k.yaml:8:"), HasSubstr("n")));
  EXPECT_THAT(refusal(replaced(with_library, "k: depth", "k: dept")), HasSubstr("did you mean 'depth'"));
  EXPECT_THAT(refusal(replaced(with_library, "n: 32", "n: 0")), HasSubstr("0 is out of range (1 to 1048576)"));
  for (const char* wrong : {"m: [16, 2]", "m: [16, 6]"}) {
    const auto studies = must(read_studies("k.yaml", replaced(with_library, "m: [16, 3]", wrong)));
    const auto cases = kernel_cases(studies, 132);
    ASSERT_FALSE(cases) << wrong;
    EXPECT_EQ(cases.error().place, "k.yaml:2:5");
    EXPECT_THAT(cases.error().text, HasSubstr(", and the kernel has none"));
  }
}

TEST(StudyConfig, CommittedStudiesAreRead) {
  const auto text = must(read_file(WARPCLOCK_SOURCE_DIR "/configs/cases.yaml"));
  const auto cases = cases_of(text);
  EXPECT_GE(cases.size(), 50U);
  const auto held = std::ranges::count_if(cases, &KernelCase::held_out);
  EXPECT_GE(3 * held, std::ssize(cases)) << "a third of the cases is never used while the model is made";
  for (const KernelCase& one : cases) EXPECT_FALSE(one.says.empty()) << one.id;
}

}  // namespace
}  // namespace warpclock
