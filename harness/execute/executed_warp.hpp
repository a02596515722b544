#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "execute/code_program.hpp"
#include "execute/forms/lanes.hpp"
#include "execute/forms/semantics.hpp"
#include "execute/known_memory.hpp"
#include "execute/stream.hpp"

namespace warpclock {

/// Lanes of a warp that are at the same instruction.
struct WarpSplit {
  enum class Waits : std::uint8_t { No, Convergence, Sync, Barrier, Cluster, Mbarrier, Memory };
  std::uint32_t step = 0;   ///< the next one, in CodeProgram::steps
  std::uint32_t begin = 0;  ///< the first instruction since the last one that was not the next in the listing
  std::uint32_t from = 0;   ///< and that one, if it jumped; else `begin`
  LaneMask lanes = 0;
  Waits waits = Waits::No;
  std::uint32_t on = 0;               ///< Convergence, Barrier: its number; Cluster: the arrivals; Sync: the lanes
  std::vector<MbarrierPhase> phases;  ///< Mbarrier: those that have not ended
  std::uint64_t polled = 0;           ///< the state of the warp when it last jumped back to look at memory again
};

/// The registers of a warp, and where its lanes are.
class ExecutedWarp {
 public:
  /// All lanes below `threads` at the first step; no register is known.
  void begin(const WarpPlace& place, std::uint32_t threads);

  [[nodiscard]] RegisterView view(const CodeProgram& program) const;

  /// The lanes of some in which the guard of a step holds, and those in which nobody knows it.
  struct Guarded {
    LaneMask lanes = 0, unknown = 0;
  };
  [[nodiscard]] Guarded guarded(const CodeStep& step, LaneMask lanes) const {
    if (!step.guarded) return {lanes, 0};
    return holding(step.guard, lanes);
  }
  [[nodiscard]] Guarded holding(const PredicateSource& predicate, LaneMask lanes) const;

  /// Executes a step of StepKind::Value in these lanes.
  void evaluate(const CodeProgram& program, const CodeStep& step, LaneMask lanes);
  /// Leaves results in the registers that a step names.
  void write(const CodeStep& step, const StepOutputs& out, const Guarded& where, Origin origin);
  /// Nothing is known of what the step writes in these lanes.
  void forget(const CodeStep& step, LaneMask lanes, Origin origin);

  /// Why a source of the step is not known in one of the lanes.
  [[nodiscard]] Origin origin_of(const CodeProgram& program, const CodeStep& step, LaneMask lanes) const;
  [[nodiscard]] Origin origin_of(const PredicateSource& predicate) const { return predicate_origins_[predicate.place]; }
  [[nodiscard]] Origin origin_of(std::uint16_t place) const { return origins_[place]; }

  /// A number for all that is known of registers in these lanes.
  [[nodiscard]] std::uint64_t state(LaneMask lanes) const;

  [[nodiscard]] const Words& word(std::uint16_t place) const { return words_[place]; }
  [[nodiscard]] LaneMask known(std::uint16_t place) const { return known_[place]; }

  WarpPlace position;
  LaneMask live = 0;
  std::vector<WarpSplit> splits;
  std::array<LaneMask, 16> convergence{};
  LocalMemory local;
  std::uint32_t cluster_arrivals = 0;    ///< at the barrier of its cluster
  std::uint64_t acts = 0;                ///< how often it changed memory
  std::optional<std::uint32_t> reduced;  ///< what the last BAR.RED of the warp gave, if it is known

 private:
  void set_word(std::uint16_t place, const Words& value, LaneMask known, LaneMask lanes, LaneMask unknown,
                Origin origin);
  void set_predicate(std::uint16_t place, LaneMask value, LaneMask known, LaneMask lanes, LaneMask unknown,
                     Origin origin);

  std::vector<Words> words_;
  std::vector<LaneMask> known_;
  std::vector<Origin> origins_;
  /// Those of these places that were written: a warp of a short kernel begins with few of them.
  std::vector<std::uint16_t> changed_;
  std::bitset<places::words> is_changed_;
  std::array<LaneMask, places::predicates> predicates_{}, known_predicates_{};
  std::array<Origin, places::predicates> predicate_origins_{};
};

}  // namespace warpclock
