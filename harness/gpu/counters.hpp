#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

struct CUctx_st;

namespace warpclock {

/// Hardware counters through CUPTI's Range Profiler. A build without CUPTI has the same interface, and every call
/// answers error "counters-absent".
class Counters {
 public:
  /// Errors: "counters-refused" (no permission; the text says how to grant it), "counters-absent" (no CUPTI, or a
  /// driver without its profiler).
  [[nodiscard]] static Expected<std::unique_ptr<Counters>> open(CUctx_st* context);
  virtual ~Counters() = default;

  /// Values of CUPTI metrics over `launch`, in as many passes as they need. `prepare` runs before each pass outside
  /// the measured range (it restores cache state). Both must leave their work in the current context's stream 0.
  [[nodiscard]] virtual Expected<std::map<std::string, double>> collect(const std::vector<std::string>& names,
                                                                        const std::function<Expected<void>()>& prepare,
                                                                        const std::function<Expected<void>()>& launch) = 0;
  [[nodiscard]] virtual std::string chip() const = 0;
};

/// Chips that CUPTI's host interface knows, with no GPU needed; empty in a build without CUPTI.
[[nodiscard]] std::vector<std::string> counter_chips();

/// The names among `metrics` that `chip` does not have. Needs no GPU.
[[nodiscard]] Expected<std::vector<std::string>> unknown_metrics(const std::string& chip,
                                                                 const std::vector<std::string>& metrics);

}  // namespace warpclock
