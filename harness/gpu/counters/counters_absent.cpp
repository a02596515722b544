#if !defined(WARPCLOCK_HAVE_CUPTI)

#include "gpu/counters/counters.hpp"
#include "gpu/counters/counters_error.hpp"
#include "gpu/counters/loaded_code.hpp"

namespace warpclock {

namespace {

std::unexpected<Error> not_built() {
  return std::unexpected(
      counters_absent("this build of warpclock has no CUPTI (configure with -DWARPCLOCK_CUPTI=ON and "
                      "a CUDA Toolkit 12.6 or newer)"));
}

}  // namespace

Expected<std::unique_ptr<Counters>> Counters::open(CUctx_st*) {
  if (const std::optional<Error> off = counters_switched_off()) return std::unexpected(*off);
  return not_built();
}

bool counters_built() { return false; }

std::string counters_library_missing() { return {}; }

std::vector<std::string> counter_chips() { return {}; }

Expected<std::vector<std::string>> unknown_metrics(const std::string&, const std::vector<std::string>&) {
  return not_built();
}

Expected<std::string> loaded_code(const std::function<Expected<void>()>&) { return not_built(); }

Expected<std::size_t> counter_passes(const std::string&, const std::vector<std::string>&) { return not_built(); }

}  // namespace warpclock

#endif
