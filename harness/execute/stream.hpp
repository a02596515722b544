#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "execute/forms/code_step.hpp"
#include "execute/forms/lanes.hpp"
#include "execute/forms/semantics.hpp"
#include "execute/mapped_tensor.hpp"

namespace warpclock {

using LaneAddresses = std::array<std::uint64_t, warp_lanes>;

/// A phase of an mbarrier.
struct MbarrierPhase {
  std::uint32_t mbarrier = 0;  ///< its place in the block
  bool parity = false;
};

/// What a warp does where warps of a block meet.
struct Meeting {
  enum class Kind : std::uint8_t { Barrier, Initialize, Arrive, Await, Copy, Store };
  Kind kind = Kind::Barrier;
  bool parity = false;         ///< Await: of the phase; Initialize: of the first phase
  std::uint32_t index = 0;     ///< of the instruction in the listing
  std::uint32_t place = 0;     ///< the number of a barrier, or where an mbarrier is in its block
  std::uint32_t rank = 0;      ///< in the cluster: of the block that the barrier or mbarrier is in
  std::uint32_t arrivals = 0;  ///< Barrier: the threads that it waits for, 0: all
  std::int64_t bytes = 0;      ///< that the mbarrier expects from now on; below 0: that have come, or are stored

  bool operator==(const Meeting&) const = default;
};

/// What a bulk or tensor copy takes from global memory, or brings there.
struct BulkCopy {
  std::vector<MemoryRow> rows;
  int receivers = 1;  ///< blocks of the cluster to which it brings the same

  [[nodiscard]] std::uint64_t bytes() const;
};

/// A store for other blocks: which of those of its block, from 0.
struct StoredBefore {
  std::uint64_t block = 0, number = 0;
};

/// Which way lanes go that nothing decides.
struct ChosenWay {
  bool jumps = false;  ///< or ends
  /// What the instructions from `first` to `last` write is no longer known: they would be executed again.
  std::uint32_t first = 1, last = 0;
};

/// What the warps of a block did, in the order in which each did it; calls for different warps alternate.
class StreamReader {
 public:
  StreamReader() = default;
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;
  virtual ~StreamReader() = default;

  /// The instructions from index `first` to `last`, one after the other. They came there by a jump from the instruction
  /// `from`, or, if that is `first`, without one: at the begin of the kernel, or where other lanes jumped or came.
  virtual void ran(const WarpPlace& warp, std::uint32_t from, std::uint32_t first, std::uint32_t last,
                   LaneMask lanes) = 0;
  /// The lanes that access memory. Of LDGSTS, `site` 0 is shared memory and 1 global memory.
  virtual void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                        const LaneAddresses& addresses) = 0;
  /// What a warp does at barriers and mbarriers when it executes an instruction; also those of the other blocks of the
  /// cluster. A tensor copy brings no bytes here, but in landed().
  virtual void met(const WarpPlace&, std::span<const Meeting>) {}
  /// The bytes of the tensor copies to an mbarrier of the block of this rank since the last time, all together.
  virtual void landed(std::uint32_t /*rank*/, std::uint32_t /*place*/, std::int64_t /*bytes*/) {}
  /// The warp stores what other blocks may wait for.
  virtual void stored(const WarpPlace& /*warp*/) {}
  /// It loads, maybe in a loop that looks until it is there, what another block has stored.
  virtual void looked(const WarpPlace& /*warp*/, const StoredBefore& /*store*/) {}
  /// A bulk or tensor copy between global memory and shared memory, if it is known of what.
  virtual void copied(const WarpPlace& warp, const CodeStep& step, const BulkCopy& copy) = 0;
  /// Where all lanes go at a jump or an end that depends on what nobody gave; nothing: the run ends with an error.
  virtual std::optional<ChosenWay> way(const WarpPlace&, const CodeStep&) { return std::nullopt; }
  /// An access of which it is not known where it is, or whether it is one. Returns whether the run goes on without it.
  virtual bool lost(const WarpPlace&, const CodeStep&, const Error& /*why*/) { return false; }
  /// Whether that was said of an access before, so that nobody has to find out why again.
  [[nodiscard]] virtual bool was_lost(const CodeStep&) const { return false; }
  /// Whether a load from global memory is taken to be executed by all lanes of which nobody knows whether they do.
  virtual bool presumes(const CodeStep&) { return false; }
  /// Whether the rest of the block need not be executed. Asked when a warp's turn is over.
  [[nodiscard]] virtual bool enough(const WarpPlace&) const { return false; }
};

}  // namespace warpclock
