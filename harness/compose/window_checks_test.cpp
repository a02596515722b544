#include "compose/window_checks.hpp"

#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "compose/hole_source.hpp"
#include "compose/placing.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

/// A chain of exponentials, each of which waits for the one before.
class WindowWaits : public ::testing::Test {
 protected:
  void SetUp() override {
    const Arch arch = parse_arch("sm_90a").value();
    const auto hole = must(make_hole(arch, find_nvdisasm().value(), hole_source(32, 1)));
    const Movers movers = movers_among(forms_of(arch).all());
    Placer placer(hole, movers);
    std::vector<Copy> copies;
    for (int i = 0; i < 4; ++i) {
      auto copy = placer.place(*forms_of(arch).find("@PT MUFU.EX2 R#, R#"), {.through = 0});
      ASSERT_TRUE(copy) << copy.error().text;
      copies.push_back(*std::move(copy));
    }
    filling_ = must(placer.finish(copies));
    Placer another(hole, movers);
    for (Copy& copy : copies) copy = must(another.place(*forms_of(arch).find("@PT MUFU.EX2 R#, R#"), {.through = 0}));
    loop_ = must(another.finish_loop(copies, 3));
  }

  /// Changes the control field of a word of the window, and gives the verdict.
  template <class Change>
  std::string with(std::size_t at, Change change) {
    Filling changed = filling_;
    Control control = decode_control(changed.window[at].high);
    change(control);
    changed.window[at] = with_control(changed.window[at], control);
    const auto verdict = check_waits(changed);
    return verdict ? "" : verdict.error().code + ": " + verdict.error().text;
  }

  Filling filling_, loop_;
};

TEST_F(WindowWaits, WhatIsComposedPasses) { EXPECT_TRUE(check_waits(filling_)); }

TEST_F(WindowWaits, AMissingWaitIsFound) {
  EXPECT_THAT(with(2, [](Control& control) { control.wait_mask = 0; }),
              HasSubstr("scoreboard: '@PT MUFU.EX2 R#, R#' reads R"));
}

TEST_F(WindowWaits, AMissingWaitFromTripToTripIsFound) {
  EXPECT_TRUE(check_waits(loop_));
  for (std::size_t i = 4; i < loop_.window.size(); ++i) {
    Control control = decode_control(loop_.window[i].high);
    control.wait_mask = 0;
    loop_.window[i] = with_control(loop_.window[i], control);
  }
  EXPECT_THAT(failure_of(check_waits(loop_)).text, HasSubstr("'@PT MUFU.EX2 R#, R#' reads R"));
}

TEST_F(WindowWaits, AScoreboardThatIsNeverSetIsFound) {
  EXPECT_THAT(with(0, [](Control& control) { control.write_barrier = -1; }), HasSubstr("which no earlier word sets"));
  EXPECT_THAT(with(3, [](Control& control) { control.wait_mask |= 1U << 5; }), HasSubstr("waits for scoreboard 5"));
}

TEST_F(WindowWaits, AResultWithoutAScoreboardIsFound) {
  Filling changed = filling_;
  for (Word& word : changed.window) {
    Control control = decode_control(word.high);
    control.write_barrier = -1, control.wait_mask = 0;
    word = with_control(word, control);
  }
  EXPECT_THAT(failure_of(check_waits(changed)).text, HasSubstr("no scoreboard signals"));
}

TEST_F(WindowWaits, AWaitRightBehindTheSettingWordIsFound) {
  EXPECT_THAT(with(1, [](Control& control) { control.stall = 1; }), HasSubstr("too close after"));
}

TEST_F(WindowWaits, ARegisterMayNotBeOverwrittenBeforeItWasRead) {
  const Register data{RegisterFile::Vector, 9};
  const Word reader = filling_.window[0], writer = {.low = 1, .high = reader.high};
  Filling filling;
  filling.placed = {{with_control(reader, {.stall = 1}), "STS", {.writes = {}, .sources = {{data}}}},
                    {with_control(writer, {.stall = 1}), "MOV", {.writes = {data}, .sources = {}}}};
  const auto verdict = [&](unsigned wait_mask) {
    filling.window = {with_control(reader, {.stall = 2, .read_barrier = 4}),
                      with_control(writer, {.stall = 1, .wait_mask = wait_mask})};
    return check_waits(filling);
  };
  EXPECT_TRUE(verdict(1U << 4));
  EXPECT_THAT(failure_of(verdict(0)).text, HasSubstr("overwrites R9 before scoreboard 4 says"));
}

}  // namespace
}  // namespace warpclock
