#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "model/machine.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/memory/memory_level.hpp"
#include "predict/program/costs.hpp"
#include "predict/program/dram_times.hpp"

namespace warpclock {

/// How long a load waits for DRAM, in cycles; of several lines the last one counts.
struct DramWait {
  DramTimes times;    ///< beyond the latency of L2, if DRAM has nothing else to do
  double writes = 0;  ///< by which they grow with the part of the time in which DRAM writes
  double lines = 1;   ///< that the access asks for and that have nothing to do with each other
  double halves = 1;  ///< in how many places these are that may be in different halves of L2
};

/// A way that an access takes beyond L1.
struct PathCost {
  MemoryLevel level = MemoryLevel::L2;  ///< or DRAM
  bool write = false;
  bool atomic = false;
  double bytes = 0;
  double busy = 0;     ///< cycles for which the SM's part of the path is occupied
  double asked = 0;    ///< L2, load: cycles for which its request occupies the path of stores
  double queued = 0;   ///< cycles by which latency grows with load / (1 - load) of the path
  double fullest = 1;  ///< the load of a path that is busy all the time
  double part = 1;     ///< of such accesses that take it; the others do not wait for it
  /// Cycles of its part of the path that an SM leaves to the others, and takes later.
  double lent = 0;
  double under_way = 0;  ///< atomic: cycles of the path for which accesses may have left the SM
  DramWait dram;
};

/// What an access adds to the cost of its instruction.
struct MemoryCost {
  std::optional<Bounds> latency;  ///< to the arrival of the data; nothing: that of the instruction's row
  double missed = 1;              ///< part of the accesses with this latency; L1 answers the others
  double byte_latency = 0;        ///< of a bulk copy, whose paths are those of one byte
  double issue = 0;               ///< of a bulk copy: cycles until the next one
  std::vector<PathCost> paths;    ///< in the order in which the access takes them
};

/// How a launch uses the memory system.
struct MemoryUse {
  double share = 1;     ///< of an SM's part of the rate of all: below 1 if the other SMs have less to do
  double blocks = 1;    ///< on an SM at once
  double resident = 1;  ///< part of the grid's blocks that are on the SMs at once
  /// Whether all blocks are on the SMs at once. The kernel then ends with the SM that gets the least of a path; else,
  /// other SMs take over its blocks.
  bool at_once = false;
  /// The part of the SM clock that is left. L2 and DRAM have clocks of their own (docs/findings.md, "L2 does not
  /// follow the clock of the SMs"), so what they take is fewer cycles of a slower SM.
  double clock = 1;
  double local_bytes = 0;  ///< of local memory that these blocks have
  double l1_bytes = 0;     ///< that L1 holds
};

/// Where data come from: a level, and the part of the bytes that only the next level above answers.
struct MemoryAnswer {
  MemoryLevel level = MemoryLevel::L2;
  double part = 1;    ///< of the bytes that come from DRAM, if the level is DRAM; L2 has the rest
  double absent = 1;  ///< part of the sectors that L2 does not have when a block first accesses them, if so
  double apart = 0;   ///< part of the bytes that were stored on any SM
};

/// What L2 does not answer of local memory.
struct LocalBeyondL2 {
  double part = 0;  ///< of the bytes
  double rate = 0;  ///< bytes per cycle that an SM reads and writes, with those that L2 answers
};

class MemoryCosts {
 public:
  MemoryCosts(const Machine& machine, MemoryUse use)
      : machine_(machine),
        use_(use),
        local_beyond_l2_(local_beyond_l2()),
        last_in_l2_(last_of("l2.load")),
        last_in_dram_(last_of("dram.load")) {}

  /// Nothing for an instruction that accesses no memory beyond shared and constant memory.
  [[nodiscard]] std::optional<MemoryCost> of(const Instruction& instruction, const AccessPattern& pattern,
                                             MemoryAnswer answer) const;

  /// Whether rows say what L2 takes for atomic operations over the lines that all SMs share; else those of few places
  /// do.
  [[nodiscard]] bool has_rates_over_lines() const;

  /// A bulk or tensor copy to shared memory, for which `of()` has nothing. Its latency is that from its issue until an
  /// mbarrier has its bytes: the rows begin with an arrival, and end when a wait for the mbarrier does.
  [[nodiscard]] MemoryCost bulk(const Instruction& instruction, const AccessPattern& pattern,
                                MemoryAnswer answer) const;

  /// A tensor copy from shared memory, by the byte.
  [[nodiscard]] MemoryCost tensor_store(MemoryAnswer answer) const;

  /// Cycles that a byte written to DRAM takes longer if as many bytes have been read: `bandwidth/copy` against
  /// `bandwidth/read` and `bandwidth/write`, one after the other.
  [[nodiscard]] double mixed_in_dram() const;
  /// Cycles for which a byte that is written back occupies the SM's part of DRAM.
  [[nodiscard]] double written_back() const;
  /// An SM's part of the bytes that L2 may hold before it writes them back: half of it. By counters of DRAM, of
  /// launches that store 24 MiB again and again 4 % come there, of 32 MiB most (an H200, whose L2 has 60 MiB).
  [[nodiscard]] double held() const { return part_of_sm(static_cast<double>(machine_.stated.l2_bytes) / 2); }
  [[nodiscard]] double part_of_sm(double bytes) const;

