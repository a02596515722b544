#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/memory/memory_level.hpp"

namespace warpclock {

/// What a user or a launch says of the accesses of a kernel.
struct MemoryKnown {
  std::map<int, std::int64_t> buffers;  ///< bytes of those that arguments are addresses of, by the argument's number
  MemoryLevel level = MemoryLevel::L2;
  std::map<std::int64_t, MemoryLevel> hits;      ///< by address
  std::map<std::int64_t, std::int64_t> strides;  ///< by address, in bytes
  /// Whether lanes whose addresses are not known are taken to be in a line each, or all in one bank of shared memory;
  /// else next to each other.
  bool apart = false;
  std::map<std::size_t, AccessPattern> executed;  ///< of accesses whose addresses were executed
  std::map<std::size_t, std::string> lost;        ///< why they are not known, of others that were executed
  std::set<std::size_t> presumed_lanes;           ///< loads that lanes are taken to execute, of which it is not known
  std::vector<int> presumed;                      ///< arguments that are taken for addresses of buffers
  bool all_executed = false;                      ///< whether what is in neither is never executed
};

/// What is known of the accesses of a kernel, by index in its listing.
struct MemoryPlan {
  std::map<std::size_t, AccessPattern> patterns;
  std::map<std::size_t, MemoryLevel> hits;
  std::vector<std::string> assumed;
  bool asks_level = false;           ///< whether there are accesses that MemoryKnown::level answers
  std::set<int> unsized;             ///< arguments that are addresses, and of which no size is known, by their number
  std::vector<std::size_t> unknown;  ///< accesses whose lanes are not followed
};

/// Error "predict" if there is no access at the address of a level or a stride.
[[nodiscard]] Expected<MemoryPlan> plan_memory(const LoadedKernel& kernel, const MemoryKnown& known);

/// Bytes of a known buffer that are accessed, at most.
struct AccessedBytes {
  double bytes = 0;
  double stored = 0;  ///< that are stored, beside what else is done with them
};

/// By the number of the argument.
using AccessedBuffers = std::map<int, AccessedBytes>;

/// `executions` has how often warps of the launch execute each access.
[[nodiscard]] AccessedBuffers accessed_buffers(const Listing& listing, const MemoryPlan& plan, const MemoryKnown& known,
                                               const std::map<std::size_t, double>& executions);

/// Of all buffers.
[[nodiscard]] AccessedBytes sum_of(const AccessedBuffers& buffers);

/// The part of what is accessed again, after `held` bytes in the same order, that L2 no longer has. By counters of DRAM
/// (docs/predict.md): its sets are not filled evenly. Copies that both halves of L2 have do not count: they go first.
[[nodiscard]] double lost_of_l2(double held, double l2_bytes);

/// What L2 does not have of buffers when a launch begins, by what it has of each (PredictOptions::in_l2).
class AbsentBytes {
 public:
  AbsentBytes(const AccessedBuffers& accessed, const std::map<int, double>& in_l2);

  [[nodiscard]] double bytes() const { return bytes_; }
  /// The part of a buffer that is absent. Of accesses to a buffer that is not known: that of all.
  [[nodiscard]] double of(int argument) const;
  [[nodiscard]] double most() const;  ///< of any buffer

 private:
  std::map<int, double> parts_;
  double bytes_ = 0, of_all_ = 0;
};

[[nodiscard]] bool is_global(const Instruction& instruction);

/// Takes over which level answers, if the sizes of all buffers and the `accessed` bytes say it, and returns why; empty
/// if they do not.
[[nodiscard]] std::string take_level_of_buffers(const MemoryPlan& plan, const Machine& machine, double accessed,
                                                MemoryKnown& known);

/// What of L2 a launch has.
struct L2Use {
  double bytes = 0;   ///< its size; 0: not known
  double blocks = 1;  ///< that run at once
  double waves = 1;   ///< of such blocks
  /// The part of what the SMs of both halves load again, after so many bytes, that L2 no longer has; empty: nothing.
  std::function<double(double bytes)> lost_of_lap;
};

/// The part of the bytes that DRAM has to answer, by index. What is new to a block comes once for each byte of its
/// buffer, however many blocks read it, and is written back once; what the blocks of a wave load together, those of
/// later waves load again. What a block loads again is in L2 still, if all
/// blocks that run at once have not touched too much in between. `executions` as above.
[[nodiscard]] std::map<std::size_t, double> parts_of_dram(const Listing& listing, const MemoryPlan& plan,
                                                          const MemoryKnown& known,
                                                          const std::map<std::size_t, double>& executions,
                                                          const L2Use& l2);

}  // namespace warpclock
