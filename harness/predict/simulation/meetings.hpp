#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "execute/mbarriers.hpp"
#include "predict/simulation/simulation_state.hpp"

namespace warpclock {

/// Where the warps of each block on an SM wait for each other: at barriers and mbarriers.
class Meetings {
 public:
  Meetings(const Program& program, const SimulationOptions& options, std::vector<WarpState>& warps)
      : program_(program), options_(options), warps_(warps), blocks_(static_cast<std::size_t>(options.blocks)) {
    for (int block = 0; block < options.blocks; ++block) begin(block);
    released_ = false;
  }

  /// What the step that the warp has issued at `now` does where warps meet. What it copies has come at `copied`.
  void meet(WarpState& warp, const ProgramStep& step, double now, double copied);
  /// Where a warp goes next; nothing if it ends.
  [[nodiscard]] std::optional<std::size_t> next_of(WarpState& warp, const ProgramStep& step);
  /// Whether the warp takes the jump, or ends here, of which each takes its part in turn.
  bool takes_share(const WarpState& warp, const ProgramStep& step);
  /// The warp has ended. Returns whether its block has.
  bool leave(WarpState& warp);
  /// Another block takes its place.
  void begin(int block);
  /// Whether warps may go on since this was asked last.
  bool take_released();

 private:
  static constexpr std::size_t most_groups = 8;  ///< of a block
  struct Barrier {
    int arrived = 0;  ///< warps
    int warps = 0;    ///< that it waits for; 0: all
    double last = 0;  ///< when the last arrival was taken
  };
  struct Block {
    int left = 0;                                                 ///< warps that ended
    std::array<Barrier, barrier_count + most_groups> barriers{};  ///< and where the warps of each group meet
    Mbarriers mbarriers;
  };
  [[nodiscard]] Block& block_of(const WarpState& warp) { return blocks_[static_cast<std::size_t>(warp.block)]; }
  void release(int number);
  void wake(int number);
  /// Where the warps of a group meet, because they multiply together (docs/findings.md, "The warps of a group meet
  /// before they multiply").
  [[nodiscard]] std::size_t meeting_of(const WarpState& warp) const;
  /// How many warps a barrier of the block waits for, or how many of the group have not ended.
  [[nodiscard]] int wanted(int number, std::size_t barrier) const;
  /// The warp comes to a barrier of so many warps; 0: all.
  void arrive(WarpState& warp, std::size_t number, int warps, bool waits, double now);
  /// Takes a phase off those that the warp waits for, if it has ended. Returns whether it goes on.
  bool go_on(WarpState& warp, Block& block);

  const Program& program_;
  const SimulationOptions& options_;
  std::vector<WarpState>& warps_;
  std::vector<Block> blocks_;
  std::map<std::size_t, std::vector<double>> shares_;  ///< by step: what has come together of the next jump
  double barrier_free_ = 0;
  bool released_ = false;
};

}  // namespace warpclock
