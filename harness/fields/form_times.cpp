#include "fields/form_times.hpp"

#include <fmt/format.h>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {

Expected<FormTimesByKey> read_form_times(std::string_view text) {
  FormTimesByKey all;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || line.starts_with('#')) continue;
    const auto refuse = [&] { return fail("forms", "not a form with its cycles", fmt::format("line {}", number)); };
    const std::size_t colon = line.rfind(": "), end = line.find(';', colon);
    if (colon == line.npos || end == line.npos) return refuse();
    const auto interval = whole_number<int>(trim(line.substr(colon + 2, end - colon - 2)));
    if (!interval) return refuse();
    FormTimes times{*interval, {}};
    for (const std::string& stall : split(trim(line.substr(end + 1)), ' ')) {
      const auto cycles = whole_number<int>(stall);
      if (!cycles) return refuse();
      times.stalls.push_back(*cycles);
    }
    if (!all.emplace(line.substr(0, colon), std::move(times)).second) return refuse();
  }
  return all;
}

std::string write_form_times(const FormTimesByKey& all) {
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

const FormTimesByKey& form_times_of(const Arch& arch) {
  static const FormTimesByKey none;
  // A test reads it, so the fallback is never used.
  static const FormTimesByKey hopper =
      read_form_times(value_or(embedded_forms(), std::string("times_sm_90a.txt"), std::string())).value_or(none);
  return arch.sm == 90 ? hopper : none;
}

}  // namespace warpclock
