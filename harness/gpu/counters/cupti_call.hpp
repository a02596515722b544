#pragma once

#include <cupti_result.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

/// A zeroed CUPTI parameter struct that states its own size, as each call demands.
#define WARPCLOCK_CUPTI_PARAMS(type, name) \
  type name{};                             \
  name.structSize = type##_STRUCT_SIZE

namespace warpclock {

/// CUPTI's answer as an error: "counters-refused" without permission, "counters-absent" where this device, chip or
/// driver is not served, "counters" otherwise, with what was being done and CUPTI's name of the failure.
[[nodiscard]] Expected<void> check_cupti(CUptiResult result, std::string_view doing);

/// The list of C strings that CUPTI takes for `names`; valid as long as they are.
[[nodiscard]] inline std::vector<const char*> name_pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

}  // namespace warpclock
