#if defined(WARPCLOCK_HAVE_CUPTI)

#include "gpu/counters/cupti_library.hpp"

#include <fmt/format.h>

#include "code/toolkit.hpp"
#include "gpu/counters/counters_error.hpp"

namespace warpclock {
namespace {

Expected<Cupti> load_cupti() {
  const auto handle = load_library({.name = "libcupti.so",
                                    .built_with = WARPCLOCK_CUPTI_DEFAULT,
                                    .companions = {"libnvperf_host.so", "libnvperf_target.so"}});
  if (!handle) return std::unexpected(counters_absent(handle.error().text));
  Cupti functions;
  const char* missing = nullptr;
#define WARPCLOCK_LOAD(name)                     \
  load_function(*handle, #name, functions.name); \
  if (functions.name == nullptr) missing = #name;
  WARPCLOCK_CUPTI_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  if (missing != nullptr)
    return std::unexpected(counters_absent(fmt::format("CUPTI has no {}: install CUDA Toolkit 13.0", missing)));
  return functions;
}

}  // namespace

const Expected<Cupti>& cupti_library() {
  static const Expected<Cupti> library = load_cupti();
  return library;
}

}  // namespace warpclock

#endif
