#include "gpu/counters/counters_error.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace warpclock {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Error counters_refused() {
  return {"counters-refused",
          "the NVIDIA driver keeps hardware counters for administrators: run as root or with CAP_SYS_ADMIN (in a "
          "container: --cap-add=SYS_ADMIN), or load the nvidia kernel module with "
          "NVreg_RestrictProfilingToAdminUsers=0",
          ""};
}

Error counters_absent(std::string_view why) {
  return {"counters-absent", fmt::format("no hardware counters: {}", why), ""};
}

std::optional<Error> counters_switched_off() {
  const std::string off = variable("WARPCLOCK_NO_COUNTERS");
  if (!off.empty() && off != "0") return counters_absent("switched off by WARPCLOCK_NO_COUNTERS");
  const std::string play = variable("WARPCLOCK_COUNTERS");
  if (play == "refused") return counters_refused();
  if (play == "absent") return counters_absent("WARPCLOCK_COUNTERS=absent plays a machine without CUPTI's profiler");
  return std::nullopt;
}

}  // namespace warpclock
