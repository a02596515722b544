#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "fields/form_table.hpp"

namespace warpclock {

/// The word without a guard and without waits for scoreboards. The rest of its control field is the one that ptxas
/// wrote. It shows whether the instruction needs a write scoreboard for its results and a read scoreboard for its
/// sources.
[[nodiscard]] inline Word unguarded(Word word) {
  constexpr std::uint64_t guard = 0xf000, always = 0x7000;
  word.low = (word.low & ~guard) | always;
  Control control = decode_control(word.high);
  control.wait_mask = 0;
  return with_control(word, control);
}

/// "16-23", "54-58,40".
inline std::string ranges_text(const std::vector<std::uint8_t>& bits) {
  std::string text;
  for (std::size_t i = 0; i < bits.size();) {
    std::size_t end = i + 1;
    while (end < bits.size() && bits[end] == bits[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", bits[i]);
    if (end > i + 1) text += fmt::format("-{}", bits[end - 1]);
    i = end;
  }
  return text;
}

/// What read_forms() reads of a form.
[[nodiscard]] inline std::string text_of(const WordForm& form) {
  std::string text = text_of(form.skeleton) + ":";
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    const Field& field = form.fields[i];
    text += fmt::format(" {}", field.known() ? ranges_text(field.bits) : "?");
    if (field.reuse) text += fmt::format(" reuse {}", *field.reuse);
    if (i + 1 < form.fields.size()) text += ';';
  }
  return text;
}

[[nodiscard]] inline std::string write_forms(const FormTable& table) {
  std::string text =
      "# Words that ptxas made, and the fewest cycles that it encodes before the result is read. Below each what "
      "learn_forms() finds in it: the text, and for each number its place\n"
      "# in the 128 bits, with its reuse bit. WARPCLOCK_ACCEPT=1 rewrites them (fields_windows_test).\n";
  for (const WordForm& form : table.all()) {
    text += fmt::format("{:#018x} {:#018x}", form.word.low, form.word.high);
    if (form.encoded) text += fmt::format(" {}", *form.encoded);
    text += fmt::format("\n  {}\n", text_of(form));
  }
  return text;
}

[[nodiscard]] inline std::string write_form_times(const FormTimesByKey& all) {
  std::string text =
      "# Forms on the tensor pipe: cycles between two issues, and for each source operand the fewest cycles after "
      "which\n"
      "# another one of the form may read the result (0: none is known). All GPUs in reports/ have the same\n"
      "# (machine.json.gz: issue_interval, minimum_stall).\n";
  for (const auto& [key, times] : all)
    text += fmt::format("{}: {}; {}\n", key, times.interval,
                        join(mapped(times.stalls, [](int stall) { return std::to_string(stall); }), " "));
  return text;
}

}  // namespace warpclock
