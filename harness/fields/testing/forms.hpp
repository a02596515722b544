#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "code/toolkit.hpp"
#include "code/word.hpp"
#include "fields/form.hpp"
#include "fields/testing/learn_forms.hpp"
#include "ptx/testing/testdata.hpp"

namespace warpclock::testing {

/// nvdisasm for an architecture such as "sm_90a".
inline PrintWords printer(const std::string& arch) {
  return [sm = "SM" + arch.substr(3)](std::uint64_t base, const std::string& code) -> Expected<std::string> {
    const auto nvdisasm = find_nvdisasm();
    return nvdisasm ? disassemble_raw(*nvdisasm, sm, base, code) : std::unexpected(nvdisasm.error());
  };
}

struct Recorded {
  std::string arch;
  Word word;
};

inline Recorded recorded(const std::string& line) {
  Recorded found;
  std::istringstream(line) >> found.arch >> std::hex >> found.word.low >> found.word.high;
  return found;
}

inline constexpr const char* forms_file = "harness/fields/testdata/forms.txt";

/// The form of an opcode's recorded word, learned anew.
inline WordForm form_of(const std::string& arch, const std::string& opcode) {
  for (const auto& [line, answer] : testdata(forms_file)) {
    if (!line.starts_with(arch + " ") || answer.find(" " + opcode + " ") == std::string::npos) continue;
    const std::vector<Word> words = {recorded(line).word};
    const auto learned = learn_forms(words, printer(arch));
    EXPECT_TRUE(learned) << learned.error().text;
    if (learned) return learned->front();
  }
  ADD_FAILURE() << "no " << opcode;
  return {};
}

/// Writes random values into every known number and reuse flag, and expects the disassembler to read exactly these.
/// Sinks are kept: with a register in its place, a form becomes another one, often printed with another opcode.
inline void expect_writable(const std::string& arch, std::span<const WordForm> forms) {
  std::minstd_rand random(1);
  std::vector<Word> words;
  std::vector<std::string> expected;
  for (const WordForm& form : forms) {
    for (int turn = 0; turn < 4; ++turn) {
      // If a word hints to yield, the disassembler does not print `.reuse`.
      Word word = with_control(form.word, {.stall = 1});
      Skeleton skeleton = form.skeleton;
      for (std::size_t numeral = 0; numeral < form.fields.size(); ++numeral) {
        const Field& field = form.fields[numeral];
        Numeral& now = skeleton.numerals[numeral];
        if (!field.known() || (now.last && numeral > 0)) continue;
        const bool number = now.kind == Numeral::Kind::Number;
        // Half of the range: whether the upper half is printed as a negative number differs between forms.
        const std::size_t bits = field.bits.size() - (number ? 1 : 0);
        const std::int64_t most = (std::int64_t{1} << bits) - 1;
        std::int64_t value = static_cast<std::int64_t>(random()) & most;
        if (!number && value == most) value = 0;
        if (now.kind == Numeral::Kind::Scoreboard) value %= scoreboards;
        now.last = false;
        now.value = value;
        const auto written = with_number(form, word, numeral, value);
        ASSERT_TRUE(written) << written.error().text;
        word = *written;
        if (field.reuse) {
          now.reuse = random() % 2 == 0;
          word = with_reuse(form, word, numeral, now.reuse).value();
        }
      }
      words.push_back(word);
      expected.push_back(text_of(skeleton));
    }
  }
  std::string code;
  for (const Word& word : words) append_word(code, word);
  const auto output = printer(arch)(0, code);
  ASSERT_TRUE(output) << output.error().text;
  const auto texts = raw_texts(*output, words, 0);
  ASSERT_TRUE(texts) << texts.error().text;
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(text_of(skeleton_of((*texts)[i])), expected[i]);
}

}  // namespace warpclock::testing
