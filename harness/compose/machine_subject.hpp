#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "compose/hole_source.hpp"
#include "compose/movers.hpp"
#include "fields/form.hpp"

namespace warpclock {

/// The kind and size of an operand of a form, for assigning registers to it.
struct OperandShape {
  enum class Kind : std::uint8_t { None, Vector, Uniform, Predicate, UniformPredicate, Address };
  Kind kind = Kind::None;  ///< None: an immediate, a constant, a sink, a special register
  int registers = 0;       ///< number of registers that it spans
};

/// The operands of a form, results first.
struct FormShape {
  std::vector<OperandShape> results, sources;
  /// The result through which a chain can go: a vector register if there is one.
  [[nodiscard]] std::optional<std::size_t> result() const;
  /// Whether an operand has more than 8 registers. It needs a hole with accumulators.
  [[nodiscard]] bool wide() const;
};

/// Also true for a generic address, because those of a hole point to global memory.
[[nodiscard]] bool accesses_global_memory(const Instruction& instruction);
[[nodiscard]] bool accesses_shared_memory(const Instruction& instruction);

/// Error "compose" if the form is no instruction that can be placed.
[[nodiscard]] Expected<FormShape> shape_of(const WordForm& form);

/// Index of the numeral of an operand that is a register, but not a sink.
[[nodiscard]] std::optional<std::size_t> register_of(const Skeleton& skeleton, std::size_t operand);

/// Cycles from an instruction that sets a scoreboard to the one that waits for it, in chains: fewer than any such
/// instruction takes, but enough for the scoreboard to be seen.
constexpr int scoreboard_stall = 8;

/// Cycles after which any result of fixed latency is available, except those of tensor instructions.
constexpr int safe_stall = 15;

/// The same for the results of tensor instructions, and for uniform registers.
constexpr int most_tensor_stall = 40, most_uniform_stall = 24;

/// Numbers of warps that look for stale reads. Quiet: one on each sub-partition, so that no other warp issues between
/// two of its instructions. Busy: several, which keep the pipe busy.
constexpr int quiet_warps = 4, most_busy_warps = 16;

/// How a chain goes through one source operand.
struct ChainRoute {
  int source = 0;
  std::string operand;
  int length = 0;                ///< copies in a chain that looks for stale reads
  bool through_address = false;  ///< the result is the next address
  bool leans = false;            ///< the next address waits for the result (Placer::lean())
  Mover bridge;
  std::string why_not;  ///< why there is no chain
};

/// Everything about a form that determines its windows.
struct MachineSubject {
  const WordForm* form = nullptr;
  FormShape shape;
  std::vector<ChainRoute> routes;  ///< one for each source that is a register or an address
  std::vector<HoleValues> data;    ///< the first is for timing; all are used to look for stale reads
  int most_stall = 15;             ///< the largest distance tried
  bool scoreboard = false;         ///< a scoreboard signals the result
  /// A multiply of a warp group: what ends its batch (itself, if it does), and the operand with its accumulators.
  const WordForm* commits = nullptr;
  std::optional<int> accumulators;
  int meeting_warps = 1;  ///< a barrier that ends when this number of warps has arrived
  int least_stall = 1;    ///< cycles after which the next copy may issue
  bool wide = false;      ///< has an operand that only the hole for warp groups has room for
  bool global = false;    ///< accesses global memory, where each place has its own distance

  [[nodiscard]] int busy_warps() const { return wide ? most_group_warps : most_busy_warps; }
  [[nodiscard]] bool of_group() const { return commits != nullptr; }
  [[nodiscard]] bool fixed() const { return !scoreboard; }
};

/// Errors: those of shape_of(); "control-flow" for instructions that change it; "set-up" for instructions that one warp
/// in straight-line code cannot run, or that need something that the hole does not set up.
[[nodiscard]] Expected<MachineSubject> machine_subject(const WordForm& form, const Movers& movers);

/// Whether an adder may be the bridge of a route. An integer addition changes only the low word of a double, and a
/// negation passes that word on unchanged.
[[nodiscard]] bool takes_adders(const MachineSubject& subject, const ChainRoute& route);

}  // namespace warpclock
