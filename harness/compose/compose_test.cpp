#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "build/verdict.hpp"
#include "code/forms_fixture.hpp"
#include "compose/copies.hpp"
#include "compose/hole_fixture.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;
using testing::listing_of;

constexpr std::size_t room = 80;

Expected<Hole> make_hole(const std::string& arch, const std::string& source = hole_source(room)) {
  return testing::make_hole(arch, source);
}

/// A window that was filled and read back.
struct ReadBack {
  Listing listing;
  std::size_t first = 0;  ///< index of the first word
};

std::optional<ReadBack> read_back(const std::string& arch, const Hole& hole, const std::vector<Word>& words) {
  const auto image = fill_hole(hole, words);
  EXPECT_TRUE(image) << image.error().text;
  if (!image) return std::nullopt;
  auto listing = listing_of(arch, *image);
  EXPECT_TRUE(listing) << listing.error().text;
  if (!listing) return std::nullopt;
  return ReadBack{*std::move(listing), hole.open + 1};
}

class Compose : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Arch, Compose, ::testing::Values("sm_80", "sm_90a", "sm_100a", "sm_120a"),
                         [](const auto& of) { return of.param; });

/// What is composed is what nvdisasm reads back, word for word, between two clock reads; the verifier finds the chain.
TEST_P(Compose, ChainsAreReadBackAndVerified) {
  const auto hole = make_hole(GetParam());
  ASSERT_TRUE(hole) << hole.error().text;
  EXPECT_EQ(hole->quads.size(), 16);
  EXPECT_EQ(hole->room, room);
  for (const std::string opcode : {"FFMA", "HADD2", "HMMA.16816.F32", "SHFL.BFLY"}) {
    const WordForm form = testing::form_of(GetParam(), opcode);
    ASSERT_FALSE(form.fields.empty());
    const CopyPlan copies{.n = 12, .through = 0, .stall = 7};
    const auto words = compose_copies(form, hole->quads, copies);
    ASSERT_TRUE(words) << words.error().text;
    const auto back = read_back(GetParam(), *hole, *words);
    ASSERT_TRUE(back);
    const std::string text = back->listing.instructions[back->first].text;
    for (std::size_t i = 0; i < words->size(); ++i) {
      const Instruction& instruction = back->listing.instructions[back->first + i];
      EXPECT_EQ(instruction.text, text);
      EXPECT_EQ((Word{instruction.low, instruction.high}), (*words)[i]);
      EXPECT_EQ(instruction.control.stall, 7);
    }
    Expectation expect;
    expect.target = {opcode};
    expect.count = {{std::string("n")}};
    expect.chain = true;
    expect.operand = 0;
    expect.close = Close::Issue;
    const Verdict verdict = verify(back->listing, expect, {}, copies.n);
    EXPECT_TRUE(verdict.verified()) << opcode << ": " << verdict.code << ": " << verdict.text;
    EXPECT_EQ(verdict.close - verdict.open - 1, words->size()) << "nothing else is in the window";
    EXPECT_EQ(verdict.encoded_cycles.value_or(7), 7);
    EXPECT_EQ(verdict.encoded_cycles.has_value(), opcode != "SHFL.BFLY") << "a scoreboard says when";
  }
}

TEST_P(Compose, IndependentCopiesHaveRegistersOfTheirOwn) {
  const auto hole = make_hole(GetParam());
  ASSERT_TRUE(hole) << hole.error().text;
  const auto words =
      compose_copies(testing::form_of(GetParam(), "FFMA"), hole->quads, {.n = 9, .chains = 4, .stall = 2});
  ASSERT_TRUE(words) << words.error().text;
  const auto back = read_back(GetParam(), *hole, *words);
  ASSERT_TRUE(back);
  const std::vector<int>& quads = hole->quads;
  for (std::size_t i = 0; i < words->size(); ++i) {
    EXPECT_EQ(back->listing.instructions[back->first + i].text,
              fmt::format("FFMA R{}, R{}, R{}, R{}", quads[i % 4], quads[4], quads[5], quads[6]));
  }
}

class ComposeOn90 : public ::testing::Test {
 protected:
  static const Hole& hole() {
    static const Hole made = make_hole("sm_90a").value();
    return made;
  }
};

TEST_F(ComposeOn90, TheClosingReadWaitsForEveryScoreboard) {
  const auto words = compose_copies(testing::form_of("sm_90a", "SHFL.BFLY"), hole().quads, {.n = 6, .chains = 3});
  ASSERT_TRUE(words) << words.error().text;
  const auto back = read_back("sm_90a", hole(), *words);
  ASSERT_TRUE(back);
  const Instruction& close = back->listing.instructions[back->first + words->size()];
  EXPECT_EQ(close.opcode, "CS2R");
  EXPECT_EQ(close.control.wait_mask & 7U, 7U);
  for (std::size_t i = words->size() + 1; i <= room; ++i) {
    EXPECT_EQ(back->listing.instructions[back->first + i].opcode, "NOP");
  }
}

TEST_F(ComposeOn90, AHoleHasAnEnd) {
  const WordForm form = testing::form_of("sm_90a", "FFMA");
  const auto most = compose_copies(form, hole().quads, {.n = static_cast<int>(room - hole_rest)});
  EXPECT_TRUE(fill_hole(hole(), *most));
  const auto more = compose_copies(form, hole().quads, {.n = static_cast<int>(room - hole_rest) + 1});
  EXPECT_THAT(fill_hole(hole(), *more).error().text, HasSubstr("77 words are too many for 76"));
}

TEST_F(ComposeOn90, WhatTheHoleHasNoOperandsForIsSaid) {
  const auto why = [&](const std::string& opcode, const CopyPlan& copies = {}) {
    const auto words = compose_copies(testing::form_of("sm_90a", opcode), hole().quads, copies);
    return words ? "composed" : words.error().text;
  };
  EXPECT_THAT(why("LDS.128"), HasSubstr("has an address"));
  EXPECT_THAT(why("UIADD3"), HasSubstr("has a uniform register"));
  EXPECT_THAT(why("FFMA", {.chains = 14}), HasSubstr("finds no room in 16 quads for 14 chains"));
  EXPECT_EQ(why("FFMA", {.chains = 13}), "composed");
  EXPECT_THAT(why("MUFU.RCP", {.through = 1}), HasSubstr("has no register in source 1"));
}

TEST_F(ComposeOn90, AnotherKernelIsNoHole) {
  const auto why = [](const std::string& from, const std::string& to) {
    const auto made = make_hole("sm_90a", replace_all(hole_source(room), from, to));
    return made ? "a hole" : made.error().text;
  };
  EXPECT_EQ(why("lop3.b32", "lop3.b32"), "a hole");
  EXPECT_THAT(why("lop3.b32 wq0_0, wq0_0", "lop3.b32 wq0_0, wq0_3"), HasSubstr("in it"));
  EXPECT_THAT(why("mov.u64 w_closed, %clock64;", "mov.u64 w_closed, 0;"), HasSubstr("the clock is read 1 times"));
  EXPECT_THAT(why("{wq5_0, wq5_1, wq5_2, wq5_3}, [", "{wq5_0, wq5_1, wq5_3, wq5_2}, ["),
              HasSubstr("stores what was not loaded"));
  EXPECT_THAT(why("bar.sync 0;", "bar.sync 0; add.u32 wq7_1, wq7_1, 3;"), HasSubstr("writes to a quad"));
}

}  // namespace
}  // namespace warpclock
