#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

struct CUctx_st;

namespace warpclock {

/// What collect() counts: `launch`. `prepare` runs right before it and is not counted; it restores the state of the
/// caches and may be empty. Both must wait until their work has ended: work that is still running when `launch` begins,
/// or that begins after it ends, is counted wrongly. `launch` should only launch and wait.
struct CountedLaunch {
  std::function<Expected<void>()> prepare, launch;
};

using CounterValues = std::map<std::string, double>;  ///< by CUPTI metric name

/// Hardware counters through CUPTI's Range Profiler. A build without CUPTI has the same interface, and every call
/// returns error "counters-absent". WARPCLOCK_NO_COUNTERS=1 in the environment has the same effect.
/// WARPCLOCK_COUNTERS=refused or =absent simulates a machine without permission or without counters.
///
/// The profiler stays enabled on the context from a collect() until rest(); nothing may be timed in between. The
/// schedule for a set of metrics is computed once, so keep one object for many collections. Destroy it before its
/// context.
class Counters {
 public:
  /// Errors: "counters-refused" (no permission; the text says how to grant it), "counters-absent" (no CUPTI, or its
  /// profiler does not support the driver, device or chip).
  [[nodiscard]] static Expected<std::unique_ptr<Counters>> open(CUctx_st* context);
  virtual ~Counters() = default;

  /// Values of CUPTI metrics over each of `launches`, in their order. All launches are repeated for as many passes as
  /// the metrics need. A launch costs a millisecond. A pass with other metrics or another number of launches than the
  /// one before costs a fifth of a second (seen on an H200).
  ///
  /// A metric for which the hardware gives no value (NaN) is missing from the result. Errors: those of `prepare` and
  /// `launch`, "counters-unknown" (the chip has no such metric), "counters-refused", "counters" (CUPTI failed).
  [[nodiscard]] virtual Expected<std::vector<CounterValues>> collect(const std::vector<std::string>& names,
                                                                     const std::vector<CountedLaunch>& launches) = 0;

  /// Must be called before launches that are timed. Disables what collect() leaves enabled for the next collect(),
  /// because enabling takes a tenth of a second (seen on an H200).
  virtual void rest() {}

  /// CUPTI's name for the device's chip, "GH100".
  [[nodiscard]] virtual std::string chip() const = 0;
};

/// "available", or the reason why counters are missing.
[[nodiscard]] inline std::string counters_in_words(const std::string& missing) {
  return missing.empty() ? "available" : missing;
}

/// Whether this build has CUPTI.
[[nodiscard]] bool counters_built();

/// Loads CUPTI. Returns why it cannot be loaded; empty if it is, or if this build has none.
[[nodiscard]] std::string counters_library_missing();

/// Chips that CUPTI's host interface knows. Needs no GPU; empty without CUPTI.
[[nodiscard]] std::vector<std::string> counter_chips();

/// The names in `metrics` that `chip` does not have, in their order. Needs no GPU. Errors: "counters-absent" (no CUPTI,
/// or it does not support the chip).
[[nodiscard]] Expected<std::vector<std::string>> unknown_metrics(const std::string& chip,
                                                                 const std::vector<std::string>& metrics);

/// How often a launch must be repeated to read all of `metrics` on `chip`; 0 for no metrics. Needs no GPU. A device
/// that shares its counters (another profiler, a virtual GPU) may need more. Errors: "counters-absent",
/// "counters-unknown".
[[nodiscard]] Expected<std::size_t> counter_passes(const std::string& chip, const std::vector<std::string>& metrics);

/// The cubin of the module that `load` loads: the machine code that the GPU gets, also of PTX. CUPTI shows it. (The
/// cubin of the driver's linker can differ from it: the linker treats PTX as relocatable, and ptxas 13.0 gives
/// relocatable code other scoreboards in some kernels.) No permission for counters is needed. Errors: those of `load`;
/// "counters-absent" without CUPTI or where another profiler holds the process; "counters" if CUPTI fails or shows no
/// module.
[[nodiscard]] Expected<std::string> loaded_code(const std::function<Expected<void>()>& load);

/// Error "counters-refused": the driver reserves the counters for administrators. The text says how to change that.
[[nodiscard]] Error counters_refused();

/// Error "counters-absent", with the reason.
[[nodiscard]] Error counters_absent(std::string_view why);

/// The error that the environment requests instead of counters: WARPCLOCK_NO_COUNTERS (set, and neither empty nor 0) or
/// WARPCLOCK_COUNTERS=refused|absent. Nothing if it requests none.
[[nodiscard]] std::optional<Error> counters_switched_off();

}  // namespace warpclock