 private:
  /// Waves after which the SMs are at different places of their blocks. In a launch of fewer, all load at the same
  /// time.
  static constexpr double waves_apart = 8;
  static constexpr double sector = 32, asked = 4;  ///< bytes; the latter of a lane, where each has a line of its own

  [[nodiscard]] std::optional<double> leaf(const std::string& path) const;
  [[nodiscard]] double inverse(const std::string& path) const;
  /// How much of an SM's part of the rate of all it takes: less if the other SMs have less to do, more for the SM that
  /// gets the least, if that one decides.
  [[nodiscard]] double of_sm(const std::string& entry, const std::string& rate = "rate.all_sms") const;
  [[nodiscard]] double queued(const std::string& entry, const std::string& idle = "latency",
                              const std::string& lines = "") const;
  /// Cycles in which a byte is read and one is written.
  [[nodiscard]] double copied(const std::string& level) const;
  [[nodiscard]] double of_shared_lines() const;
  [[nodiscard]] double loaded_alone(double sectors, double lines) const;
  [[nodiscard]] double stored_alone(double sectors, double lines, double bytes) const;
  [[nodiscard]] double uneven(const AccessPattern& pattern) const;
  [[nodiscard]] PathCost loaded(double sectors, double lines, double sharers, double alone) const;
  /// `longer`: by which factor, because the lines are not spread evenly over L2.
  [[nodiscard]] PathCost stored(double sectors, double lines, double longer, double alone) const;
  [[nodiscard]] PathCost through_dram(double sectors, bool write, bool by_threads = false) const;
  /// The same for accesses by the threads of a warp: what bulk copies bring is too much at once for others to leave it.
  [[nodiscard]] PathCost by_threads_through_dram(double sectors, bool write) const;
  /// `to_registers`: else to shared memory, of which rows of their own have the latency.
  [[nodiscard]] MemoryCost load(const Instruction& instruction, const AccessPattern& pattern, MemoryAnswer answer,
                                bool to_registers) const;
  /// `bytes`: of all lanes of a warp.
  [[nodiscard]] MemoryCost store(const AccessPattern& pattern, double bytes, MemoryAnswer answer) const;
  /// Cycles for which an atomic operation occupies L2, if all SMs have such; 0: no rows.
  [[nodiscard]] double atomic_in_l2(const Instruction& instruction, const AccessPattern& pattern) const;
  /// `returns`: what was there, for which the warp waits.
  [[nodiscard]] MemoryCost atomic(const Instruction& instruction, const AccessPattern& pattern, bool returns,
                                  MemoryAnswer answer) const;
  /// The part of such accesses that waits for DRAM. Of SMs that share lines, all wait until the first one has them.
  [[nodiscard]] double waiting_for_dram(const AccessPattern& pattern, MemoryAnswer answer) const;
  /// Cycles by which the latency of DRAM grows with load / (1 - load), and with the part of the time in which it
  /// writes.
  [[nodiscard]] std::pair<double, double> queued_in_dram(bool by_threads) const;
  /// Of what the bus of the memory can carry, by what an SM gets of it a cycle; 0: not stated.
  [[nodiscard]] double part_of_bus(double rate) const;
  /// By which DRAM answers later than L2.
  [[nodiscard]] DramTimes times_of_dram() const;
  /// By which factor DRAM moves what is in short pieces of rows more slowly than whole rows.
  [[nodiscard]] double of_pieces(const AccessPattern& pattern, bool write) const;
  /// Cycles to the arrival of what L1 does not have, of so many pieces; nothing without a row.
  [[nodiscard]] std::optional<Bounds> beyond_l1(MemoryAnswer answer, double later, double pieces = 1) const;
  /// How much later than one of them the last of so many lines comes on the average, by their number.
  [[nodiscard]] std::map<double, double> last_of(const std::string& entry) const;
  /// Adds what loads from the other half of L2 take of the way between the halves, which stores take as well.
  void cross(PathCost& cost, double sharers, double apart) const;
  [[nodiscard]] MemoryCost local(const AccessPattern& pattern, bool store) const;
  [[nodiscard]] LocalBeyondL2 local_beyond_l2() const;
  [[nodiscard]] std::optional<Bounds> copy_latency(const Instruction& instruction, int bytes, MemoryLevel level) const;

  const Machine& machine_;
  MemoryUse use_;
  LocalBeyondL2 local_beyond_l2_;  ///< the same for all accesses of a program
  std::map<double, double> last_in_l2_, last_in_dram_;
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

/// Cycles from an arrival at an mbarrier to the issue that waited for it by try_wait, or by a loop of test_wait: a row
/// of a round trip has twice as many. 0 without a row.
struct ArrivalCost {
  double woken = 0, found = 0;
};
[[nodiscard]] ArrivalCost arrival_cost(const Machine& machine);

}  // namespace warpclock
