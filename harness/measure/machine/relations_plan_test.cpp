#include "measure/machine/relations_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/testing/matchers.hpp"
#include "code/listing.hpp"
#include "code/toolkit.hpp"
#include "compose/window_checks.hpp"
#include "measure/machine/testing/ground.hpp"

namespace warpclock {
namespace {

class RelationsPlan : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Arch, RelationsPlan, ::testing::Values("sm_80", "sm_90a", "sm_100a", "sm_120a"),
                         [](const auto& of) { return of.param; });

/// nvdisasm reads every word as intended, every filling fits, and most relations can be composed.
TEST_P(RelationsPlan, WhatIsPlacedIsReadBackAsIntended) {
  const Ground& ground = ground_of(GetParam());
  std::set<Word> seen;
  std::vector<PlacedWord> words;
  std::size_t composed = 0, all = 0;
  const auto take = [&](const Expected<ComposedWindows>& windows) {
    ++all;
    if (!windows) return;
    ++composed;
    for (const Filling& filling : windows->fillings) {
      ASSERT_LE(filling.window.size(), room_for_window(ground.hole, filling));
      for (const PlacedWord& placed : filling.placed) {
        if (seen.insert(placed.word).second) words.push_back(placed);
      }
    }
  };
  for (const DependencePlan& plan : dependence_plans(ground.table, ground.movers)) {
    take(dependence_windows(plan, ground.hole, ground.movers));
  }
  constexpr std::array lengths{8, 20};
  for (const auto& plans : {pair_plans(ground.table, ground.movers), bank_plans(ground.table, ground.movers),
                            fetch_plans(ground.table, ground.movers, {})}) {
    for (const StudyPlan& plan : plans) take(study_windows(plan, lengths, ground.hole, ground.movers));
  }
  EXPECT_GE(composed * 100, all * 95) << composed << " of " << all;
  const auto misread = misreadings(parse_arch(GetParam()).value(), find_nvdisasm().value(), words);
  ASSERT_EQ(misread.size(), words.size());
  EXPECT_THAT(misread, Each(IsEmpty()));
}

/// Rows in which every class has an interval of `cycles`.
std::vector<Row> rows_with(const Ground& ground, double cycles) {
  std::vector<Row> rows;
  for (const WordForm& form : ground.table.all()) {
    Row& row = rows.emplace_back();
    row.id = key_of(form);
    row.estimates = {{.name = "interval", .value = cycles}};
  }
  return rows;
}

/// nvdisasm reads both branches with the intended targets, and the code of each half of the warps lies between them.
TEST_P(RelationsPlan, HalfOfTheWarpsExecuteOtherCode) {
  const Ground& ground = ground_of(GetParam());
  const auto plans = warps_plans(ground.table, ground.movers, rows_with(ground, 2));
  ASSERT_GE(plans.size(), 100U);
  std::vector<PlacedWord> words;
  std::set<Word> seen;
  for (const StudyPlan& plan : plans) {
    const auto windows = warps_windows(plan, has_multiply(plan) ? ground.wide : ground.hole, ground.movers);
    ASSERT_TRUE(windows) << plan.study.id << ": " << windows.error().text;
    ASSERT_EQ(windows->fillings.size(), 6) << plan.study.id;
    for (const Filling& filling : windows->fillings) {
      ASSERT_TRUE(check_waits(filling)) << plan.study.id << ": " << check_waits(filling).error().text;
      EXPECT_EQ(std::ranges::count_if(filling.placed, [](const PlacedWord& one) { return one.distance.has_value(); }),
                2);
      for (const PlacedWord& placed : filling.placed) {
        if (seen.insert(placed.word).second) words.push_back(placed);
      }
    }
  }
  const auto misread = misreadings(parse_arch(GetParam()).value(), find_nvdisasm().value(), words);
  ASSERT_EQ(misread.size(), words.size());
  EXPECT_THAT(misread, Each(IsEmpty()));
}

class RelationsPlanOn90 : public ::testing::Test {
 protected:
  static DependencePlan plan_of(const std::string& producer, const std::string& consumer) {
    const Ground& ground = ground_of("sm_90a");
    for (DependencePlan& plan : dependence_plans(ground.table, ground.movers)) {
      if (key_of(*plan.producer.form) == producer && key_of(*plan.consumer.form) == consumer) return std::move(plan);
    }
    ADD_FAILURE() << producer << " -> " << consumer;
    return {};
  }
  /// The instructions of each filling's window.
  static std::vector<std::vector<Instruction>> texts_of(const std::vector<Filling>& fillings) {
    std::vector<Word> words;
    std::string code;
    for (const Filling& filling : fillings) {
      words.insert(words.end(), filling.window.begin(), filling.window.end());
      for (const Word& word : filling.window) append_word(code, word);
    }
    const auto output = disassemble_raw(find_nvdisasm().value(), "SM90a", 0, code);
    EXPECT_TRUE(output);
    const auto texts = raw_texts(*output, words, 0);
    EXPECT_TRUE(texts);
    std::vector<std::vector<Instruction>> all;
    auto text = texts->begin();
    for (const Filling& filling : fillings) {
      auto& of_one = all.emplace_back();
      while (of_one.size() < filling.window.size()) of_one.push_back(*parse_instruction(*text++));
    }
    return all;
  }
  static constexpr const char *add = "@PT IADD3 R#, R#, R#, R#", *fma = "@PT FFMA R#, R#, R#, R#",
                              *exp2 = "@PT MUFU.EX2 R#, R#";
};

TEST_F(RelationsPlanOn90, AConsumerReadsTheProducersResultAtTheStallCount) {
  const Ground& ground = ground_of("sm_90a");
  const auto windows = must(dependence_windows(plan_of(add, fma), ground.hole, ground.movers));
  const auto all = texts_of(windows.fillings);
  std::set<int> stalls;
  for (const MachineWindow& window : windows.windows) {
    stalls.insert(window.stall);
    const Filling& filling = windows.fillings[window.filling];
    const auto& texts = all[window.filling];
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      EXPECT_EQ(texts[i].opcode, "IADD3");
      EXPECT_EQ(texts[i + 1].opcode, "FFMA");
      EXPECT_EQ(texts[i + 1].operands[1], texts[i].operands[0]) << "the result is its first source";
      EXPECT_EQ(decode_control(filling.window[i].high).stall, window.stall);
      EXPECT_EQ(decode_control(filling.window[i + 1].high).stall, safe_stall);
      const std::string& before = texts[i == 0 ? 1 : i - 1].operands[0];
      EXPECT_EQ(texts[i].operands[1], before) << "and it goes back";
    }
  }
  EXPECT_THAT(stalls, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 15));
}

