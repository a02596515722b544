#include "predict/memory/lane_state.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace warpclock {
namespace {

constexpr std::size_t threads = 64;

/// Any 32 bits.
struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
  std::mt19937 engine;
};

LaneState after(const std::vector<std::string>& code, const LaneRef& data) {
  const LaneLaunch launch{.block = {16, 4, 1}, .threads = threads, .parameters_at = 0x210, .parameters_end = 0x228};
  LaneState state;
  state.set({RegisterFile::Vector, 7}, data);
  for (const std::string& line : code) {
    const auto instruction = parse_instruction(line);
    EXPECT_TRUE(instruction) << line;
    if (instruction) evaluate(lane_operation(*instruction), launch, state);
  }
  return state;
}

/// An instruction that puts together R0 to R7.
std::string random_instruction(Random& random) {
  const auto pick = [&](std::uint32_t below) { return random() % below; };
  const auto reg = [&] { return fmt::format("R{}", pick(8)); };
  const auto number = [&] { return fmt::format("{:#x}", pick(4) == 0 ? random() : 1U << pick(12)); };
  switch (pick(10)) {
    case 0:
      return fmt::format("IADD3 {}, {}, -{}, {}", reg(), reg(), reg(), reg());
    case 1:
      return fmt::format("IMAD {}, {}, {}, {}", reg(), reg(), number(), reg());
    case 2:
      return fmt::format("LEA {}, {}, {}, {:#x}", reg(), reg(), reg(), pick(12));
    case 3:
      return fmt::format("LOP3.LUT {}, {}, {}, {}, {:#x}, !PT", reg(), reg(), number(), reg(), pick(256));
    case 4:
      return fmt::format("SHF.R.U32.HI {}, RZ, {:#x}, {}", reg(), pick(12), reg());
    case 5:
      return fmt::format("SHF.L.U32 {}, {}, {:#x}, RZ", reg(), reg(), pick(12));
    case 6:
      return fmt::format("PRMT {}, {}, {:#x}, {}", reg(), reg(), random() & 0x7777U, reg());
    case 7:
      return fmt::format("ISETP.LT.AND P{}, PT, {}, {}, PT", pick(2), reg(), number());
    case 8:
      return fmt::format("SEL {}, {}, {}, P{}", reg(), reg(), reg(), pick(2));
    default:
      return fmt::format("@!P{} LOP3.LUT {}, {}, {}, RZ, 0x3c, !PT", pick(2), reg(), reg(), number());
  }
}

/// Whatever the unknown numbers are, lanes are as far apart as the analysis says.
TEST(LaneState, SaysNothingThatAnyNumberWouldDisprove) {
  Random random(1), random_data(3);
  std::size_t followed = 0, scattered = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t buffer = random() & ~0xffU, block = random() % 1000;
    const std::vector<std::string> begin = {"S2R R0, SR_TID.X", "S2R R1, SR_LANEID", "S2R R2, SR_TID.Y", "MOV R5, 0x20",
                                            "MOV R6, 0x3"};
    std::vector<std::string> unknown = begin, known = begin;
    unknown.insert(unknown.end(), {"LDC.64 R3, c[0x0][0x210]", "S2R R4, SR_CTAID.X"});
    known.insert(known.end(), {fmt::format("MOV R3, {:#x}", buffer), fmt::format("MOV R4, {:#x}", block)});
    std::vector<std::string> code;
    for (int i = 0; i < 10; ++i) code.push_back(random_instruction(random));
    unknown.insert(unknown.end(), code.begin(), code.end());
    known.insert(known.end(), code.begin(), code.end());
    std::vector<std::uint32_t> data(threads);
    for (std::uint32_t& one : data) one = random_data();
    const LaneState said = after(unknown, scattered_number()), is = after(known, own_lanes(data));
    for (int r = 0; r < 8; ++r) {
      const LaneRef &one = said.at({RegisterFile::Vector, r}), &other = is.at({RegisterFile::Vector, r});
      if (!one) continue;
      ASSERT_TRUE(other && other->known()) << fmt::format("R{}\n{}", r, fmt::join(code, "\n"));
      if (!one->known()) ++(one->scattered ? scattered : followed);
      for (std::size_t t = 0; t < threads; ++t) {
        const std::size_t first = one->by_warp ? t / warp_lanes * warp_lanes : 0;
        if (!one->scattered) {
          ASSERT_EQ(one->at(t) - one->at(first), other->at(t) - other->at(first))
              << "R" << r << fmt::format("\n{}", fmt::join(code, "\n"));
        }
        const std::uint32_t base = other->at(t) - one->at(t);
        if (one->zeros < 32) {
          ASSERT_EQ(base & ((1U << one->zeros) - 1), 0U) << fmt::format("R{}\n{}", r, fmt::join(code, "\n"));
        } else {
          ASSERT_EQ(base, 0U);
        }
      }
    }
  }
  EXPECT_GT(scattered, 3000U);
  EXPECT_GT(followed, 3000U) << "most of what is put together from unknown numbers is followed";
}

TEST(LaneState, SurvivesForeignOperands) {
  Random random(2);
  const std::vector<std::string> words = {"R0",
                                          "R254",
                                          "-R1.64",
                                          "~R2.reuse",
                                          "UR255",
                                          "c[0x0][0x210]",
                                          "c[0x3][R4]",
                                          "[R1+",
                                          "0x",
                                          "-",
                                          "[]",
                                          "desc[UR4]",
                                          "[R2.X16+0xffffffffff]",
                                          "PT",
                                          "!P7",
                                          "|R1|",
                                          "1e999",
                                          "",
                                          "RZ",
                                          "SR_",
                                          "0x7fffffffffffffff",
                                          "c[0x0][-0x8]"};
  const std::vector<std::string> names = {"IADD3",    "LEA.HI.SX32", "LEA",      "SHF.R.S32.HI", "SHF.L", "PRMT",
                                          "LOP3.LUT", "IMAD.WIDE",   "SEL",      "ISETP.GE.AND", "LDC",   "SHFL.IDX",
                                          "R2UR",     "S2UR",        "CALL.REL", "ULEA"};
  for (int round = 0; round < 5000; ++round) {
    Instruction instruction;
    const std::string name = names[random() % names.size()];
    instruction.opcode = name.substr(0, name.find('.'));
    if (name.contains('.')) instruction.modifiers = {name.substr(name.find('.') + 1)};
    for (std::uint32_t i = random() % 6; i > 0; --i) instruction.operands.push_back(words[random() % words.size()]);
    LaneState state;
    state.set({RegisterFile::Vector, 1}, constant_lanes(random()));
    const LaneLaunch launch{.threads = threads};
    evaluate(lane_operation(instruction), launch, state);
    for (const std::string& word : words) static_cast<void>(address_of(word, state));
  }
}

}  // namespace
}  // namespace warpclock
