#include "fields/form_table.hpp"

#include <fmt/format.h>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "fields/testing/forms.hpp"
#include "fields/testing/write_forms.hpp"

namespace warpclock {
namespace {

const std::string add =
    "0x0000000903097210 0x000fc80007ffe0ff 4\n"
    "  @PT IADD3 R9, R3, R9, RZ: 12-14; 16-23; 24-31 reuse 122; 32-39 reuse 123; 64-71 reuse 124\n";
const std::string load =
    "0x00006b0000047ab9 0x000fc40000000800\n"
    "  @PT ULDC UR4, c[0x0][0x1ac]: ?; 16-21; 54-58; 38-53\n";

std::string key(std::string_view text) { return key_of(skeleton_of(text)); }

TEST(FormKeys, AreTextsWithoutRegistersAndNumbers) {
  EXPECT_EQ(key("IADD3 R8, R12.reuse, -R9, R4"), "@PT IADD3 R#, R#, -R#, R#");
  EXPECT_EQ(key("@!P3 IADD3 R8, R12, -R9, RZ"), "@PT IADD3 R#, R#, -R#, RZ")
      << "a sink is another form, a guard is not";
  EXPECT_EQ(key("@UP1 UISETP.NE.AND UP1, UPT, UR7, URZ, !UPT"), "@PT UISETP.NE.AND UP#, UPT, UR#, URZ, !UPT");
  EXPECT_EQ(key("LDS R0, [RZ.reuse]"), "@PT LDS R#, [RZ+#]");
  EXPECT_EQ(key("FMUL R0, R1, 1.5"), "@PT FMUL R#, R#, #");
  EXPECT_EQ(key("DEPBAR.LE SB0, 0x1"), "@PT DEPBAR.LE #, #");
  EXPECT_EQ(key("MOV R1, UR4"), "@PT MOV R#, UR#") << "a register of another file is another form";
  EXPECT_EQ(key("NOP"), "@PT NOP");
  EXPECT_EQ(key(""), "@PT ");
}

TEST(FormKeys, AWordLosesItsGuardAndWhatItWaitsFor) {
  const Word word = unguarded({0x000000090309a210, 0x008fc80007ffe0ff | std::uint64_t{63} << 52});
  EXPECT_EQ(word.low, 0x0000000903097210);
  EXPECT_EQ(decode_control(word.high), (Control{.stall = 4, .yield = true}));
}

TEST(FormTables, AreReadAsTheyAreWritten) {
  const auto table = must(read_forms("# a comment\n\n" + load + add));
  ASSERT_EQ(table.all().size(), 2);
  const WordForm* form = table.find("@PT IADD3 R#, R#, R#, RZ");
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(form->word, (Word{0x0000000903097210, 0x000fc80007ffe0ff}));
  EXPECT_THAT(form->fields[1].bits, ElementsAre(16, 17, 18, 19, 20, 21, 22, 23));
  EXPECT_EQ(form->fields[2].reuse, 122);
  EXPECT_EQ(form->encoded, 4);
  EXPECT_EQ(table.find("@PT IADD3 R#, R#, R#, R#"), nullptr);
  EXPECT_EQ(write_forms(must(read_forms(write_forms(table)))), write_forms(table));
  EXPECT_THAT(write_forms(table), HasSubstr(add + load)) << "sorted by key";
}

TEST(FormTables, WhatIsWrongIsNamedWithItsLine) {
  const auto error = [](const std::string& text) {
    const auto table = read_forms(text);
    return table ? "none" : table.error().code + ": " + table.error().text;
  };
  EXPECT_EQ(error(add + add), "forms: line 4: '@PT IADD3 R#, R#, R#, RZ' is there twice");
  EXPECT_EQ(error("0x1 0x2\n0x1 0x2\n"), "forms: line 2: a word without its fields is above");
  EXPECT_EQ(error("0x1 0x2\n"), "forms: line 1: a word without its fields");
  EXPECT_EQ(error("  @PT NOP: ?\n"), "forms: line 1: fields without a word");
  for (const char* word : {"0x1", "1 2", "0x1 0x2 0x3", "0x1 0xg", "0x1  0x2", "0x11111111111111111 0x2"}) {
    EXPECT_THAT(error(word), HasSubstr("is no word")) << word;
  }
  EXPECT_EQ(error("0x1 0x2\n  @PT NOP\n"), "forms: line 2: no fields");
  EXPECT_EQ(error("0x1 0x2\n  @PT NOP: \n"), "forms: line 2: no fields");
  EXPECT_EQ(error("0x1 0x2\n  @PT NOP: 12-14; ?\n"), "forms: line 2: 1 numbers and 2 fields");
  EXPECT_EQ(error("0x1 0x2\n  @PT MOV R1, R2: ?; 16-23; 23-30\n"), "forms: line 2: bit 23 is of two numbers");
  EXPECT_EQ(error("0x1 0x2\n  @PT MOV R1, R2: ?; 16; 24 reuse 16\n"), "forms: line 2: bit 16 is of two numbers");
  for (const char* field : {"x", "128", "5-3", "1-", "-1", "1,", "? reuse", "? reuse 128", "1-200"}) {
    EXPECT_THAT(error(fmt::format("0x1 0x2\n  @PT NOP: {}\n", field)), HasSubstr("is not a field")) << field;
  }
}

class ShippedForms : public ::testing::TestWithParam<Arch> {
 protected:
  const FormTable& table_ = forms_of(GetParam());
  const std::string name_ = to_string(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Arch, ShippedForms, ::testing::ValuesIn(verified_archs()),
                         [](const auto& of) { return to_string(of.param); });

TEST_P(ShippedForms, AreSortedAndHaveOneFormAKey) {
  const std::string text = embedded_forms()[name_ + ".txt"];
  const auto table = read_forms(text);
  ASSERT_TRUE(table) << name_ << ".txt: " << table.error().text;
  EXPECT_GT(table->all().size(), 1000);
  EXPECT_EQ(table->all().size(), table_.all().size());
  EXPECT_TRUE(write_forms(*table) == text) << "WARPCLOCK_ACCEPT=1 fields_windows_test writes it";
  for (const WordForm& form : table->all()) EXPECT_EQ(form.word, unguarded(form.word)) << text_of(form);
}

TEST_P(ShippedForms, AreReadAsTheyAreWritten) { testing::expect_writable(name_, table_.all()); }

TEST_P(ShippedForms, ASampleIsLearnedAnew) {
  constexpr std::size_t sample = 10;
  std::vector<Word> words;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < sample; ++i) {
    const WordForm& form = table_.all()[(2 * i + 1) * table_.all().size() / (2 * sample)];
    words.push_back(form.word);
    expected.push_back(text_of(form));
  }
  const auto learned = must(learn_forms(words, testing::printer(name_)));
  for (std::size_t i = 0; i < sample; ++i) EXPECT_EQ(text_of(learned[i]), expected[i]);
}

TEST(FormTimes, AreReadAsTheyAreWritten) {
  const FormTimesByKey& shipped = form_times_of(parse_arch("sm_90a").value());
  ASSERT_GE(shipped.size(), 80U);
  EXPECT_EQ(read_form_times(write_form_times(shipped)).value(), shipped);
  for (const auto& [form, times] : shipped)
    EXPECT_NE(forms_of(parse_arch("sm_90a").value()).find(form), nullptr) << form;
  EXPECT_THAT(form_times_of(parse_arch("sm_80").value()), IsEmpty());
}

TEST(FormTimes, AMistakeIsAnErrorWithItsLine) {
  for (const std::string line : {"@PT X R#, R#", "@PT X R#, R#: 4", "@PT X R#, R#: four; 3", "@PT X R#, R#: 4; 3 x"}) {
    const auto read = read_form_times("# all\n@PT Y R#: 2; 4\n" + line + "\n");
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().place, "line 3") << line;
  }
  EXPECT_FALSE(read_form_times("@PT Y R#: 2; 4\n@PT Y R#: 2; 4\n"));
}

}  // namespace
}  // namespace warpclock
