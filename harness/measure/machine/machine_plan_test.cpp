#include "measure/machine/machine_plan.hpp"

#include <fmt/format.h>

#include <set>
#include <span>
#include <string>

#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "code/word.hpp"
#include "compose/window_checks.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/testing/ground.hpp"

namespace warpclock {
namespace {

std::vector<std::string> read_back(const std::string& arch, const std::vector<Word>& words) {
  std::string code;
  for (const Word& word : words) append_word(code, word);
  const auto output = disassemble_raw(find_nvdisasm().value(), "SM" + arch.substr(3), 0, code);
  if (!output) return {};
  const auto texts = must(raw_texts(*output, words, 0));
  return {texts.begin(), texts.end()};
}

class MachinePlan : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Arch, MachinePlan, ::testing::Values("sm_80", "sm_90a", "sm_100a", "sm_120a"),
                         [](const auto& of) { return of.param; });

/// nvdisasm reads every word of every form's first chain and first independent copies as that form with the intended
/// registers.
TEST_P(MachinePlan, WhatIsPlacedIsReadBackAsIntended) {
  const Ground& ground = ground_of(GetParam());
  std::vector<PlacedWord> words;
  for (const WordForm& form : ground.table.all()) {
    const auto subject = machine_subject(form, ground.movers);
    if (!subject) continue;
    Placer placer(ground.hole_for(*subject), ground.movers);
    std::vector<Placement> placements{{.chain = 0}, {.chain = 3, .constants = 2}};
    for (const ChainRoute& route : subject->routes) {
      if (route.why_not.empty() && route.bridge.form == nullptr) {
        placements.push_back({.through = route.source, .through_address = route.through_address});
      }
    }
    for (const Placement& placement : placements) {
      const auto copy = placer.place(form, placement);
      if (!copy) continue;
      words.push_back({with_control(copy->word, {.stall = 1}), key_of(form), copy->effects});
    }
  }
  const auto misread = misreadings(parse_arch(GetParam()).value(), find_nvdisasm().value(), words);
  ASSERT_EQ(misread.size(), words.size());
  ASSERT_FALSE(words.empty());
  EXPECT_THAT(misread, Each(IsEmpty()));
}

/// Each filling fits, and the resulting image is read back word for word.
TEST_P(MachinePlan, EveryFirstWindowFitsIntoTheHole) {
  const Ground& ground = ground_of(GetParam());
  std::size_t with_windows = 0, forms = 0;
  for (const WordForm& form : ground.table.all()) {
    ++forms;
    const auto subject = machine_subject(form, ground.movers);
    if (!subject) continue;
    const auto composed = first_windows(*subject, ground.hole_for(*subject), ground.movers);
    if (!composed) continue;
    ++with_windows;
    for (const Filling& filling : composed->fillings) {
      ASSERT_LE(filling.window.size(), room_for_window(ground.hole_for(*subject), filling)) << key_of(form);
    }
  }
  EXPECT_GE(with_windows * 100, forms * 85) << with_windows << " of " << forms;
}

class MachinePlanOn90 : public ::testing::Test {
 protected:
  static ComposedWindows windows_of(const std::string& key) {
    const Ground& ground = ground_of("sm_90a");
    const WordForm* form = ground.table.find(key);
    EXPECT_NE(form, nullptr) << key;
    if (form == nullptr) return {};
    subject = machine_subject(*form, ground.movers).value();
    return must(first_windows(subject, ground.hole_for(subject), ground.movers));
  }
  static const Filling& filling_of(const ComposedWindows& composed, const MachineWindow& window) {
    return composed.fillings[window.filling];
  }
  static std::vector<std::string> texts_of(const ComposedWindows& composed, const MachineWindow& window) {
    return read_back("sm_90a", filling_of(composed, window).window);
  }
  static inline MachineSubject subject;
};

TEST_F(MachinePlanOn90, AChainReadsWhatItsLastCopyWrote) {
  const auto composed = windows_of("@PT FFMA R#, R#, R#, R#");
  const auto at = std::ranges::find_if(composed.windows, [](const MachineWindow& one) {
    return one.kind == MachineWindow::Kind::Stale && one.source == 1 && one.n == 7 && one.stall == 4;
  });
  ASSERT_NE(at, composed.windows.end());
  const auto texts = texts_of(composed, *at);
  ASSERT_EQ(texts.size(), 7);
  std::set<std::string> constants;
  const int result = ground_of("sm_90a").hole.quads[0];
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Instruction one = parse_instruction(texts[i]).value();
    EXPECT_EQ(one.operands[0], fmt::format("R{}", result));
    EXPECT_EQ(one.operands[2], fmt::format("R{}", result));
    constants.insert(one.operands[1] + one.operands[3]);
    EXPECT_EQ(decode_control(filling_of(composed, *at).window[i].high).stall, 4);
  }
  EXPECT_EQ(constants.size(), 7) << "a stale read leaves out a sum of its own";
}

