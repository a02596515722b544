#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "execute/code_program.hpp"
#include "execute/executed_warp.hpp"
#include "execute/launch.hpp"
#include "inspect/load.hpp"
#include "predict/meeting/mbarrier_use.hpp"

namespace warpclock {

/// The part of a listing that has to be executed to know which mbarriers warps use and which jumps they take, by index
/// from `first`.
class FollowedCode {
 public:
  FollowedCode(const LoadedKernel& kernel, std::size_t first, std::size_t end, ExecutedLaunch launch);

  /// Whether warps meet at mbarriers here, or only some of a block at a barrier. Other code is not followed.
  [[nodiscard]] bool meets() const { return meets_; }
  /// Null if it decides nothing.
  [[nodiscard]] const CodeStep* step(std::size_t i) const {
    return steps_[i] == no_step ? nullptr : &program_.steps[steps_[i]];
  }
  [[nodiscard]] const std::optional<MbarrierUse>& use(std::size_t i) const { return uses_[i]; }
  /// Whether a register has the number of the barrier.
  [[nodiscard]] bool names_barrier(std::size_t i) const;
  [[nodiscard]] const CodeProgram& program() const { return program_; }
  [[nodiscard]] const ExecutedLaunch& launch() const { return launch_; }

 private:
  static constexpr std::size_t no_step = ~std::size_t{0};
  bool meets_ = false;
  ExecutedLaunch launch_;
  CodeProgram program_;
  std::vector<std::size_t> steps_;
  std::vector<std::optional<MbarrierUse>> uses_;
};

/// What registers hold in a warp on its way through followed code, and which of its lanes are on it. The warp is one of
/// the first block of a cluster in the middle of the grid. What memory holds is not known.
class WarpValues {
 public:
  WarpValues(const FollowedCode& code, int warp);

  /// Executes an instruction. What an Await gives is that the phase has ended.
  void execute(std::size_t i);
  /// The lanes that jump or leave here; nothing if that is not known.
  [[nodiscard]] std::optional<LaneMask> lanes_of(std::size_t i) const;
  /// The mbarriers that this uses, and the lanes that use each; nothing if they are not known.
  struct Address {
    std::uint32_t at = 0;
    LaneMask lanes = 0;
  };
  [[nodiscard]] std::optional<std::vector<Address>> addresses(std::size_t i) const;
  /// The number of the use, or of the barrier, in the first lane, or the upper word of one of 64 bits; nothing if it is
  /// not known.
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t i, bool upper = false) const;

  /// Some lanes jump from a step to another one. Returns the next step: of both ways, the earlier one comes first, and
  /// its lanes wait for the others where these are.
  std::size_t jump(LaneMask lanes, std::size_t from, std::size_t to);
  /// Some lanes leave. Returns the step at which others go on; nothing if none is left.
  std::optional<std::size_t> leave(LaneMask lanes, std::size_t from);

  /// Lanes that wait at this step are on again.
  void arrive(std::size_t step);
  [[nodiscard]] LaneMask active() const { return active_; }

 private:
  [[nodiscard]] std::optional<LaneMask> elsewhere(const CodeStep& step) const;

  struct Waiting {
    std::size_t step = 0;
    LaneMask lanes = 0;
  };
  const FollowedCode* code_;
  ExecutedWarp warp_;
  LaneMask active_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace warpclock
