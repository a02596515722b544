#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "capture/capture.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// What a launch accesses from one of its pointers on.
struct AccessedRange {
  double bytes = 0, stored = 0;     ///< as AccessedBytes has them
  std::optional<std::int64_t> ago;  ///< of the pointer (CapturedPointer)
  std::int64_t address = 0;         ///< of the pointer; 0: not known
  std::optional<UsedBelow> below;   ///< of the pointer
};

/// What a launch accesses, by the number of the buffer in its options.
using AccessedRanges = std::map<int, AccessedRange>;
using RangesOfLaunch = std::function<const AccessedRanges&(std::size_t launch)>;

/// What L2 has when a launch begins.
struct LeftInL2 {
  std::map<int, double> parts;  ///< of what the launch accesses of each buffer (PredictOptions::in_l2)
  std::map<int, double> apart;  ///< PredictOptions::stored_apart
  double stored = 0;            ///< bytes of launches before that it has to write back, at most
};

/// Whether a cache with room for so many bytes of machine code has none of the launch's own when it begins: since a
/// launch of its kernel, others had more. Launches before it as in left_in_l2(); `code_bytes`: of a kernel.
[[nodiscard]] bool code_is_gone(const Capture& capture, std::size_t launch,
                                const std::function<double(std::int64_t)>& code_bytes, double room);

/// If L2 keeps what was accessed last. The launches before it are those after which each most often began, and what
/// they access counts once. Nothing if it is not known what came before.
[[nodiscard]] LeftInL2 left_in_l2(const Capture& capture, std::size_t launch, const RangesOfLaunch& ranges,
                                  double l2_bytes);

/// Whether an error says nothing about what was to be read or executed: another time it may not happen.
[[nodiscard]] bool is_of_the_moment(const Error& error);

/// What captured launches access.
class LaunchRanges {
 public:
  /// `folder` is that of the capture.
  LaunchRanges(const Capture& capture, std::filesystem::path folder);

  /// By execution on the GPU's L1. Of a launch that cannot be executed: from each pointer to the next one that any
  /// launch has, if L2 has room for it; these are no buffers of its options.
  /// Errors: why the kernel could not be read or executed this time, if it may be another time.
  [[nodiscard]] Expected<AccessedRanges> of(std::size_t launch, const Expected<LoadedKernel>& kernel,
                                            const Machine& machine) const;

 private:
  [[nodiscard]] Expected<AccessedRanges> executed(const CapturedLaunch& launch, const LoadedKernel& kernel,
                                                  const Machine& machine) const;
  [[nodiscard]] AccessedRanges by_pointers(const CapturedLaunch& launch, double l2_bytes) const;

  const Capture& capture_;
  std::filesystem::path folder_;
  std::set<std::int64_t> pointers_;  ///< addresses
};

}  // namespace warpclock
