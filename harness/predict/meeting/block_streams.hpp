#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "execute/launch.hpp"
#include "execute/stream.hpp"
#include "inspect/load.hpp"
#include "predict/meeting/block_waits.hpp"

namespace warpclock {

/// Warp instructions that are executed of a launch, each time that a prediction looks at it.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr std::uint64_t most_executed = 100'000;  // a loop without an end is not worth a minute
#else
constexpr std::uint64_t most_executed = 50'000'000;
#endif

/// Instructions that a warp executes one after the other, by index in the listing.
struct StreamRun {
  std::uint32_t first = 0, last = 0;
  std::uint32_t meetings = 0;  ///< how many of WarpStream::meetings are of them

  bool operator==(const StreamRun&) const = default;
};

/// What a warp does, in its order.
struct WarpStream {
  std::vector<StreamRun> runs;
  std::vector<Meeting> meetings;
  std::int64_t instructions = 0;  ///< also those that were left out at the end
  bool cut = false;               ///< whether there are such

  bool operator==(const WarpStream&) const = default;
};

/// What the warps of a block do. Equal streams are one.
struct BlockStreams {
  std::vector<std::shared_ptr<const WarpStream>> warps;

  [[nodiscard]] std::int64_t instructions() const;
  [[nodiscard]] bool are_cut() const {
    return std::ranges::any_of(warps, [](const auto& one) { return one->cut; });
  }
};

/// What the blocks of an SM do, one after the other as they begin; then they begin again.
struct SmStreams {
  std::vector<BlockStreams> blocks;
  BlockWaits waits;  ///< of all blocks of the launch, for each other

  [[nodiscard]] const BlockStreams& of(std::int64_t block) const {
    return blocks[static_cast<std::size_t>(block) % blocks.size()];
  }
  /// Of a block, on average.
  [[nodiscard]] double instructions() const;
  [[nodiscard]] bool are_cut() const { return std::ranges::any_of(blocks, &BlockStreams::are_cut); }
  /// Of the loop from one instruction to before another, each time that it is entered, on average; 0 if it is not.
  [[nodiscard]] std::int64_t trips(std::size_t header, std::size_t end) const;
};

/// Where a warp is in its stream.
class StreamCursor {
 public:
  /// The stream has at least one run.
  explicit StreamCursor(const WarpStream& stream) : stream_(&stream), at_(stream.runs.front().first) {}

  /// The instruction, by index.
  [[nodiscard]] std::size_t at() const { return at_; }
  /// What the warp does at it where warps meet.
  [[nodiscard]] std::span<const Meeting> meetings() const;
  /// The bytes of its copies to mbarriers.
  [[nodiscard]] double copied() const;
  /// The next instruction; false at the end.
  bool next();
  /// Whether the end is not that of the warp.
  [[nodiscard]] bool is_cut() const { return stream_->cut; }

 private:
  const WarpStream* stream_;
  std::size_t run_ = 0, first_meeting_ = 0;  ///< the latter: of the run
  std::size_t meeting_ = 0;                  ///< the first that is not of an earlier instruction
  std::size_t at_ = 0;
};

/// Whether warps meet at mbarriers, or only some of a block at a barrier.
[[nodiscard]] bool meets_in_part(const Listing& listing);

/// StreamReader::way().
using DecideWay = std::function<std::optional<ChosenWay>(const WarpPlace&, const CodeStep&)>;

/// Records the first block of a cluster in the middle of the grid, or, if `longest`, another one that has more to do.
/// Memory holds what is known of it. Errors of execute().
[[nodiscard]] Expected<BlockStreams> block_streams(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                                   const DecideWay& way, bool longest = false);

/// Records the blocks of the SM that has most to do, of a launch whose blocks do not all do the same. Errors of
/// execute().
[[nodiscard]] Expected<SmStreams> sm_streams(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                             const DecideWay& way, std::uint64_t sms);

}  // namespace warpclock