TEST_F(MachinePlanOn90, TwoBanksGiveTheSourcesOfIndependentCopies) {
  std::size_t seen = 0;
  const auto composed = windows_of("@PT FFMA R#, R#, R#, R#");
  for (const MachineWindow& window : composed.windows) {
    if (window.kind != MachineWindow::Kind::Issue || window.n != 16 || window.warps != 1) continue;
    const auto texts = texts_of(composed, window);
    ASSERT_EQ(texts.size(), 16 + 4) << "the last count the trips";
    for (const std::string& text : std::span(texts).first(16)) {
      const Instruction one = parse_instruction(text).value();
      const auto number = [&](std::size_t operand) { return std::stoi(one.operands[operand].substr(1)); };
      EXPECT_NE(number(1) % 2, number(2) % 2) << text;
      EXPECT_EQ(number(2), number(3)) << text;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 16);
}

TEST_F(MachinePlanOn90, AChainOfLoadsReadsItsOwnAddress) {
  const Hole& hole = ground_of("sm_90a").hole;
  const auto composed = windows_of("@PT LDG.E R#, desc[UR#+#][R#.64+#]");
  const auto at = std::ranges::find(composed.windows, MachineWindow::Kind::Chain, &MachineWindow::kind);
  ASSERT_NE(at, composed.windows.end());
  const auto texts = texts_of(composed, *at);
  ASSERT_FALSE(texts.empty());
  EXPECT_THAT(texts.front(),
              HasSubstr(fmt::format("LDG.E R{0}, desc[UR{1}][R{0}.64]", hole.quads[0], hole.descriptor_register)));
  EXPECT_EQ(decode_control(filling_of(composed, *at).window[0].high).wait_mask, 0);
  EXPECT_NE(decode_control(filling_of(composed, *at).window[1].high).wait_mask, 0) << "the second waits for the first";
  const auto before = read_back("sm_90a", filling_of(composed, *at).before);
  EXPECT_EQ(before.back(), fmt::format("MOV R{}, R{}", hole.quads[0] + 1, hole.global[0] + 1));
}

TEST_F(MachinePlanOn90, WhatHasAnotherFileForItsResultIsBroughtBack) {
  const auto composed = windows_of("@PT ISETP.GE.AND P#, PT, R#, R#, PT");
  const auto at = std::ranges::find(composed.windows, MachineWindow::Kind::Stale, &MachineWindow::kind);
  ASSERT_NE(at, composed.windows.end());
  const auto texts = texts_of(composed, *at);
  ASSERT_GE(texts.size(), 2);
  EXPECT_THAT(texts[0], HasSubstr("ISETP"));
  EXPECT_THAT(texts[1], HasSubstr("SEL"));
  ASSERT_FALSE(subject.routes.empty());
  EXPECT_EQ(subject.routes.front().bridge.source, 2);
}

TEST_F(MachinePlanOn90, MultipliesOfAWarpGroupAddToTheirAccumulatorsAndEndTheirBatch) {
  const Ground& ground = ground_of("sm_90a");
  const auto composed = windows_of("@PT HGMMA.64x128x16.F32 R#, gdesc[UR#+#], R#");
  const auto issue = std::ranges::find(composed.windows, MachineWindow::Kind::Issue, &MachineWindow::kind);
  ASSERT_NE(issue, composed.windows.end());
  const auto texts = texts_of(composed, *issue);
  ASSERT_EQ(texts.size(), issue->n + 3);
  EXPECT_EQ(texts.front(), "WARPGROUP.ARRIVE");
  EXPECT_EQ(texts.back(), "WARPGROUP.DEPBAR.LE gsb0, 0x0");
  const int first = ground.wide.accumulators;
  EXPECT_THAT(texts[1], HasSubstr(fmt::format("F32 R{0}, gdesc[UR", first)));
  EXPECT_THAT(texts[2], HasSubstr(fmt::format("], R{}", first + 64)));
  EXPECT_THAT(texts[texts.size() - 3], Not(HasSubstr("gsb0")));
  EXPECT_THAT(texts[texts.size() - 2], HasSubstr("gsb0"));
  const auto before = read_back("sm_90a", filling_of(composed, *issue).before);
  EXPECT_EQ(before.size(), 4);
  EXPECT_THAT(before.back(), HasSubstr(fmt::format(", R{}", ground.wide.descriptors + 3)));
}

TEST_F(MachinePlanOn90, AChainOfMultipliesWithBatchesWaitsForEach) {
  const auto composed = windows_of("@PT HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#, gsb0");
  const auto chain = std::ranges::find(composed.windows, MachineWindow::Kind::Chain, &MachineWindow::kind);
  ASSERT_NE(chain, composed.windows.end());
  const auto texts = texts_of(composed, *chain);
  ASSERT_EQ(texts.size(), 1 + 2 * chain->n);
  EXPECT_EQ(texts[0], "WARPGROUP.ARRIVE");
  EXPECT_THAT(texts[3], HasSubstr("HGMMA"));
  EXPECT_THAT(texts[3], HasSubstr("gsb0"));
  EXPECT_EQ(texts[4], "WARPGROUP.DEPBAR.LE gsb0, 0x0");
}

TEST_F(MachinePlanOn90, ABarrierRunsWithAsManyWarpsAsItExpects) {
  const auto composed = windows_of("@PT BAR.ARV R#, #");
  ASSERT_FALSE(composed.windows.empty());
  const auto texts = texts_of(composed, composed.windows.front());
  const Hole& hole = ground_of("sm_90a").hole;
  for (const MachineWindow& window : composed.windows) EXPECT_EQ(window.warps % 2, 0);
  EXPECT_EQ(texts.front(), fmt::format("BAR.ARV R{}, 0x40", hole.quads.back() + 3));
  const auto before = read_back("sm_90a", filling_of(composed, composed.windows.front()).before);
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(before.front(), fmt::format("MOV R{}, RZ", hole.quads.back() + 3));
}

// A warp blocks some cycles after it arrived; copies that issue sooner would not wait for each other.
TEST_F(MachinePlanOn90, BarriersAreAsFarApartAsPtxasLeavesThem) {
  const auto composed = windows_of("@PT BAR.SYNC.DEFER_BLOCKING #");
  ASSERT_FALSE(composed.windows.empty());
  for (const MachineWindow& window : composed.windows) {
    EXPECT_EQ(window.stall, 8);
    const auto& words = filling_of(composed, window).window;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) EXPECT_EQ(decode_control(words[i].high).stall, 8) << i;
  }
}

