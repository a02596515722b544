#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "fields/form.hpp"
#include "fields/skeleton.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What GPUs answered about a form of fixed latency.
struct FormTimes {
  int interval = 0;         ///< cycles between two issues
  std::vector<int> stalls;  ///< by source operand: the fewest cycles after which one of its form may read its
                            ///< result; 0 if that is not known
  bool operator==(const FormTimes&) const = default;
};

/// By key_of() a form.
using FormTimesByKey = std::map<std::string, FormTimes, std::less<>>;

/// Reads lines "@PT HMMA.1688.F16 R#, R#, R#, R#: 4; 13 12 10". '#' begins a comment. Error "forms" with the line.
[[nodiscard]] Expected<FormTimesByKey> read_form_times(std::string_view text);

/// Those of the tensor forms of sm_90, which all measured GPUs have in common (harness/fields/forms/times_sm_90a.txt).
/// Empty for other architectures.
[[nodiscard]] const FormTimesByKey& form_times_of(const Arch& arch);

/// What identifies a form, independent of registers, numbers and control field: "@PT IADD3 R#, R#, -R#, RZ"; "MOV R#,
/// R#" and "MOV R#, UR#" are two forms. A sink (RZ, URZ, PT, UPT) is kept. The guard is always @PT, because any
/// instruction may have one.
[[nodiscard]] std::string key_of(const Skeleton& skeleton);
[[nodiscard]] std::string key_of(const WordForm& form);
/// "FFMA.FTZ" of the key "@PT FFMA.FTZ R#, R#, R#, R#", or of an instruction's text.
[[nodiscard]] std::string name_in(const std::string& key);
/// The same, followed by " with RZ" if a source is that register: "IMAD.WIDE.U32 with RZ".
[[nodiscard]] std::string name_with_zero(const std::string& key);

/// Forms by their keys.
class FormTable {
 public:
  FormTable() = default;
  /// Keeps the first of several forms with one key.
  explicit FormTable(const std::vector<WordForm>& forms);

  /// Null if there is none.
  [[nodiscard]] const WordForm* find(std::string_view key) const;
  /// Sorted by key.
  [[nodiscard]] std::span<const WordForm> all() const { return forms_; }

 private:
  std::vector<WordForm> forms_;
  std::vector<std::string> keys_;  ///< one for each form
};

/// Reads a word as two numbers with WordForm::encoded, and below it, indented, what it is and the bits of each of its
/// numbers, the least significant first: "@PT FFMA R10, R5, R10, R4: 12-14; 16-23; 24-31 reuse 122; ?; 64-71". '#'
/// begins a comment. The text is foreign input: error "forms" with the line, also if two forms have the same key.
[[nodiscard]] Expected<FormTable> read_forms(std::string_view text);

/// The forms that the program carries for an architecture (harness/fields/forms/); empty if it has no such file.
[[nodiscard]] const FormTable& forms_of(const Arch& arch);

/// Those of the newest architecture that is no newer than this one and has such a file, else of the oldest. Whether
/// they hold for another architecture shows when the disassembler reads the words back.
[[nodiscard]] const FormTable& nearest_forms_of(const Arch& arch);

}  // namespace warpclock
