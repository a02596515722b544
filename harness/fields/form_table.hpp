#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "fields/form.hpp"
#include "fields/skeleton.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What is one form, whatever its registers, numbers and control field: "@PT IADD3 R#, R#, -R#, RZ"; "MOV R#, R#" and
/// "MOV R#, UR#" are two. A sink (RZ, URZ, PT, UPT) stays as it is; the guard is always @PT, because any instruction
/// can have one.
[[nodiscard]] std::string key_of(const Skeleton& skeleton);
[[nodiscard]] std::string key_of(const WordForm& form);

/// The word without a guard, that waits for no scoreboard. The rest of its control field is ptxas' and says of what the
/// instruction needs one: a write barrier for its results, a read barrier for its sources.
[[nodiscard]] Word unguarded(Word word);

/// Forms by their keys.
class FormTable {
 public:
  FormTable() = default;
  /// Of forms of one key the first is kept.
  explicit FormTable(std::vector<WordForm> forms);

  /// Null where there is none.
  [[nodiscard]] const WordForm* find(std::string_view key) const;
  /// Sorted by key.
  [[nodiscard]] std::span<const WordForm> all() const { return forms_; }

 private:
  std::vector<WordForm> forms_;
  std::vector<std::string> keys_;  ///< of each
};

/// "@PT FFMA R10, R5, R10, R4: 12-14; 16-23; 24-31 reuse 122; ?; 64-71": the text, and where each of its numbers stands
/// in the 128 bits, the least significant bit first.
[[nodiscard]] std::string text_of(const WordForm& form);

/// What write_forms() wrote, or a person: a word as two numbers with WordForm::encoded, and below it, indented,
/// text_of(). '#' begins a
/// comment. Foreign input: error "forms" with the line, also where two forms have one key.
[[nodiscard]] Expected<FormTable> read_forms(std::string_view text);
[[nodiscard]] std::string write_forms(const FormTable& table);

/// What the program carries for an architecture (harness/fields/forms/); empty where it has no file.
[[nodiscard]] const FormTable& forms_of(const Arch& arch);

}  // namespace warpclock
