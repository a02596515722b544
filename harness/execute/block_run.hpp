#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "execute/code_program.hpp"
#include "execute/execute.hpp"
#include "execute/executed_warp.hpp"
#include "execute/known_memory.hpp"
#include "execute/mbarriers.hpp"
#include "execute/stream.hpp"

namespace warpclock {

/// What the blocks of a launch have in common besides global memory, by addresses there.
struct BetweenBlocks {
  std::unordered_map<std::uint64_t, KnownWord> counters;   ///< what those held before the launch
  std::unordered_map<std::uint64_t, StoredBefore> stores;  ///< the last ones that say that other blocks may load them
};

/// A block with the others of its cluster. Their warps run in turn until each waits or has ended.
class BlockRun {
 public:
  BlockRun(const LoadedKernel& kernel, const ExecutedLaunch& launch, const CodeProgram& program, GlobalMemory& global,
           BetweenBlocks& between, StreamReader& reader, const ExecuteLimits& limits)
      : kernel_(kernel),
        launch_(launch),
        program_(program),
        global_(global),
        reader_(reader),
        limits_(limits),
        between_(between) {}

  /// Begins to execute a block. The reader is told what this one does, and where warps of the others meet.
  void begin(std::uint64_t block);
  /// Goes on. `left`: warp instructions that the cluster may take, of which those that it took are subtracted. False:
  /// it waits until other blocks write to global memory.
  [[nodiscard]] Expected<bool> go_on(std::uint64_t& left);
  /// Why it waits for ever.
  [[nodiscard]] Error deadlock() const;

 private:
  /// What executing a step led to.
  enum class Went : std::uint8_t { On, Elsewhere, Waits, Ended, Failed };

  /// What a block has while it runs.
  struct NamedBarrier {
    std::vector<LaneMask> arrived;           ///< by warp
    std::uint32_t expected = 0;              ///< threads; 0: all of the block
    std::uint32_t early = 0;                 ///< threads that arrived and do not wait
    std::uint32_t holding = 0, threads = 0;  ///< of BAR.RED: threads in which its predicate holds
    bool reduced_known = true;
    std::uint8_t reduce = 0;  ///< 0 counts, 1 and, 2 or
  };
  struct Resident {
    std::vector<ExecutedWarp> warps;
    KnownBytes shared;
    std::map<std::uint32_t, NamedBarrier> barriers;
    Mbarriers mbarriers;
    std::set<std::uint32_t> tensor_copies;  ///< the mbarriers of those that have not brought their bytes
  };
  [[nodiscard]] Resident& block_of(const ExecutedWarp& warp) { return blocks_[warp.position.cluster_rank]; }
  /// Whether the reader asked for the block of the warp.
  [[nodiscard]] bool reports(const ExecutedWarp& warp) const { return warp.position.cluster_rank == subject_; }

  /// Tells the reader of a meeting in the warp's own block.
  void tell(const ExecutedWarp& warp, Meeting meeting) {
    meeting.rank = warp.position.cluster_rank;
    reader_.met(warp.position, std::span(&meeting, 1));
  }

