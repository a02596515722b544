#pragma once

#include <optional>
#include <string>

#include "code/listing.hpp"
#include "model/machine.hpp"
#include "predict/costs.hpp"
#include "predict/program.hpp"

namespace warpclock {

/// What an access adds to the cost of its instruction.
struct MemoryCost {
  std::optional<Bounds> latency;  ///< to the arrival of the data; nothing: that of the instruction's row
  std::string name;               ///< of the path: "L2", "DRAM"; empty if L1 or shared memory answers
  Bounds busy;                    ///< cycles of the path: the bytes of a warp over the rate of an SM while all run
  double queued = 0;              ///< cycles by which latency grows with load / (1 - load) of the path
  std::string assumed;            ///< a sentence, or empty
};

class MemoryCosts {
 public:
  explicit MemoryCosts(const Machine& machine) : machine_(machine) {}

  /// Nothing for an instruction that accesses no memory beyond shared and constant memory.
  [[nodiscard]] std::optional<MemoryCost> of(const Instruction& instruction, MemoryLevel level) const;

 private:
  [[nodiscard]] std::optional<double> leaf(const std::string& path) const;
  [[nodiscard]] double queued(const std::string& entry) const;
  [[nodiscard]] Bounds over(double bytes, const std::string& rate) const;
  [[nodiscard]] MemoryCost load(double bytes, MemoryLevel level) const;
  [[nodiscard]] MemoryCost copy(const Instruction& instruction, int bytes, MemoryLevel level) const;

  const Machine& machine_;
};

/// Requests of many SMs wait for each other. Cycles by which their latency grows with load / (1 - load) of the path, as
/// a queue does: with `bytes` in flight an SM gets 90 % of `rate` bytes per cycle, so the latency is then their
/// quotient (Little's law); `idle` is it without load.
[[nodiscard]] double queue_cycles(double bytes, double rate, double idle);

/// Cycles from a commit to the end of the wait for it if there is nothing to wait for, without the stall count of the
/// wait; and that stall count, which latencies of copies contain.
struct CommitCost {
  std::optional<double> commit;
  static constexpr int wait = 4;
};
[[nodiscard]] CommitCost commit_cost(const Machine& machine);

}  // namespace warpclock