TEST_F(RelationsPlanOn90, AConsumerWaitsForAProducersScoreboard) {
  const Ground& ground = ground_of("sm_90a");
  const auto windows = must(dependence_windows(plan_of(exp2, add), ground.hole, ground.movers));
  const auto all = texts_of(windows.fillings);
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Filling& filling = windows.fillings[at];
    const auto& texts = all[at];
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      const Control producer = decode_control(filling.window[i].high);
      const Control consumer = decode_control(filling.window[i + 1].high);
      ASSERT_GE(producer.write_barrier, 0);
      EXPECT_TRUE(consumer.wait_mask >> producer.write_barrier & 1U);
      EXPECT_EQ(consumer.stall, safe_stall) << "which is subtracted";
      EXPECT_EQ(texts[i + 1].operands[1], texts[i].operands[0]);
    }
  }
}

TEST_F(RelationsPlanOn90, AMultiplyIsFollowedByWhatTakesEquallyLong) {
  const Ground& ground = ground_of("sm_90a");
  std::vector<Row> rows(2);
  rows[0].id = "@PT HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#, gsb0";
  rows[0].estimates = {{.name = "interval", .value = 32}};
  rows[1].id = "@PT MUFU.EX2 R#, R#";
  rows[1].estimates = {{.name = "interval", .value = 8}};
  const auto plans = multiply_plans(ground.table, ground.movers, rows);
  ASSERT_EQ(plans.size(), 1) << "only what has an interval";
  EXPECT_EQ(plans[0].study.id, "wgmma/HGMMA.64x64x16.F32+4 MUFU.EX2");
  const auto windows = must(multiply_windows(plans[0], ground.wide, ground.movers));
  std::vector<std::string> opcodes;
  const auto texts = texts_of({windows.fillings[0]});
  ASSERT_EQ(texts.size(), 1);
  for (const Instruction& one : texts[0]) opcodes.push_back(one.opcode);
  ASSERT_GT(opcodes.size(), 8);
  EXPECT_EQ(opcodes.front(), "WARPGROUP");
  opcodes.erase(opcodes.begin());
  opcodes.resize(6);
  EXPECT_THAT(opcodes, ElementsAre("HGMMA", "MUFU", "MUFU", "MUFU", "MUFU", "HGMMA"));
}

TEST_F(RelationsPlanOn90, SourcesAreInTheBanksOfTheStudy) {
  const Ground& ground = ground_of("sm_90a");
  constexpr std::array lengths{8};
  std::set<std::vector<int>> banks;
  std::vector<Row> studies;
  std::vector<Filling> fillings;
  for (const StudyPlan& plan : bank_plans(ground.table, ground.movers)) {
    if (plan.study.forms.front() != fma) continue;
    fillings.push_back(must(study_windows(plan, lengths, ground.hole, ground.movers)).fillings.front());
    studies.push_back(plan.study);
    banks.insert(plan.study.machine.banks);
  }
  const auto all = texts_of(fillings);
  for (std::size_t at = 0; at < all.size(); ++at) {
    for (const Instruction& one : all[at]) {
      std::vector<int> read, kept;
      std::set<std::string> different;
      for (std::size_t i = 1; i < one.operands.size(); ++i) {
        const std::string name = one.operands[i].substr(0, one.operands[i].find('.'));
        different.insert(name);
        read.push_back(std::stoi(name.substr(1)) % 2);
        kept.push_back(one.operands[i].ends_with(".reuse") ? 1 : 0);
      }
      EXPECT_EQ(read, studies[at].machine.banks) << one.text;
      EXPECT_EQ(kept, studies[at].machine.reuse) << one.text;
      EXPECT_EQ(different.size(), 3) << one.text;
    }
  }
  EXPECT_EQ(banks.size(), 8);
}

