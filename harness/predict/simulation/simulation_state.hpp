#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "predict/meeting/block_streams.hpp"
#include "predict/simulation/path_state.hpp"
#include "predict/simulation/register_ports.hpp"
#include "predict/simulation/simulate.hpp"

namespace warpclock {

inline constexpr double for_ever = std::numeric_limits<double>::infinity();

/// When an instruction may issue, and what it waits for.
struct Earliest {
  double cycle = for_ever;
  Wait wait = Wait::Stall;

  void no_sooner(double other, Wait why) {
    if (other > cycle) cycle = other, wait = why;
  }
};

inline constexpr std::size_t no_step = ~std::size_t{0};

/// A warp on its way through the program.
struct WarpState {
  int id = 0, block = 0;
  std::size_t of_block = 0;  ///< its number in its block
  std::int64_t age = 0;      ///< how many blocks of the SM began before its block
  std::size_t at = 0;
  bool done = false;
  bool yielded = true;                 ///< with its last issue; so has one that has not begun
  int barrier = -1;                    ///< the one that it waits at
  std::vector<MbarrierPhase> awaited;  ///< those that have not ended
  std::size_t awaits = 0;              ///< the step that waits for them
  bool woken = false;                  ///< whether it waited for one until now
  std::optional<StreamCursor> stream;  ///< if it follows one
  std::size_t from = no_step;          ///< its step before
  double ready = 0, fetched = 0;       ///< its next step by the stall count, and by its machine code
  double constants = 0;                ///< and by what its operands read of constant memory
  Earliest own;                        ///< if nothing that it shares with other warps is busy
  std::array<double, scoreboard_count> released{};
  std::array<std::vector<double>, group_count> groups;  ///< when the last commits signal
  double copied = 0, multiplied = 0;                    ///< when what was started since the last commit is done
  DramBurst burst;
  double returned = 0;              ///< when the last of what L1 lacked has come
  double last = 0;                  ///< its last issue
  std::int64_t in_a_row = 0;        ///< issues since another warp's, a yield or a taken jump
  std::vector<double> issued;       ///< last issue of each step
  std::vector<std::int64_t> taken;  ///< of each step
  std::vector<std::int64_t> times;  ///< that it has loaded, of each step
  double opened = -1, closed = -1;

  WarpState(int number, int number_of_block, std::int64_t blocks_before, std::size_t steps, double now)
      : id(number),
        block(number_of_block),
        age(blocks_before),
        done(steps == 0),
        ready(now),
        last(now),
        issued(steps, -for_ever),
        taken(steps, 0),
        times(steps, 0) {}
};

/// Where the warps are that have not ended, the first few places: "8 at 0x0370".
[[nodiscard]] std::string places_of(const std::vector<WarpState>& warps, const Program& program);

/// When the instruction of a chosen warp issues.
struct Dispatch {
  Earliest why;
  double held = 0;                     ///< cycles for which the ports of the registers hold it up
  std::int64_t reads = 0, writes = 0;  ///< its registers as if it issued in these cycles
  RegisterUse registers;               ///< which they are
};

/// Instructions of a sub-partition that have been issued to a unit of the SM.
class UnitQueue {
 public:
  /// An instruction has its place until `held` cycles after the unit has begun with it.
  UnitQueue(std::size_t places, double held) : places_(places), held_(held) {}

  [[nodiscard]] bool full() const { return until_.size() == places_; }
  /// When there is a place, in cycles; 0 if there is one at once.
  [[nodiscard]] double free() const { return full() ? until_.front() : 0; }
  void enter(double begun);

