#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "execute/accesses/constant_lines.hpp"
#include "execute/launch.hpp"
#include "execute/profile.hpp"

namespace warpclock {

/// What the accesses of an instruction need of the memory system, summed over the executed blocks.
struct AccessSums {
  std::uint64_t executed = 0;            ///< by warps, whether lanes access anything or not
  std::uint64_t sectors = 0, lines = 0;  ///< of global or local memory
  double pieces = 0;                     ///< of loads: runs of such lines next to each other, and not next to those
                                         ///< that the warp asked for since it waited
  std::uint64_t wavefronts = 0;          ///< turns of the banks of shared memory
  std::uint64_t l1_turns = 0;
  std::uint64_t word_turns = 0, active = 0;  ///< InstructionProfile::word_turns and access_lanes
  std::uint64_t copies = 0;                  ///< bulk and tensor copies
  std::uint64_t receivers = 0;               ///< of these copies
  std::uint64_t constants = 0;               ///< InstructionProfile::constants
  double constant_lines = 0;                 ///< those of the nearest constant cache
  double missed = 0;            ///< sectors that L1 did not have; all of an instruction that L1 keeps nothing of. Of
                                ///< constant memory: lines that its nearest cache did not have
  double first = 0;             ///< of those: that no load of the block asked for before
  double again = 0;             ///< of those: that any access of the block touched before
  double between = 0;           ///< lines that the block touched since, summed over `again`
  double asking = 0;            ///< executions by warps that wait for any of them
  double merged = 0;            ///< sectors of stores that leave L1 with an earlier store
  double distinct = 0;          ///< sectors that it touches in a block, once a block
  double runs = 0;              ///< of sectors next to each other that loads, or stores, touch in a block: its part
  double returned = 0;          ///< sectors of stores to which the warp has stored before by the same instruction
  std::optional<int> argument;  ///< whose buffer it accesses, if it is one
};

/// What the nearest caches have room for of each block. Blocks on an SM at once are taken to load the same constants.
struct CacheRoom {
  std::uint64_t l1_bytes = 0;
  ConstantCache constants;
};

/// Counts what accesses need. The accesses of a block to memory beyond shared memory are noted, and replayed when it
/// has ended: its warps in turn, each with its next access, as if all were as fast.
class AccessProfile : public Profile {
 public:
  AccessProfile(const LoadedKernel& kernel, const FlowGraph& graph, const ExecutedLaunch& launch,
                const CacheRoom& room);

  void copied(const WarpPlace& warp, const CodeStep& step, const BulkCopy& copy) override;

  /// One for each instruction of the listing, of all blocks until now.
  [[nodiscard]] std::vector<AccessSums> accesses();
  /// Bytes from the first accessed line to the last, of buffers of which a part may be needed, by their argument. Which
  /// of several buffers an instruction accesses may depend on the block: of these it is `scale` times as much, where
  /// the launch has so many times the blocks that were executed.
  [[nodiscard]] std::map<int, std::int64_t> extents(double scale) const;

 protected:
  void touched(const WarpPlace& warp, const CodeStep& step, StepSpace space, std::uint64_t line,
               const std::vector<LineSectors>& lines) override;

 private:
  enum class Use : std::uint8_t { Past, Kept, Stored };
  /// What is accessed of a buffer.
  struct Extent {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
    bool among_others = false;  ///< by an instruction that accesses other buffers, too
  };
  struct Note {
    std::uint32_t index = 0, first = 0, count = 0;  ///< in `pool_`
    std::uint32_t round = 0;                        ///< of accesses between which the warp waits for none of them
    std::uint64_t line = 0;
  };

  [[nodiscard]] Use use_of(std::size_t index) const;
  [[nodiscard]] bool waits_between(std::uint32_t from, std::uint32_t to, unsigned mask) const;
  [[nodiscard]] std::uint32_t round_of(std::size_t warp, std::uint32_t index);
  [[nodiscard]] int fresh_pieces(std::size_t warp, std::uint32_t round, std::uint64_t line,
                                 const std::vector<LineSectors>& lines);
  Extent& extent_of(const LaunchBuffer& buffer);
  void note_buffer(std::size_t index, std::uint64_t address, std::uint64_t bytes);
  void note_constants(std::size_t warp, std::uint32_t index, std::uint64_t line, const std::vector<LineSectors>& lines);
  void end_block();
  void replay_l1();
  void replay_constants();
  void replay_constants(ConstantLines& held, bool count);
  void replay_stores(const std::vector<Note>& notes);
  void count_distinct();
  void count_runs(const std::vector<std::unordered_map<std::uint64_t, std::uint32_t>>& seen);
  [[nodiscard]] std::uint64_t merged_with(const Note& store, const Note& earlier) const;

  const LoadedKernel& kernel_;
  const ExecutedLaunch& launch_;
  std::size_t l1_lines_;
  std::uint64_t local_lines_;  ///< of a warp
  std::vector<Use> uses_;
  std::vector<AccessSums> sums_;
  std::vector<double> noted_sectors_;
  std::vector<const LaunchBuffer*> buffers_;
  std::vector<Extent> extents_;  ///< of each buffer
  std::vector<bool> several_;    ///< whether an instruction accesses several buffers
  std::array<std::uint32_t, 3> block_{};
  std::vector<std::vector<Note>> notes_;  ///< of the block, by warp
  struct ConstantNote {
    std::uint32_t index = 0;
    bool begins = false;  ///< the first line of an execution
    std::uint64_t line = 0;
  };
  ConstantCache constants_;
  std::vector<std::vector<ConstantNote>> constant_notes_;  ///< of the block, by warp
  std::vector<unsigned> awaited_;  ///< of each warp: scoreboards of its loads of the round, a bit for each
  struct AskedLines {
    std::uint32_t round = 0;
    std::vector<std::uint64_t> lines;
  };
  std::vector<AskedLines> asked_;  ///< of each warp
  std::vector<LineSectors> pool_;
  struct Last {
    std::uint32_t first = 0, count = 0;
  };
  std::vector<Last> last_;  ///< where the lines of an instruction's last access are
  std::size_t noted_ = 0, noted_constants_ = 0;
};

}  // namespace warpclock
