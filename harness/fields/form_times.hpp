#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
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
[[nodiscard]] std::string write_form_times(const FormTimesByKey& all);

/// Those of the tensor forms of sm_90, which all measured GPUs have in common (harness/fields/forms/times_sm_90a.txt).
/// Empty for other architectures.
[[nodiscard]] const FormTimesByKey& form_times_of(const Arch& arch);

}  // namespace warpclock