TEST_F(MachinePlanOn90, SixteenRegistersBeginAtAMultipleOfSixteen) {
  const auto composed = windows_of("@PT DMMA.16x8x16 R#, R#, R#, R#");
  std::vector<Word> words;  // of all fillings, because each start of nvdisasm takes a while
  std::vector<std::size_t> begins;
  for (const Filling& filling : composed.fillings) {
    begins.push_back(words.size());
    words.insert(words.end(), filling.window.begin(), filling.window.end());
  }
  const auto texts = read_back("sm_90a", words);
  ASSERT_EQ(texts.size(), words.size());
  int chains = 0;
  for (const MachineWindow& window : composed.windows) {
    for (const std::string& text :
         std::span(texts).subspan(begins[window.filling], filling_of(composed, window).window.size())) {
      const Instruction multiply = parse_instruction(text).value();
      if (multiply.opcode != "DMMA") continue;  // it counts trips
      const Effects effects = effects_of(multiply);
      const int a = effects.sources[0].front().index, result = effects.writes.front().index;
      ASSERT_EQ(a % 16, 0) << text;
      if (window.kind == MachineWindow::Kind::Issue) continue;
      ASSERT_EQ(effects.sources[static_cast<std::size_t>(window.source)].front().index, result) << text;
      ++chains;
    }
  }
  EXPECT_GE(chains, 3 * 4);
}

TEST_F(MachinePlanOn90, WhatIsNotSetUpIsSaid) {
  const Ground& ground = ground_of("sm_90a");
  const auto why = [&](const std::string& key) {
    const WordForm* form = ground.table.find(key);
    if (form == nullptr) return "no form " + key;
    const auto made = machine_subject(*form, ground.movers);
    return made ? std::string("composed") : made.error().code + ": " + made.error().text;
  };
  EXPECT_EQ(why("@PT BSYNC #"), "set-up: BSYNC ends a region of divergence");
  EXPECT_EQ(why("@PT WARPSYNC.ALL"), "composed");
  EXPECT_EQ(why("@PT FFMA R#, R#, R#, R#"), "composed");
}

}  // namespace
}  // namespace warpclock
