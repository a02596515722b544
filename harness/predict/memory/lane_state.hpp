#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "predict/memory/lane_value.hpp"

namespace warpclock {

/// Threads of a block whose values are followed: the first eight warps.
inline constexpr std::size_t most_followed_threads = 8 * warp_lanes;

/// An operand of an instruction as the analysis reads it.
struct LaneOperand {
  enum class Kind : std::uint8_t { Register, Immediate, Constant, Special, Address, Other };
  Kind kind = Kind::Other;
  Register reg;
  std::uint32_t number = 0;  ///< Immediate; Constant: the offset in bank 0
  bool negative = false, inverted = false;
  std::string text;  ///< "SR_TID.X", or an address in brackets
};

/// What registers hold in the threads of a block.
class LaneState {
 public:
  [[nodiscard]] const LaneRef& at(Register reg) const { return registers_[place(reg)]; }
  void set(Register reg, LaneRef value);
  void forget() { registers_ = {}, guarded_.clear(); }
  /// What the register holds where a predicate holds under which it was written. `set` it before.
  void set_under(const LaneOperand& guard, Register reg, LaneRef value);
  /// The state as instructions see it that execute under the same predicate.
  [[nodiscard]] LaneState under(const LaneOperand& guard) const;
  [[nodiscard]] bool knows_under(const LaneOperand& guard) const;
  /// Takes in what another path leaves. Returns whether anything changed. If `blunt`, what differs is not known, so
  /// that loops come to an end.
  bool join(const LaneState& other, bool blunt);

 private:
  static constexpr std::size_t names = 256;  ///< R0 to R254, and as many of the uniform datapath
  static constexpr std::size_t predicates = 8;
  static std::size_t place(Register reg);
  struct Guarded {
    std::size_t place = 0, guard = 0;
    bool inverted = false;
    LaneRef value;

    [[nodiscard]] bool is_under(const LaneOperand& by) const {
      return guard == LaneState::place(by.reg) && inverted == by.inverted;
    }
  };

  std::vector<Guarded> guarded_;
  std::array<LaneRef, 2 * names + 2 * predicates> registers_{};
};

/// What the threads of a block begin with.
struct LaneLaunch {
  std::array<int, 3> block = {1, 1, 1};  ///< threads along x, y, z; all 0: not known
  std::size_t first_thread = 0;          ///< of those that are followed
  std::size_t threads = 0;               ///< how many, a multiple of 32 unless the block is smaller
  std::array<int, 3> grid = {0, 0, 0};   ///< blocks along x, y, z; 0: not known
  std::optional<std::array<std::uint32_t, 3>> block_index = {};  ///< of the block; without it, any
  int block_at = 0;                           ///< where the constant bank has the size of a block, and of the grid
  int parameters_at = 0, parameters_end = 0;  ///< and the kernel's arguments
  std::set<int> buffers = {};                 ///< arguments that are addresses of buffers, by their place among them
  std::set<int> equal_buffers = {};           ///< those of them that hold one value everywhere
  std::map<int, std::uint32_t> words = {};    ///< 32 bits of other arguments, by their place
  bool buffers_known = false;                 ///< whether all others are none
  bool first_of_cluster = false;              ///< takes the block for the first one of its cluster
  std::optional<std::uint32_t> active = {};   ///< lanes of the only warp that execute; without it, not known
  bool unknown_differ = false;                ///< takes numbers that are not known for unequal to those that are
};

/// An instruction, ready to be evaluated in many states.
struct LaneOperation {
  std::string opcode;  ///< of the uniform datapath without its U
  std::vector<std::string> modifiers;
  std::vector<Register> writes;
  std::vector<LaneOperand> sources;  ///< without the predicates at the end, except for what selects, compares or votes
  std::vector<LaneOperand> carries;  ///< those predicates
  std::optional<std::uint32_t> constant;
  std::optional<LaneOperand> guard;  ///< a predicate
  bool call = false, load = false;
  std::optional<std::vector<Register>> clobbers = {};  ///< what the called code writes; nothing: any
};

[[nodiscard]] LaneOperation lane_operation(const Instruction& instruction);

/// What the instruction does to the state.
void evaluate(const LaneOperation& operation, const LaneLaunch& launch, LaneState& state);

/// The lower 32 bits of "desc[UR4][R2.64+-0x800]" or "[R3+UR4+0x10]".
[[nodiscard]] LaneRef address_of(const std::string& operand, const LaneState& state);

/// The values of its registers: addresses with the same ones differ by their immediates.
[[nodiscard]] std::vector<LaneRef> bases_of(const std::string& operand, const LaneState& state);

/// Whether the threads execute it: 0 or 1 for each, or unknown.
[[nodiscard]] LaneRef guard_of(const LaneOperation& operation, const LaneState& state);

}  // namespace warpclock
