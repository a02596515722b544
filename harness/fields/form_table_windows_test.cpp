#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "fields/form_table.hpp"
#include "fields/testing/catalogue_words.hpp"
#include "fields/testing/forms.hpp"
#include "fields/testing/write_forms.hpp"

// WARPCLOCK_ACCEPT=1 writes harness/fields/forms/. The first test adds forms of the catalogue that the file lacks, and
// records the distances that ptxas leaves. The second test learns the words of the file anew.

namespace warpclock {
namespace {

class FormTableOf : public ::testing::TestWithParam<Arch> {};
INSTANTIATE_TEST_SUITE_P(Arch, FormTableOf, ::testing::ValuesIn(verified_archs()),
                         [](const auto& of) { return to_string(of.param); });

std::uint64_t opcode_bits(const WordForm& form) { return form.word.low & 0xfff; }

WordForm without_reuse(WordForm form) {
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    if (form.fields[i].reuse) form.word = with_reuse(form, form.word, i, false).value();
    form.skeleton.numerals[i].reuse = false;
  }
  return form;
}

std::vector<WordForm> learn_all(const std::vector<Word>& words, const Arch& arch, Refusals refusals) {
  // Its first words show what the disassembler rejects for an opcode.
  constexpr std::size_t at_once = 24;
  std::vector<WordForm> all;
  for (std::size_t i = 0; i < words.size(); i += at_once) {
    const auto some = std::span(words).subspan(i, std::min(at_once, words.size() - i));
    auto learned = learn_forms(some, testing::printer(to_string(arch)), &refusals);
    if (!learned) {
      ADD_FAILURE() << learned.error().text;
      continue;
    }
    for (const WordForm& form : *learned) all.push_back(without_reuse(form));
  }
  return all;
}

/// Whether a source register has no reuse bit although other forms of its opcode have one.
bool may_lack_reuse(const WordForm& form, const std::set<std::uint64_t>& opcodes_with_reuse) {
  if (!opcodes_with_reuse.contains(opcode_bits(form))) return false;
  for (std::size_t i = 1; i < form.fields.size(); ++i) {
    const bool vector = form.skeleton.numerals[i].kind == Numeral::Kind::Register;
    const Field& field = form.fields[i];
    const bool source = field.known() && (field.bits[0] == 24 || field.bits[0] == 32 || field.bits[0] == 64);
    if (vector && source && !field.reuse) return true;
  }
  return false;
}

/// The forms of these words, added to the known ones. Some forms of an opcode have a register where others have none,
/// and the disassembler rejects the reuse bits of the latter. So forms that may lack a reuse bit are learned again.
FormTable learned_from(const std::vector<Word>& words, const Arch& arch, std::span<const WordForm> known = {}) {
  std::vector<WordForm> forms = learn_all(words, arch, {});
  const std::size_t fresh = forms.size();
  forms.insert(forms.end(), known.begin(), known.end());
  std::set<std::uint64_t> opcodes;
  for (const WordForm& form : forms) {
    if (std::ranges::any_of(form.fields, [](const Field& field) { return field.reuse.has_value(); }))
      opcodes.insert(opcode_bits(form));
  }
  std::vector<Word> again;
  for (std::size_t i = 0; i < fresh; ++i) {
    if (may_lack_reuse(forms[i], opcodes)) again.push_back(forms[i].word);
  }
  std::vector<WordForm> all = learn_all(again, arch, {.known = {}, .asked = {122, 123, 124}});
  std::ranges::move(forms, std::back_inserter(all));
  return FormTable(all);
}

void write_file(const FormTable& table, const Arch& arch) {
  std::ofstream(fmt::format("{}/harness/fields/forms/{}.txt", WARPCLOCK_SOURCE_DIR, to_string(arch)))
      << write_forms(table);
}

bool accepting() { return std::getenv("WARPCLOCK_ACCEPT") != nullptr; }

TEST_P(FormTableOf, HasEveryInstructionOfTheCatalogue) {
  const FormTable& known = forms_of(GetParam());
  std::vector<std::string> missing, differing;
  std::vector<Word> unknown;
  const auto seen = testing::catalogue_forms(GetParam());
  for (const auto& [key, of] : seen) {
    const WordForm* form = known.find(key);
    if (form == nullptr) {
      missing.push_back(key);
      unknown.push_back(of.words.front());
    } else if (form->encoded != of.encoded) {
      differing.push_back(key);
    }
  }
  if (accepting()) {
    FormTable learned = unknown.empty() ? known : learned_from(unknown, GetParam(), known.all());
    std::vector<WordForm> forms(learned.all().begin(), learned.all().end());
    for (WordForm& form : forms) {
      const auto at = seen.find(key_of(form));
      form.encoded = at == seen.end() ? std::nullopt : at->second.encoded;
    }
    return write_file(FormTable(forms), GetParam());
  }
  EXPECT_THAT(missing, IsEmpty());
  EXPECT_THAT(differing, IsEmpty()) << "ptxas leaves other distances";
}

TEST_P(FormTableOf, IsLearnedAnew) {
  const FormTable& known = forms_of(GetParam());
  const auto words = mapped(known.all(), &WordForm::word);
  FormTable learned = learned_from(words, GetParam());
  if (accepting()) {
    std::vector<WordForm> forms(learned.all().begin(), learned.all().end());
    for (WordForm& form : forms) {
      if (const WordForm* before = known.find(key_of(form)); before != nullptr) form.encoded = before->encoded;
    }
    return write_file(FormTable(forms), GetParam());
  }
  ASSERT_EQ(learned.all().size(), known.all().size());
  for (std::size_t i = 0; i < known.all().size(); ++i) EXPECT_EQ(text_of(learned.all()[i]), text_of(known.all()[i]));
}

}  // namespace
}  // namespace warpclock