  /// The warp changes memory.
  void note_change(ExecutedWarp& warp) { ++warp.acts, ++acts_; }
  /// Notes a store that other blocks may load, or tells the reader which block has stored what the warp loads.
  void note_between(ExecutedWarp& warp, std::size_t at, const CodeStep& step, LaneMask lanes,
                    const LaneAddresses& addresses);
  bool look_again();
  [[nodiscard]] bool waits_for_memory() const;
  void begin(Resident& one, const WarpPlace& place);
  bool turn(ExecutedWarp& warp, std::uint64_t& left);
  bool run_split(ExecutedWarp& warp, std::size_t at, std::uint64_t& left);
  Went execute(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  /// Ends a straight run of instructions, the last one of which is this.
  void close(const ExecutedWarp& warp, WarpSplit& split, std::uint32_t last);

  // Control flow.
  Went jump(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  static Went poll(const ExecutedWarp& warp, WarpSplit& split);
  Went leave(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went call(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went come_back(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  /// BMOV: a convergence barrier to a register, or back. False if the register is not known.
  static bool move_convergence(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went converge(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went sync_lanes(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went break_from(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  /// Lanes that wait for lanes that have left or have come go on.
  void release(ExecutedWarp& warp);

  /// The lanes that jump or end at a step; if nothing decides that, the reader may.
  std::optional<LaneMask> going(ExecutedWarp& warp, const CodeStep& step, const WarpSplit& split);
  std::optional<LaneMask> decided(const ExecutedWarp& warp, const CodeStep& step, const WarpSplit& split);

  // Meetings.
  Went meet(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went use_mbarrier(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went await(ExecutedWarp& warp, WarpSplit& split, const CodeStep& step, LaneMask lanes,
             const std::map<MbarrierPlace, LaneMask>& by_place);
  Went await_cluster(ExecutedWarp& warp, WarpSplit& split, const CodeStep& step);
  void release_cluster();
  static void release_barriers(Resident& block);
  /// Tells the reader what the warp does at mbarriers, and does it.
  void meet_mbarriers(const ExecutedWarp& warp, std::span<const Meeting> meetings);
  /// The meeting at the mbarrier that it names; warps that waited for it go on.
  void meet_mbarrier(const Meeting& meeting);
  /// Returns whether tensor copies have brought their bytes.
  bool land_copies();

  // Memory.
  Went access(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went load_constant(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went copy(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  Went store_tensor(const ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  /// STAS: a store to the shared memory of any block of the cluster, which an mbarrier there counts.
  Went store_counted(ExecutedWarp& warp, std::size_t at, const CodeStep& step);
  std::optional<std::array<std::uint32_t, MappedTensor::words>> descriptor_at(std::uint64_t address);
  /// Tells the reader of it. A box of many rows counts for as many instructions as it takes time.
  void report_box(const ExecutedWarp& warp, const CodeStep& step, const BulkCopy& box);
  std::optional<BulkCopy> box_of(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, std::uint16_t first);
  Went bulk_copy(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& to);
  std::vector<std::uint32_t> receivers_of(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                                          std::uint32_t rank);
  std::optional<std::int64_t> copied_in_bulk(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                                             const LaneAddresses& to, const std::vector<std::uint32_t>& receivers);
  /// Fails if the memory of the launch takes more of this process than a run may have.
  Went held_in_limits(const ExecutedWarp& warp, const CodeStep& step);
  /// Whether the reader goes on without an access that failed.
  bool goes_on_without(const ExecutedWarp& warp, const CodeStep& step);
  /// Goes on without it, if the reader does.
  Went lose(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes);
  bool addresses_of(const ExecutedWarp& warp, const CodeStep& step, const AddressSource& source, LaneMask lanes,
                    LaneAddresses& addresses);
  [[nodiscard]] bool all_in_memory(const CodeStep& step, StepSpace space, LaneMask lanes,
                                   const LaneAddresses& addresses, std::uint64_t bytes) const;
  bool in_memory(const CodeStep& step, StepSpace space, LaneMask lanes, const LaneAddresses& addresses,
                 std::uint64_t bytes);
  void load(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses);
  void store(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses);
  void store_matrices(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses);
  void atomic(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses);
  /// What counters hold when it is the cluster's turn.
  void take_turns(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses);
  KnownWord read(ExecutedWarp& warp, StepSpace space, std::uint64_t address, std::size_t bytes, std::size_t lane) {
    if (space == StepSpace::Local) return read_local(warp, address, bytes, lane);
    if (space != StepSpace::Shared) return global_.read(address, bytes);
    const KnownBytes* shared = shared_at(warp, address);
    return shared == nullptr ? KnownWord() : shared->read(address & shared_mask, bytes);
  }
  void write(ExecutedWarp& warp, StepSpace space, std::uint64_t address, std::size_t bytes, std::size_t lane,
             KnownWord value) {
    if (space == StepSpace::Local) return write_local(warp, address, bytes, lane, value);
    if (space != StepSpace::Shared) return global_.write(address, bytes, value);
    if (KnownBytes* shared = shared_at(warp, address)) shared->write(address & shared_mask, bytes, value);
  }
  /// An address without a window is of the block itself. Null if the cluster has no such block.
  KnownBytes* shared_at(const ExecutedWarp& warp, std::uint64_t address) {
    if (address >> 32U == 0) return &block_of(warp).shared;
    const std::size_t rank = blocks_.size() == 1 ? 0 : shared_rank(address);
    return rank < blocks_.size() ? &blocks_[rank].shared : nullptr;
  }
  static KnownWord read_local(ExecutedWarp& warp, std::uint64_t address, std::size_t bytes, std::size_t lane);
  static void write_local(ExecutedWarp& warp, std::uint64_t address, std::size_t bytes, std::size_t lane,
                          KnownWord value);

  /// The lanes that execute a step; nothing, after an error, if nobody knows them.
  std::optional<LaneMask> lanes_of(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes);
  /// A source that is the same in all lanes of the split, or the upper word of one of 64 bits; nothing, after an error,
  /// if it is not known.
  std::optional<std::uint32_t> number_of(const ExecutedWarp& warp, const CodeStep& step, std::size_t source,
                                         LaneMask lanes, bool upper = false);
  Went fail_unknown(const CodeStep& step, Origin origin, const std::string& what);
  Went fail_with(std::string code, const CodeStep& step, const std::string& text);

  const LoadedKernel& kernel_;
  const ExecutedLaunch& launch_;
  const CodeProgram& program_;
  GlobalMemory& global_;
  StreamReader& reader_;
  const ExecuteLimits& limits_;
  BetweenBlocks& between_;
  std::vector<Resident> blocks_;                            ///< of the cluster, by rank
  std::uint32_t subject_ = 0;                               ///< the rank of the one that is asked for
  std::unordered_map<std::uint64_t, std::uint64_t> turns_;  ///< at counters, by their addresses
  std::uint64_t cluster_ = 0;                               ///< its number in the grid
  std::uint64_t block_ = 0;                                 ///< the number of the one that is asked for
  std::uint64_t ran_ = 0;
  std::uint64_t acts_ = 0;    ///< of all of its warps
  std::uint64_t stored_ = 0;  ///< stores of the block for other blocks
  std::optional<Error> error_;
  bool quiet_ = false;  ///< whether what is not known makes no error
};

}  // namespace warpclock
