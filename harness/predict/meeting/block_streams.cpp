#include "predict/meeting/block_streams.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <map>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "execute/code_program.hpp"
#include "execute/execute.hpp"
#include "inspect/facts.hpp"
#include "predict/meeting/mbarrier_use.hpp"

namespace warpclock {
namespace {

/// No simulation goes through more of one block (run.cpp).
constexpr std::int64_t most_recorded = 1'000'000;

/// Reads which way warps take; accesses do not matter.
class WayReader : public StreamReader {
 public:
  explicit WayReader(const DecideWay& way) : way_(way) {}

  void accessed(const WarpPlace&, const CodeStep&, std::size_t, LaneMask, const LaneAddresses&) override {}
  void copied(const WarpPlace&, const CodeStep&, const BulkCopy&) override {}
  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return way_(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error&) override {
    lost_.insert(step.index);
    return true;
  }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return lost_.contains(step.index); }

 private:
  const DecideWay& way_;
  std::set<std::uint32_t> lost_;
};

/// Records the block of this rank in its cluster. What warps of other blocks of the cluster do to its mbarriers, the
/// same warp of the block is taken to do with the same instruction, the same time that it executes it.
class StreamRecorder final : public WayReader {
 public:
  StreamRecorder(const DecideWay& way, std::size_t warps, std::uint32_t rank)
      : WayReader(way), rank_(rank), warps_(warps), calls_(warps) {}

  void ran(const WarpPlace& place, std::uint32_t from, std::uint32_t first, std::uint32_t last, LaneMask) override {
    WarpStream& warp = warps_[place.warp];
    const auto each = static_cast<std::int64_t>(last) - first + 1;
    warp.cut |= warp.instructions > most_recorded / static_cast<std::int64_t>(warps_.size());
    warp.instructions += each;
    if (warp.cut) return;
    const auto all = static_cast<std::uint32_t>(calls_[place.warp].size());
    const std::uint32_t calls = all - std::exchange(told_[place.warp], all);
    if (from == first && !warp.runs.empty() && warp.runs.back().last + 1 == first)
      warp.runs.back().last = last, warp.runs.back().meetings += calls;
    else
      warp.runs.push_back({first, last, calls});
  }

  void met(const WarpPlace& place, std::span<const Meeting> meetings) override {
    const bool own = place.cluster_rank == rank_;
    if (meetings.empty() || (own && warps_[place.warp].cut)) return;
    const std::uint32_t index = meetings.front().index;
    Call made{{place.warp, index, times_[{place.cluster_rank, place.warp, index}]++}, {}};
    for (const Meeting& one : meetings) {
      if (one.rank != rank_) continue;
      if (one.kind == Meeting::Kind::Copy && one.bytes == 0) flying_[one.place].push_back(meetings_.size());
      if (one.kind == Meeting::Kind::Store && one.bytes == 0) stores_.push_back(meetings_.size());
      made.meetings.push_back(meetings_.size());
      meetings_.push_back(one);
    }
    if (own) {
      last_ = made.execution;
      calls_[place.warp].push_back(std::move(made));
    } else if (!made.meetings.empty()) {
      others_.push_back({std::move(made), last_});
    }
  }

  void landed(std::uint32_t rank, std::uint32_t place, std::int64_t bytes) override {
    if (rank == rank_) share(std::exchange(flying_[place], {}), bytes);
  }

  [[nodiscard]] bool stores_tensors() const { return !stores_.empty(); }
  /// Tensor copies from shared memory take what the block stored there, each the same part.
  void take_stored(std::int64_t bytes) { share(stores_, bytes); }
  [[nodiscard]] const std::vector<WarpStream>& warps() const { return warps_; }

  [[nodiscard]] BlockStreams streams() {
    add_others();
    BlockStreams made;
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      WarpStream& one = warps_[w];
      std::size_t call = 0;
      for (StreamRun& run : one.runs) {
        const std::size_t before = one.meetings.size();
        for (const std::size_t end = call + run.meetings; call < end; ++call) {
          for (const std::size_t each : calls_[w][call].meetings) {
            one.meetings.push_back(meetings_[each]);
            one.meetings.back().index = calls_[w][call].execution.index;
          }
        }
        run.meetings = static_cast<std::uint32_t>(one.meetings.size() - before);
      }
      const auto same = std::ranges::find_if(made.warps, [&](const auto& other) { return *other == one; });
      made.warps.push_back(same == made.warps.end() ? std::make_shared<const WarpStream>(std::move(one)) : *same);
    }
    return made;
  }

 private:
  /// An instruction that a warp executes for the n-th time.
  struct Execution {
    std::uint32_t warp = 0, index = 0, time = 0;
    auto operator<=>(const Execution&) const = default;
  };
  struct Call {
    Execution execution;
    std::vector<std::size_t> meetings;  ///< in `meetings_`
  };
  struct OtherCall {
    Call call;
    Execution after;  ///< the last one of this block before it
  };

