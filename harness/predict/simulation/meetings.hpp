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
  Meetings(const Program& program, const SimulationOptions& options, std::vector<WarpState>& warps, Simulation& result);

  /// The warp comes to a barrier at `now`.
  void arrive(WarpState& warp, const ProgramStep& step, double now);
  /// What the step that the warp has issued at `now` does to mbarriers and followed registers. A copy of `bytes` has
  /// come at `copied`.
  void meet(WarpState& warp, double now, double copied, double bytes);
  /// Bytes that the bulk copy at which the warp is copies.
  [[nodiscard]] double copied_bytes(const WarpState& warp) const;
  /// A tensor copy that was issued before its mbarrier was told of its bytes. It brings all of them.
  struct EarlyCopy {
    int block = 0;
    std::uint32_t mbarrier = 0;
    std::size_t step = 0;
    double bytes = 0;
  };
  /// Those whose bytes are known since this was asked last.
  [[nodiscard]] std::vector<EarlyCopy> take_early() { return std::exchange(early_, {}); }
  void complete(const EarlyCopy& copy, double copied);
  /// Where a warp goes after a jump or the end of some of its lanes; nothing if it ends.
  [[nodiscard]] std::optional<std::size_t> next_of(WarpState& warp, const ProgramStep& step);
  /// Whether the warp takes the jump, or ends here, of which each takes its part in turn.
  bool takes_share(const WarpState& warp, const ProgramStep& step);
  /// The warp has ended. Returns whether its block has.
  bool leave(WarpState& warp);
  /// Another block takes its place.
  void begin(int block) {
    blocks_[static_cast<std::size_t>(block)] = {};
    released_ = true;
  }
  /// Whether warps may go on since this was asked last.
  bool take_released();

 private:
  struct Barrier {
    int arrived = 0;  ///< warps
    int warps = 0;    ///< that it waits for; 0: all
    double last = 0;  ///< when the last arrival was taken
  };
  struct Block {
    int left = 0;  ///< warps that ended
    std::array<Barrier, barrier_count> barriers{};
    Mbarriers mbarriers;
    std::map<std::uint32_t, std::size_t> early;  ///< by mbarrier: the step of a copy whose bytes are not known yet
  };
  [[nodiscard]] Block& block_of(const WarpState& warp) { return blocks_[static_cast<std::size_t>(warp.block)]; }
  void release(int number);
  void wake(int number);
  void use(WarpState& warp, const MbarrierUse& how, double now, double copied, double bytes);
  bool arrive_at(Mbarriers& all, const MbarrierUse& how, const WarpValues::Address& lanes, std::int64_t number,
                 double now) const;
  void expect_early(int block, std::uint32_t mbarrier);
  void await(WarpState& warp, std::uint32_t address, bool parity);
  void go_on(WarpState& warp, double ended);

  const Program& program_;
  const SimulationOptions& options_;
  std::vector<WarpState>& warps_;
  Simulation& result_;
  std::vector<Block> blocks_;
  std::map<std::size_t, std::vector<double>> shares_;  ///< by step: what has come together of the next jump
  std::vector<EarlyCopy> early_;
  double barrier_free_ = 0;
  bool released_ = false;
};

}  // namespace warpclock
