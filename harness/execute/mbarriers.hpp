#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "execute/stream.hpp"

namespace warpclock {

/// Where an mbarrier is, by its address.
struct MbarrierPlace {
  std::uint32_t rank = 0;   ///< of its block in the cluster
  std::uint32_t place = 0;  ///< in the shared memory of the block

  auto operator<=>(const MbarrierPlace&) const = default;
};
[[nodiscard]] MbarrierPlace mbarrier_place(std::uint64_t address);

/// The barrier of a cluster, as if it were an mbarrier, which no address has. The warps of a block come to it in turns.
inline constexpr std::uint32_t cluster_barrier = 0xffffffff;

/// The lanes that use each mbarrier.
[[nodiscard]] std::map<MbarrierPlace, LaneMask> lanes_by_mbarrier(LaneMask lanes, const LaneAddresses& addresses);

/// The words that SYNCS.EXCH stores: the lower one has the arrivals that are not expected, times two, and the highest
/// bit of the upper one the parity of the first phase. mbarrier.init begins with 0; what libraries write themselves may
/// begin with 1, so that the first wait of who fills a buffer does not wait.
[[nodiscard]] Meeting initialization(std::uint32_t place, std::uint32_t low, std::uint32_t high);

/// The mbarriers of a block, by their addresses in shared memory. PTX ISA, "mbarrier": a phase ends when all arrivals
/// that the barrier was initialized with have come, and all bytes that it was told to expect. Times are in cycles.
class Mbarriers {
 public:
  /// Returns whether a phase has ended with it; false for a barrier that was not initialized.
  bool meet(const Meeting& how, double cycle);
  /// When the last phase of this parity ended; nothing if it goes on. The phase before the first one has parity 1.
  [[nodiscard]] std::optional<double> ended(const MbarrierPhase& phase) const;
  [[nodiscard]] bool knows(std::uint32_t place) const { return all_.contains(place); }
  /// Bytes that are expected and have not come.
  [[nodiscard]] std::int64_t expected(std::uint32_t place) const;

 private:
  struct Mbarrier {
    std::int64_t arrivals = 0, pending = 0, bytes = 0, phase = 0;
    double last = 0, ended = 0;  ///< the last arrival or byte of this phase, and the end of the one before
  };
  std::map<std::uint32_t, Mbarrier> all_;
};

}  // namespace warpclock
