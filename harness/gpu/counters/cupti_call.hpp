#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/counters/cupti_library.hpp"

/// A zeroed CUPTI parameter struct with its own size filled in, as each call requires.
#define WARPCLOCK_CUPTI_PARAMS(type, name) \
  type name{};                             \
  name.structSize = type##_STRUCT_SIZE

namespace warpclock {

/// CUPTI's result as an error: "counters-refused" without permission, "counters-absent" if CUPTI does not support this
/// device, chip or driver, "counters" otherwise. The text says what was being done and how CUPTI names the failure.
[[nodiscard]] Expected<void> check_cupti(CUptiResult result, std::string_view doing);

/// The list of C strings that CUPTI takes for `names`; valid as long as `names`.
[[nodiscard]] inline std::vector<const char*> name_pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

}  // namespace warpclock
