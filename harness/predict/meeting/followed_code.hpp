#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "predict/meeting/mbarrier_use.hpp"
#include "predict/memory/lane_state.hpp"

namespace warpclock {

/// What code is followed for: where warps meet, if they do, with arguments that are not known taken for unequal to
/// known numbers; or all of its jumps.
enum class Following : std::uint8_t { Meetings, AllJumps };

/// The part of a listing that has to be executed to know which mbarriers warps use and which jumps they take, by index
/// from `first`.
class FollowedCode {
 public:
  FollowedCode(const Listing& listing, std::size_t first, std::size_t end, LaneLaunch launch,
               Following what = Following::Meetings);

  /// Whether warps meet at mbarriers here, or only some of a block at a barrier. Other code is not followed.
  [[nodiscard]] bool meets() const { return meets_; }
  [[nodiscard]] const std::optional<LaneOperation>& operation(std::size_t i) const { return operations_[i]; }
  [[nodiscard]] const std::optional<MbarrierUse>& use(std::size_t i) const { return uses_[i]; }
  /// The register with the number of a barrier.
  [[nodiscard]] const std::optional<Register>& barrier(std::size_t i) const { return barriers_[i]; }
  /// The predicate that a jump names besides its guard, or the register with the lanes that BRA.DIV waits for.
  [[nodiscard]] const std::optional<LaneOperand>& condition(std::size_t i) const { return conditions_[i]; }
  [[nodiscard]] const LaneLaunch& launch() const { return launch_; }

 private:
  bool meets_ = false;
  std::vector<std::optional<LaneOperation>> operations_;
  std::vector<std::optional<MbarrierUse>> uses_;
  std::vector<std::optional<Register>> barriers_;
  std::vector<std::optional<LaneOperand>> conditions_;
  LaneLaunch launch_;
};

/// What registers hold in a warp on its way through followed code, and which of its lanes are on it.
class WarpValues {
 public:
  using Lanes = std::uint32_t;  ///< a bit for each

  /// Of a block of the grid; without one, of any.
  WarpValues(const FollowedCode& code, int warp, std::optional<std::array<std::uint32_t, 3>> block = {});

  /// Executes an instruction. What an Await gives is that the phase has ended.
  void execute(std::size_t i);
  /// The lanes that jump or leave here; nothing if that is not known.
  [[nodiscard]] std::optional<Lanes> lanes_of(std::size_t i) const;
  /// The mbarriers that this uses, and the lanes that use each; nothing if they are not known.
  struct Address {
    std::uint32_t at = 0;
    Lanes lanes = 0;
  };
  [[nodiscard]] std::optional<std::vector<Address>> addresses(std::size_t i) const;
  /// The number of the use in the first lane; nothing if it is not known.
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t i) const;

  /// Some lanes jump from a step to another one. Returns the next step: of both ways, the earlier one comes first, and
  /// its lanes wait for the others where these are.
  std::size_t jump(Lanes lanes, std::size_t from, std::size_t to);
  /// Some lanes leave. Returns the step at which others go on; nothing if none is left.
  std::optional<std::size_t> leave(Lanes lanes, std::size_t from);
  /// The number of the barrier; nothing if it is not known.
  [[nodiscard]] std::optional<std::uint32_t> barrier(std::size_t i) const;

  /// Nothing is known of these any more.
  void forget(const std::vector<Register>& registers) {
    for (const Register reg : registers) state_.set(reg, nullptr);
  }

  /// Lanes that wait at this step are on again.
  void arrive(std::size_t step);
  [[nodiscard]] Lanes active() const { return active_; }

 private:
  [[nodiscard]] std::optional<Lanes> lanes_where(const LaneRef& value) const;
  [[nodiscard]] std::optional<Lanes> parted(const LaneRef& mask) const;
  [[nodiscard]] LaneRef value_of(const LaneOperand& operand) const;

  struct Waiting {
    std::size_t step = 0;
    Lanes lanes = 0;
  };
  const FollowedCode* code_;
  LaneLaunch launch_;
  LaneState state_;
  Lanes active_ = ~Lanes{0};
  std::vector<Waiting> waiting_;
};

}  // namespace warpclock
