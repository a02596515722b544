#pragma once

#include <cstdint>
#include <vector>

#include "execute/bank_turns.hpp"
#include "execute/stream.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// How often an instruction was executed, and what its accesses need of the memory system, in all executed blocks.
struct InstructionProfile {
  std::uint64_t executed = 0;  ///< by warps
  std::uint64_t lanes = 0;     ///< that were active, whatever their predicates
  std::uint64_t accesses = 0;  ///< executions that accessed memory: at least one lane's predicate holds
  std::uint64_t access_lanes = 0;
  std::uint64_t sectors = 0;     ///< of 32 bytes of global or local memory
  std::uint64_t lines = 0;       ///< of 128 bytes that these are in
  std::uint64_t wavefronts = 0;  ///< turns of the 32 banks of shared memory
  std::uint64_t l1_turns = 0;    ///< those of L1
  std::uint64_t word_turns = 0;  ///< those of the sectors of an atomic operation: see word_turns()
  std::uint64_t constants = 0;   ///< addresses of constant memory, each once an execution
};

/// Those that lanes touch which access so many bytes at these distances from the begin of a line, by line.
[[nodiscard]] std::vector<LineSectors> lines_of(LaneMask lanes, const LaneAddresses& distances, std::uint64_t bytes);

/// Lanes of an atomic operation take turns at one word; the words of a sector are taken at once. So many turns have all
/// sectors together, each with as many as its word with most lanes has.
[[nodiscard]] std::uint64_t word_turns(std::vector<std::uint32_t> addresses);

struct LoopProfile {
  std::uint64_t entries = 0, trips = 0;  ///< by warps; `trips`: executions of its first instruction
};

/// Counts what warps do.
class Profile : public StreamReader {
 public:
  /// `graph` must outlive it.
  Profile(const LoadedKernel& kernel, const FlowGraph& graph);
  Profile(const LoadedKernel& kernel, FlowGraph&& graph) = delete;

  void ran(const WarpPlace& warp, std::uint32_t from, std::uint32_t first, std::uint32_t last, LaneMask lanes) override;
  void accessed(const WarpPlace& warp, const CodeStep& step, std::size_t site, LaneMask lanes,
                const LaneAddresses& addresses) override;
  void copied(const WarpPlace&, const CodeStep& step, const BulkCopy& copy) override {
    if (step.kind == StepKind::Copy) copied_ += copy.bytes();
  }

  /// One for each instruction of the listing.
  [[nodiscard]] std::vector<InstructionProfile> instructions() const;
  /// One for each loop of the graph.
  [[nodiscard]] std::vector<LoopProfile> loops() const;
  /// How often each warp of a block came to the begin of a loop of the graph from within, of all blocks.
  [[nodiscard]] const std::vector<std::uint64_t>& repeats(std::size_t loop) const { return repeats_[loop]; }
  /// By bulk copies from global memory.
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_; }

 protected:
  /// An access to global or constant memory, or to the local memory of the warp, whose first lane is in this line or
  /// shortly after it. The spans of two calls are the same if the lanes are where they were, seen from there.
  virtual void touched(const WarpPlace&, const CodeStep&, StepSpace, std::uint64_t /*line*/,
                       const std::vector<LineSectors>&) {}

 private:
  /// What a site needed last, for lanes at these distances from the begin of a line.
  struct Seen {
    LaneMask lanes = 0;
    StepSpace space = StepSpace::None;
    LaneAddresses distances{};
    std::uint64_t wavefronts = 0, l1_turns = 0, word_turns = 0;
    std::vector<LineSectors> lines;
  };
  void measure(const CodeStep& step, Seen& seen) const;

  const LoadedKernel& kernel_;
  const FlowGraph& graph_;
  std::vector<std::size_t> loop_at_;                 ///< of each instruction: the loop that begins with it, or no_index
  std::vector<std::vector<std::uint64_t>> repeats_;  ///< see repeats()
  std::vector<std::int64_t> executed_, lanes_;       ///< differences between an instruction and the one before
  std::vector<InstructionProfile> accesses_;
  std::vector<std::array<Seen, 2>> seen_;
  std::uint64_t copied_ = 0;
};

}  // namespace warpclock