  /// What the block never does itself, it is taken to do after what it did last before.
  void add_others() {
    std::map<Execution, std::vector<std::size_t>*> own;
    for (auto& of_warp : calls_) {
      for (Call& call : of_warp) own[call.execution] = &call.meetings;
    }
    for (const OtherCall& other : others_) {
      auto found = own.find(other.call.execution);
      if (found == own.end()) found = own.find(other.after);
      if (found != own.end())
        found->second->insert(found->second->end(), other.call.meetings.begin(), other.call.meetings.end());
    }
  }
  void share(const std::vector<std::size_t>& among, std::int64_t bytes) {
    auto left = static_cast<std::int64_t>(among.size());
    for (const std::size_t one : among) {
      const std::int64_t each = bytes / left--;
      meetings_[one].bytes = -each;
      bytes -= each;
    }
  }

  std::uint32_t rank_;
  std::vector<WarpStream> warps_;         ///< whose runs count calls until streams() is called
  std::vector<Meeting> meetings_;         ///< with mbarriers of the block
  std::vector<std::vector<Call>> calls_;  ///< of each warp, in its order
  std::vector<OtherCall> others_;         ///< of warps of other blocks
  Execution last_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> times_;  ///< by rank, warp and instruction
  std::map<std::uint32_t, std::uint32_t> told_;                  ///< by warp: the calls of its runs until now
  std::map<std::uint32_t, std::vector<std::size_t>>
      flying_;                       ///< by mbarrier: tensor copies whose bytes nobody has said
  std::vector<std::size_t> stores_;  ///< tensor copies from shared memory
};

/// The bytes that warps store to shared memory, if all of their lanes do.
std::int64_t stored_to_shared(const Listing& listing, const std::vector<WarpStream>& warps) {
  std::vector<std::int64_t> before(listing.instructions.size() + 1);
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const auto access = access_of(listing.instructions[i]);
    const bool stores = access && access->memory == "shared" && access->kind == "store";
    before[i + 1] = before[i] + (stores ? access->bytes * static_cast<std::int64_t>(warp_lanes) : 0);
  }
  std::int64_t bytes = 0;
  for (const WarpStream& one : warps) {
    for (const StreamRun& run : one.runs) bytes += before[run.last + 1] - before[run.first];
  }
  return bytes;
}

}  // namespace

std::int64_t BlockStreams::instructions() const {
  std::int64_t sum = 0;
  for (const auto& one : warps) sum += one->instructions;
  return sum;
}

double SmStreams::instructions() const {
  double sum = 0;
  for (const BlockStreams& one : blocks) sum += static_cast<double>(one.instructions());
  return sum / static_cast<double>(blocks.size());
}

std::int64_t SmStreams::trips(std::size_t header, std::size_t end) const {
  std::int64_t begun = 0, entered = 0;
  const auto add = [&](const WarpStream& warp) {
    std::size_t from = end;
    for (const StreamRun& run : warp.runs) {
      const bool here = run.first <= header && header <= run.last;
      const bool again = run.first == header && from >= header && from < end;
      begun += here ? 1 : 0, entered += here && !again ? 1 : 0;
      from = run.last;
    }
  };
  for (const BlockStreams& block : blocks) {
    for (const auto& warp : block.warps) add(*warp);
  }
  return entered == 0 ? 0 : std::llround(static_cast<double>(begun) / static_cast<double>(entered));
}

std::span<const Meeting> StreamCursor::meetings() const {
  const std::span all(stream_->meetings);
  const std::size_t end = first_meeting_ + stream_->runs[run_].meetings;
  std::size_t last = meeting_;
  while (last < end && all[last].index == at_) ++last;
  return all.subspan(meeting_, last - meeting_);
}

double StreamCursor::copied() const {
  double bytes = 0;
  for (const Meeting& one : meetings()) bytes -= static_cast<double>(one.bytes);
  return bytes;
}

bool StreamCursor::next() {
  meeting_ += meetings().size();
  if (at_ < stream_->runs[run_].last) {
    ++at_;
    return true;
  }
  first_meeting_ = meeting_ = first_meeting_ + stream_->runs[run_].meetings;
  if (++run_ == stream_->runs.size()) return false;
  at_ = stream_->runs[run_].first;
  return true;
}

bool meets_in_part(const Listing& listing) {
  return std::ranges::any_of(listing.instructions, [](const Instruction& one) {
    return mbarrier_use(one).has_value() || (one.opcode == "BAR" && one.operands.size() > 1) ||
           one.opcode.starts_with("UCGABAR") || one.opcode == "UTMASTG";
  });
}

namespace {

constexpr ExecuteLimits stream_limits{.warp_instructions = most_executed, .at_once = true};

Expected<BlockStreams> finished(const LoadedKernel& kernel, StreamRecorder& recorder) {
  if (recorder.stores_tensors()) {
    const std::int64_t bytes = stored_to_shared(kernel.listing, recorder.warps());
    if (bytes == 0) return fail("predict", "nobody says how many bytes UTMASTG copies: no warp stored any before");
    recorder.take_stored(bytes);
  }
  return recorder.streams();
}

/// Tells a reader of each cluster what it does.
class ReaderOfEach final : public WayReader {
 public:
  ReaderOfEach(const ExecutedLaunch& launch, const DecideWay& way) : WayReader(way), launch_(launch), way_(way) {}