TEST_F(RelationsPlanOn90, MultipliesHaveTheReuseFlagsOfTheStudy) {
  const Ground& ground = ground_of("sm_90a");
  constexpr std::array lengths{8};
  std::set<std::string> forms;
  std::set<std::vector<int>> flags;
  std::vector<Row> studies;
  std::vector<Filling> fillings;
  for (const StudyPlan& plan : bank_plans(ground.table, ground.movers)) {
    if (!plan.study.machine.banks.empty()) continue;
    fillings.push_back(must(study_windows(plan, lengths, ground.hole, ground.movers)).fillings.front());
    studies.push_back(plan.study);
    forms.insert(plan.study.forms.front());
    flags.insert(plan.study.machine.reuse);
  }
  EXPECT_EQ(forms.size(), 4);
  EXPECT_THAT(flags,
              ElementsAre(std::vector{0, 0, 0}, std::vector{0, 1, 0}, std::vector{1, 0, 0}, std::vector{1, 1, 0}));
  const auto all = texts_of(fillings);
  for (std::size_t at = 0; at < all.size(); ++at) {
    for (const Instruction& one : all[at]) {
      std::vector<int> kept;
      for (std::size_t i = 1; i < one.operands.size(); ++i) kept.push_back(one.operands[i].contains(".reuse") ? 1 : 0);
      EXPECT_EQ(kept, studies[at].machine.reuse) << one.text;
    }
  }
}

TEST_F(RelationsPlanOn90, LongCodeIsAlsoIssuedAtItsPaceAndWithTheYieldHint) {
  const Ground& ground = ground_of("sm_90a");
  Row row{.id = "@PT HMMA.16816.F32 R#, R#, R#, R#", .estimates = {{.name = "interval", .value = 6.02}}};
  const auto plans = fetch_plans(ground.table, ground.movers, std::span(&row, 1));
  const auto plan =
      std::ranges::find_if(plans, [&](const StudyPlan& one) { return one.study.forms.front() == row.id; });
  ASSERT_NE(plan, plans.end());
  constexpr std::array lengths{8};
  const auto windows = must(study_windows(*plan, lengths, ground.hole, ground.movers));
  std::set<std::pair<int, bool>> fields;
  for (const Filling& filling : windows.fillings) {
    const Control control = decode_control(filling.window.front().high);
    fields.insert({control.stall, control.yield});
  }
  EXPECT_EQ(fields, (std::set<std::pair<int, bool>>{{1, false}, {1, true}, {6, false}, {6, true}}));
}

TEST_F(RelationsPlanOn90, EachHalfOfTheWarpsSkipsTheCodeOfTheOther) {
  const Ground& ground = ground_of("sm_90a");
  const auto plans = warps_plans(ground.table, ground.movers, rows_with(ground, 2));
  const auto plan = std::ranges::find(plans, std::string("warps/1 FFMA+1 MUFU.EX2"),
                                      [](const StudyPlan& one) { return one.study.id; });
  ASSERT_NE(plan, plans.end());
  const auto windows = must(warps_windows(*plan, ground.hole, ground.movers));
  const std::vector<Instruction> window = texts_of(windows.fillings).front();
  // n copies of each, and two branches. The first one goes to what follows the second.
  const std::size_t n = static_cast<std::size_t>(windows.windows.front().n);
  ASSERT_EQ(window.size(), 2 * n + 2);
  EXPECT_EQ(window[0].opcode, "BRA");
  EXPECT_EQ(window[0].predicate[0], 'P');
  EXPECT_EQ(window[n + 1].opcode, "BRA");
  EXPECT_TRUE(window[n + 1].predicate.empty());
  for (std::size_t i = 1; i <= n; ++i) {
    EXPECT_EQ(window[i].opcode, "FFMA");
    EXPECT_EQ(window[n + 1 + i].opcode, "MUFU");
  }
  EXPECT_EQ(window[0].operands[0], fmt::format("0x{:x}", (n + 2) * word_bytes));
  EXPECT_EQ(window[n + 1].operands[0], fmt::format("0x{:x}", (2 * n + 2) * word_bytes));
}

}  // namespace
}  // namespace warpclock