 private:
  std::size_t places_;
  double held_;
  std::vector<double> until_;  ///< of the last instructions, in their order
};

/// While the tensor core works for a warp group, a warp issues to the pipes that this delays every 4 cycles at most: an
/// H100, two chains of FFMA in one warp take 4.0 cycles an instruction, and in each of two warps 4.4 (docs/findings.md,
/// "A multiply of a warp group").
inline constexpr double beside_multiply_distance = 4;

/// Before the unit for accesses to memory, and for multiplies of warp groups before the tensor core.
[[nodiscard]] UnitQueue access_queue();
[[nodiscard]] UnitQueue group_queue();

/// What the warps of a sub-partition share.
struct SubPartitionState {
  std::vector<int> warps;  ///< the oldest first
  double slot = 0;         ///< when it may issue again
  std::vector<std::array<double, 2>> pipes;
  std::array<double, port_count> ports{};  ///< when each is free
  RegisterPorts registers;
  std::vector<UnitQueue> queues;       ///< by unit; the last: multiplies of groups
  int last = -1, chosen = -1;          ///< the warp that issued, and the one that will
  Earliest why;                        ///< when the latter may be chosen, and what it waits for
  Dispatch dispatch;                   ///< and when it issues
  double issued = -1;                  ///< when it did
  double multiplying = 0;              ///< until when the tensor core works for warp groups
  TensorWork work = TensorWork::None;  ///< the last that the tensor core began

  /// Takes the registers and ports of the instruction that issues now. While another one is held up, the tensor core
  /// does not go on with its own, if it has begun any.
  void take(const ProgramStep& step, std::size_t tensor_pipe, double now);

  /// Whether the step is one that multiplies of warp groups delay, and issues during one.
  [[nodiscard]] bool is_beside_multiply(const ProgramStep& step, double now) const {
    return step.occupied.beside_multiply > 0 && now < multiplying;
  }
};

enum class Half : std::uint8_t { First, Either, Both };

/// What decides when a step may issue, of what warps share: a copy from the step that fits in a cache.
struct StepNeeds {
  int pipe = -1, queue = -1;  ///< the latter in SubPartitionState::queues
  float early = 0, later = 0;
  Half half = Half::First;
  TensorWork work = TensorWork::None;
  RegisterUse registers;
  bool goes_on = false;
  bool any_port = false;
  std::array<bool, port_count> ports{};
};

/// Whether it is a multiply of a warp group.
[[nodiscard]] bool multiplies(const ProgramStep& step);

[[nodiscard]] StepNeeds needs_of(const ProgramStep& step, const Program& program);

/// Whether two instructions wait for places in the same queue.
[[nodiscard]] bool waits_like(const SubPartitionState& part, const StepNeeds& one, const StepNeeds& other);

/// Adds the ports for which a warp waits before it is chosen.
void wait_for_ports(const SubPartitionState& part, const StepNeeds& needs, Earliest& earliest);

/// When a warp that was chosen issues, not before `first`. Meanwhile no other warp can be chosen. `in_a_row` as in
/// WarpState.
[[nodiscard]] Dispatch dispatched(const SubPartitionState& part, const StepNeeds& needs, Earliest why, double first,
                                  std::int64_t in_a_row);

/// When an instruction was issued, when the pipe or the unit of the SM began with it, and when the last path served it.
struct Served {
  double issued = 0, begun = 0, served = 0;
};

/// Sets when the step's scoreboards and group signal. Its data come when the last path serves it. Its operands are read
/// when the unit begins with it; of stores when the last path has room, which predicts `bandwidth/write`
/// (docs/findings.md, "Loads and copies read their operands before L2 has room").
void signal(WarpState& warp, const ProgramStep& step, const SimulationOptions& options, const Served& when);

/// When the warp may issue the step that it is at, if nothing that it shares with other warps is busy.
[[nodiscard]] Earliest earliest_of(const WarpState& warp, const ProgramStep& step);

/// Whether a warp goes before another one that may be chosen in the same cycle. A warp that yielded, or that waited for
/// a scoreboard, goes behind all others; of equals, the one that has not issued for longest goes first.
[[nodiscard]] bool goes_before(const WarpState& one, const WarpState& other);

/// Whether the first of two instructions lets the tensor core go on with the same kind of work, and the second does
/// not.
[[nodiscard]] bool keeps_tensor_work(const SubPartitionState& part, const StepNeeds& one, const StepNeeds& other);

/// Works out when the warp may go on by itself.
void settle(WarpState& warp, const Program& program);

/// Whether the warp takes the jump that it is at, which counts its trips.
[[nodiscard]] bool takes_jump(WarpState& warp, const ProgramStep& step);

}  // namespace warpclock
