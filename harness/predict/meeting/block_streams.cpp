#include "predict/meeting/block_streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "execute/code_program.hpp"
#include "execute/execute.hpp"
#include "inspect/facts.hpp"
#include "predict/meeting/mbarrier_use.hpp"

namespace warpclock {
namespace {

/// No simulation goes through more of one block (run.cpp).
constexpr std::int64_t most_recorded = 1'000'000;

class StreamRecorder final : public StreamReader {
 public:
  StreamRecorder(const DecideWay& way, std::size_t warps) : way_(way), warps_(warps) {}

  void ran(const WarpPlace& place, std::uint32_t from, std::uint32_t first, std::uint32_t last, LaneMask) override {
    WarpStream& warp = warps_[place.warp];
    const auto each = static_cast<std::int64_t>(last) - first + 1;
    warp.cut |= warp.instructions > most_recorded / static_cast<std::int64_t>(warps_.size());
    warp.instructions += each;
    if (warp.cut) return;
    const auto all = static_cast<std::uint32_t>(warp.meetings.size());
    const std::uint32_t meetings = all - std::exchange(told_[place.warp], all);
    if (from == first && !warp.runs.empty() && warp.runs.back().last + 1 == first)
      warp.runs.back().last = last, warp.runs.back().meetings += meetings;
    else
      warp.runs.push_back({first, last, meetings});
  }

  void met(const WarpPlace& place, const Meeting& meeting) override {
    WarpStream& warp = warps_[place.warp];
    if (warp.cut) return;
    if (meeting.kind == Meeting::Kind::Copy && meeting.bytes == 0)
      flying_[meeting.place].emplace_back(place.warp, warp.meetings.size());
    if (meeting.kind == Meeting::Kind::Store && meeting.bytes == 0)
      stores_.emplace_back(place.warp, warp.meetings.size());
    warp.meetings.push_back(meeting);
  }

  void landed(std::uint32_t place, std::int64_t bytes) override {
    const auto copies = std::exchange(flying_[place], {});
    auto left = static_cast<std::int64_t>(copies.size());
    for (const auto& [warp, meeting] : copies) {
      const std::int64_t each = bytes / left--;
      warps_[warp].meetings[meeting].bytes = -each;
      bytes -= each;
    }
  }

  void accessed(const WarpPlace&, const CodeStep&, std::size_t, LaneMask, const LaneAddresses&) override {}
  void copied(const WarpPlace&, const CodeStep&, const BulkCopy&) override {}
  std::optional<ChosenWay> way(const WarpPlace& warp, const CodeStep& step) override { return way_(warp, step); }
  bool lost(const WarpPlace&, const CodeStep& step, const Error&) override {
    lost_.insert(step.index);
    return true;
  }
  [[nodiscard]] bool was_lost(const CodeStep& step) const override { return lost_.contains(step.index); }

  [[nodiscard]] bool stores_tensors() const { return !stores_.empty(); }
  /// Tensor copies from shared memory take what the block stored there, each the same part.
  void stored(std::int64_t bytes) {
    auto left = static_cast<std::int64_t>(stores_.size());
    for (const auto& [warp, meeting] : stores_) {
      const std::int64_t each = bytes / left--;
      warps_[warp].meetings[meeting].bytes = -each;
      bytes -= each;
    }
  }
  [[nodiscard]] const std::vector<WarpStream>& warps() const { return warps_; }

  [[nodiscard]] BlockStreams streams() {
    BlockStreams made;
    for (WarpStream& one : warps_) {
      const auto same = std::ranges::find_if(made.warps, [&](const auto& other) { return *other == one; });
      made.warps.push_back(same == made.warps.end() ? std::make_shared<const WarpStream>(std::move(one)) : *same);
    }
    return made;
  }

 private:
  const DecideWay& way_;
  std::set<std::uint32_t> lost_;
  std::vector<WarpStream> warps_;
  std::map<std::uint32_t, std::uint32_t> told_;  ///< by warp: the meetings of its runs until now
  /// By mbarrier: the tensor copies that bring bytes nobody has said, as a warp and one of its meetings.
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::size_t>>> flying_;
  std::vector<std::pair<std::uint32_t, std::size_t>> stores_;  ///< the same of tensor copies from shared memory
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

std::int64_t BlockStreams::trips(std::size_t header, std::size_t end) const {
  std::int64_t begun = 0, entered = 0;
  for (const auto& one : warps) {
    std::size_t from = end;
    for (const StreamRun& run : one->runs) {
      const bool here = run.first <= header && header <= run.last;
      const bool again = run.first == header && from >= header && from < end;
      begun += here ? 1 : 0, entered += here && !again ? 1 : 0;
      from = run.last;
    }
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

/// Blocks that take one piece of work after the other take as many, or the last ones of them one less.
Expected<BlockStreams> block_streams(const LoadedKernel& kernel, const ExecutedLaunch& launch, const DecideWay& way,
                                     bool longest) {
  constexpr ExecuteLimits limits{.warp_instructions = 50'000'000};
  std::array<std::uint64_t, 3> middle{};
  for (std::size_t axis = 0; axis < middle.size(); ++axis)
    middle[axis] = std::uint64_t{launch.grid[axis] / 2 / launch.cluster[axis]} * launch.cluster[axis];
  std::vector<std::uint64_t> blocks{(middle[2] * launch.grid[1] + middle[1]) * launch.grid[0] + middle[0]};
  const CodeProgram program = code_program(kernel, launch, Follow::Path);
  if (longest && program.path_by_block && blocks[0] > 0) blocks.push_back(0);
  BlockStreams most;
  for (const std::uint64_t& block : blocks) {
    StreamRecorder recorder(way, (launch.threads() + warp_lanes - 1) / warp_lanes);
    WARPCLOCK_TRY(execute(kernel, launch, program, std::span(&block, 1), recorder, limits));
    if (recorder.stores_tensors()) {
      const std::int64_t bytes = stored_to_shared(kernel.listing, recorder.warps());
      if (bytes == 0) return fail("predict", "nobody says how many bytes UTMASTG copies: no warp stored any before");
      recorder.stored(bytes);
    }
    BlockStreams one = recorder.streams();
    if (one.instructions() > most.instructions()) most = std::move(one);
  }
  return most;
}

}  // namespace warpclock
