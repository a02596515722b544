#include "fields/form.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "fields/testing/forms.hpp"
#include "fields/testing/write_forms.hpp"

namespace warpclock {
namespace {

using testing::form_of;
using testing::forms_file;
using testing::printer;
using testing::recorded;

/// The forms of the recorded words of an architecture, by line. They are learned only once.
const std::map<std::string, WordForm>& learned(const std::string& arch) {
  static std::map<std::string, std::map<std::string, WordForm>> known;
  auto [at, fresh] = known.try_emplace(arch);
  if (!fresh) return at->second;
  std::vector<std::string> of_arch;
  std::vector<Word> words;
  for (const std::string& line : lines(read_committed(forms_file))) {
    if (!line.starts_with(arch + " ")) continue;
    of_arch.push_back(line);
    words.push_back(recorded(line).word);
  }
  auto forms = learn_forms(words, printer(arch));
  EXPECT_TRUE(forms) << arch << ": " << forms.error().text;
  for (std::size_t i = 0; forms && i < words.size(); ++i) at->second[of_arch[i]] = std::move((*forms)[i]);
  return at->second;
}

std::string text_of_word(const std::string& arch, Word word) {
  std::string code;
  append_word(code, word);
  const auto output = printer(arch)(0, code);
  if (!output) return output.error().text;
  const auto texts = raw_texts(*output, std::span(&word, 1), 0);
  return texts ? text_of(skeleton_of(texts->front())) : texts.error().text;
}

void expect_recorded(const std::string& arch) {
  const auto answer = [](const std::string& line) { return text_of(learned(recorded(line).arch).at(line)); };
  for (const auto& [line, expected] : testdata(forms_file, answer)) {
    if (!line.starts_with(arch + " ")) continue;
    EXPECT_EQ(answer(line), expected) << line;
  }
}

class Forms : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Arch, Forms, ::testing::Values("sm_80", "sm_90a", "sm_100a", "sm_120a"),
                         [](const auto& of) { return of.param; });

TEST_P(Forms, AreLearnedAndWritten) {
  expect_recorded(GetParam());
  std::vector<WordForm> forms;
  for (const auto& [line, form] : learned(GetParam())) {
    // A branch is printed with its target.
    if (form.skeleton.text.find(" BRA ") == std::string::npos) forms.push_back(form);
  }
  testing::expect_writable(GetParam(), forms);
}

TEST(WordForms, ARegisterCanBeAnother) {
  const WordForm form = form_of("sm_90a", "FFMA");
  Word word = form.word;
  for (const auto& [numeral, value] : std::vector<std::pair<std::size_t, int>>{{1, 20}, {2, 21}, {3, 22}, {4, -1}}) {
    word = with_number(form, word, numeral, value).value();
  }
  word = with_control(word, {.stall = 4});
  EXPECT_EQ(text_of_word("sm_90a", word), "@PT FFMA R20, R21, R22, RZ");
  EXPECT_EQ(text_of_word("sm_90a", with_reuse(form, word, 3, true).value()), "@PT FFMA R20, R21, R22.reuse, RZ");
  EXPECT_EQ(text_of_word("sm_90a", with_number(form, word, 0, 2).value()), "@P2 FFMA R20, R21, R22, RZ");
}

TEST(WordForms, WhatDoesNotFitIsRefused) {
  const WordForm form = form_of("sm_90a", "FFMA");
  EXPECT_THAT(with_number(form, form.word, 1, 255).error().text, HasSubstr("cannot be 255"));
  EXPECT_THAT(with_number(form, form.word, 0, 7).error().text, HasSubstr("number 0 of '@PT FFMA"));
  EXPECT_EQ(with_number(form, form.word, 1, -2).error().code, "field");
  EXPECT_THAT(with_number(form, form.word, 9, 1).error().text, HasSubstr("has no known field"));
  const WordForm wait = form_of("sm_90a", "DEPBAR.LE");
  EXPECT_EQ(with_number(wait, wait.word, 1, -1).error().code, "field") << "no scoreboard is called SBZ";
  EXPECT_EQ(with_number(wait, wait.word, 1, 6).error().code, "field") << "there are six";
  EXPECT_THAT(with_reuse(form, form.word, 1, true).error().text, HasSubstr("has no reuse bit")) << "a destination";
}

TEST(WordForms, ANumberCanHaveAllBitsOfHalfAWord) {
  WordForm form{Word{}, skeleton_of("MOV.64 0x0"), std::vector<Field>(2)};
  for (std::uint8_t bit = 0; bit < 64; ++bit) form.fields[1].bits.push_back(bit);
  for (const std::int64_t value :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(static_cast<std::int64_t>(must(with_number(form, form.word, 1, value)).low), value);
  }
  form.fields[1].bits.push_back(64);
  EXPECT_THAT(with_number(form, form.word, 1, 0).error().text, HasSubstr("more than 64 bits"));
}

TEST(WordForms, AControlFieldIsReadAsItWasWritten) {
  for (const Control& control : {Control{.stall = 15, .write_barrier = 5, .wait_mask = 63},
                                 Control{.stall = 0, .yield = true, .read_barrier = 0, .wait_mask = 1}}) {
    const Word before{~std::uint64_t{0}, ~std::uint64_t{0}}, after = with_control(before, control);
    EXPECT_EQ(decode_control(after.high), control);
    EXPECT_EQ(after.low, before.low);
    EXPECT_EQ(after.high | std::uint64_t{0x1fffff} << 41, before.high) << "nothing else changes";
  }
}

/// A disassembler that prints the low byte as a register. It rejects words with bit 20 or 21 (its error has their
/// addresses) or bit 30 (where it ends, without an address).
Expected<std::string> picky(std::uint64_t base, const std::string& code) {
  std::string out, complaint;
  for (const Word& word : words_of(code)) {
    if ((word.low >> 30 & 1) != 0) return fail("nvdisasm", complaint.empty() ? "out of memory" : complaint);
    if ((word.low >> 20 & 3) != 0) complaint += fmt::format("Unrecognized at address {:#x}; ", base);
    out += fmt::format("/*{:x}*/ OP R{} ; /* {:#018x} */\n/* {:#018x} */\n", base, word.low >> 12 & 7, word.low,
                       word.high);
    base += 16;
  }
  if (!complaint.empty()) return fail("nvdisasm", complaint);
  return out;
}

TEST(WordForms, BitsThatTheDisassemblerRefusesSayNothing) {
  const std::vector<Word> words = {{0x3000, 0}, {0x2000, 0}};
  int runs = 0;
  const auto forms = learn_forms(words, [&](std::uint64_t base, const std::string& code) {
    ++runs;
    return picky(base, code);
  });
  ASSERT_TRUE(forms) << forms.error().text;
  EXPECT_THAT((*forms)[0].fields[1].bits, ElementsAre(12, 13, 14));
  EXPECT_EQ(runs, 4) << "two bits are refused in one run";
}

TEST(WordForms, WordsThatTheDisassemblerRefusesAreAnError) {
  const std::vector<Word> words = {{1 << 20, 0}};
  EXPECT_THAT(learn_forms(words, picky).error().text, HasSubstr("Unrecognized at address 0x100000000"));
}

}  // namespace
}  // namespace warpclock
