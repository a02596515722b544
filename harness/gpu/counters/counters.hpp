#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

struct CUctx_st;

namespace warpclock {

/// What collect() counts: `launch`, right after `prepare`, which is not counted (it restores cache state; may be
/// empty). Both must have waited for their work to end when they return: what is still running when `launch` begins, or
/// begins after it ends, is counted wrongly. `launch` should do nothing but launch and wait.
struct CountedLaunch {
  std::function<Expected<void>()> prepare, launch;
};

using CounterValues = std::map<std::string, double>;  ///< by CUPTI metric name

/// Hardware counters through CUPTI's Range Profiler. A build without CUPTI has the same interface, and every call
/// answers error "counters-absent". So does WARPCLOCK_NO_COUNTERS=1 in the environment; WARPCLOCK_COUNTERS=refused or
/// =absent plays a machine that answers so.
///
/// The profiler stays enabled on the context from a collect() until rest(); nothing is timed in between.
/// What a set of metrics needs is worked out once: keep one object for many collections. Destroy it before its context.
class Counters {
 public:
  /// Errors: "counters-refused" (no permission; the text says how to grant it), "counters-absent" (no CUPTI, or a
  /// driver, device or chip that its profiler does not serve).
  [[nodiscard]] static Expected<std::unique_ptr<Counters>> open(CUctx_st* context);
  virtual ~Counters() = default;

  /// Values of CUPTI metrics over each of `launches`, in their order, in as many passes over all of them as the metrics
  /// need. A launch costs a millisecond, and a pass over other metrics or another number of launches than the one
  /// before a fifth of a second (seen on an H200).
  ///
  /// A metric for which the hardware gives no value (NaN) is missing from the result. Errors: those of the two
  /// launches, "counters-unknown" (the chip has no such metric), "counters-refused", "counters" (CUPTI failed).
  [[nodiscard]] virtual Expected<std::vector<CounterValues>> collect(const std::vector<std::string>& names,
                                                                     const std::vector<CountedLaunch>& launches) = 0;

  /// To be called before launches that are timed: ends what collect() leaves enabled for the next collect(), since
  /// enabling takes a tenth of a second (seen on an H200).
  virtual void rest() {}

  /// CUPTI's name for the device's chip, "GH100".
  [[nodiscard]] virtual std::string chip() const = 0;
};

/// Whether this build has CUPTI at all.
[[nodiscard]] bool counters_built();

/// Chips that CUPTI's host interface knows, with no GPU needed; empty in a build without CUPTI.
[[nodiscard]] std::vector<std::string> counter_chips();

/// The names among `metrics` that `chip` does not have, in their order. Needs no GPU.
/// Errors: "counters-absent" (no CUPTI, or it does not serve the chip).
[[nodiscard]] Expected<std::vector<std::string>> unknown_metrics(const std::string& chip,
                                                                 const std::vector<std::string>& metrics);

/// How often a launch must be repeated to read all of `metrics` on `chip`; 0 for none. Needs no GPU. On a device that
/// shares its counters (another profiler, a virtual GPU) it can take more.
/// Errors: "counters-absent", "counters-unknown".
[[nodiscard]] Expected<std::size_t> counter_passes(const std::string& chip, const std::vector<std::string>& metrics);

}  // namespace warpclock