  void ran(const WarpPlace& place, std::uint32_t from, std::uint32_t first, std::uint32_t last,
           LaneMask lanes) override {
    waits_.ran(block_number(launch_, place.block), first, last);
    if (StreamRecorder* const one = of(place)) one->ran(place, from, first, last, lanes);
  }
  void met(const WarpPlace& place, std::span<const Meeting> meetings) override {
    if (StreamRecorder* const one = of(place)) one->met(place, meetings);
  }
  void looked(const WarpPlace& place, const StoredBefore& store) override {
    waits_.looked(block_number(launch_, place.block), store.block, store.number);
  }
  void stored(const WarpPlace& place) override { waits_.stored(block_number(launch_, place.block)); }
  void landed(std::uint32_t rank, std::uint32_t place, std::int64_t bytes) override {
    if (last_ != nullptr) last_->landed(rank, place, bytes);
  }
  StreamRecorder& record(std::uint64_t block) {
    const std::uint64_t cluster = cluster_number(launch_, block_index(launch_, block));
    return recorders_.try_emplace(cluster, way_, launch_.warps(), cluster_rank(launch_, block)).first->second;
  }
  [[nodiscard]] const BlockWaits& waits() const { return waits_; }

 private:
  StreamRecorder* of(const WarpPlace& place) {
    return last_ = value_at(recorders_, cluster_number(launch_, place.block));
  }

  const ExecutedLaunch& launch_;
  const DecideWay& way_;
  std::map<std::uint64_t, StreamRecorder> recorders_;  ///< by cluster
  BlockWaits waits_;
  StreamRecorder* last_ = nullptr;
};

}  // namespace

/// Blocks that take one piece of work after the other take as many, or the last ones of them one less.
Expected<BlockStreams> block_streams(const LoadedKernel& kernel, const ExecutedLaunch& launch, const DecideWay& way,
                                     bool longest) {
  std::array<std::uint32_t, 3> middle{};
  for (std::size_t axis = 0; axis < middle.size(); ++axis)
    middle[axis] = launch.grid[axis] / 2 / launch.cluster[axis] * launch.cluster[axis];
  std::vector<std::uint64_t> blocks{block_number(launch, middle)};
  const CodeProgram program = code_program(kernel, launch, Follow::Path);
  if (longest && program.path_by_block && blocks[0] > 0) blocks.push_back(0);
  BlockStreams most;
  for (const std::uint64_t& block : blocks) {
    StreamRecorder recorder(way, launch.warps(), cluster_rank(launch, block));
    WARPCLOCK_TRY(execute(kernel, launch, program, std::span(&block, 1), recorder, stream_limits));
    BlockStreams one = WARPCLOCK_TRY(finished(kernel, recorder));
    if (one.instructions() > most.instructions()) most = std::move(one);
  }
  return most;
}

Expected<SmStreams> sm_streams(const LoadedKernel& kernel, const ExecutedLaunch& launch, const DecideWay& way,
                               std::uint64_t sms) {
  constexpr std::uint64_t most_blocks = 32;  // of an SM: those that begin first
  constexpr std::uint64_t most_waiting = 1 << 18;
  if (launch.blocks() > most_waiting) return fail("limit", "too many blocks may wait for each other");
  std::vector<std::uint64_t> all;
  for (std::uint64_t block = 0; block < launch.blocks(); ++block)
    if (cluster_rank(launch, block) == 0) all.push_back(block);
  const CodeProgram program = code_program(kernel, launch, Follow::Path);
  ReaderOfEach counts(launch, way);
  WARPCLOCK_TRY(execute(kernel, launch, program, all, counts, stream_limits));
  // The first blocks of an SM, and those that follow them, are as far apart as there are SMs.
  const std::uint64_t places = std::max<std::uint64_t>(1, sms / launch.cluster_blocks());
  const auto of_sm = [&](std::uint64_t sm) {
    std::vector<std::uint64_t> blocks;
    for (std::size_t i = sm; i < all.size() && blocks.size() < most_blocks; i += places) blocks.push_back(all[i]);
    return blocks;
  };
  std::vector<std::uint64_t> blocks;
  std::uint64_t most = 0;
  for (std::uint64_t sm = 0; sm < std::min<std::uint64_t>(places, all.size()); ++sm) {
    std::uint64_t sum = 0;
    for (const std::uint64_t block : of_sm(sm)) sum += counts.waits().instructions(block);
    if (sum > most) most = sum, blocks = of_sm(sm);
  }
  ReaderOfEach streams(launch, way);
  for (const std::uint64_t block : blocks) streams.record(block);
  WARPCLOCK_TRY(execute(kernel, launch, program, blocks, streams, stream_limits));
  SmStreams made{.blocks = {}, .waits = counts.waits()};
  for (const std::uint64_t block : blocks)
    made.blocks.push_back(WARPCLOCK_TRY(finished(kernel, streams.record(block))));
  return made;
}

}  // namespace warpclock
