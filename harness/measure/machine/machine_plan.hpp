#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compose/hole.hpp"
#include "compose/placing.hpp"
#include "fields/form_table.hpp"

namespace warpclock {

/// Cycles from an instruction that sets a scoreboard to the one that waits for it, in chains: fewer than any takes, and
/// enough for the scoreboard to be seen.
constexpr int scoreboard_stall = 8;

/// Cycles after which a result of a fixed latency is there, but for tensor instructions.
constexpr int safe_stall = 15;

/// A composed window and what it is for.
struct MachineWindow {
  enum class Kind : std::uint8_t {
    Stale,   ///< a chain whose result tells whether `stall` cycles are enough
    Chain,   ///< a chain that is timed
    Bridge,  ///< as Stale, of the instruction that brings the result back
    Issue,   ///< independent copies
  };
  Kind kind = Kind::Chain;
  int source = 0;
  int n = 1;
  int stall = 1;
  bool yield = false;
  int warps = 1;
  std::size_t data = 0;     ///< of the subject's data
  int first_thread = 0;     ///< of those data
  std::size_t filling = 0;  ///< of the fillings that it is composed with
};

/// Windows, of which several have one filling: they differ in their launch.
struct ComposedWindows {
  std::vector<Filling> fillings;
  std::vector<MachineWindow> windows;

  void append(ComposedWindows more);
};

/// How a chain goes through one source operand.
struct ChainRoute {
  int source = 0;
  std::string operand;
  int length = 0;  ///< copies in a chain that is to show a stale read
  bool through_address = false;
  Mover bridge;
  std::string why_not;  ///< there is no chain
};

/// Everything about a form that decides its windows.
struct MachineSubject {
  const WordForm* form = nullptr;
  FormShape shape;
  std::vector<ChainRoute> routes;  ///< of each source that is a register or an address
  std::vector<HoleValues> data;    ///< what is timed has the first; a stale read is looked for with all
  int most_stall = 15;             ///< the largest distance that is tried
  bool scoreboard = false;         ///< says when the result is there
  bool global = false;             ///< accesses global memory, where each place is as far as it is

  [[nodiscard]] bool fixed() const { return !scoreboard; }
};

/// Errors: those of shape_of(); "control-flow" for what changes it; "set-up" for what one warp in straight code cannot
/// run, or what needs something that the hole does not set up.
[[nodiscard]] Expected<MachineSubject> machine_subject(const WordForm& form, const Movers& movers);

/// Warps that look for stale reads: one on each sub-partition, as many data as there are without another warp between
/// two of its instructions; and several, which keep the pipe busy.
constexpr int quiet_warps = 4, busy_warps = 16;

/// Chains whose results tell which stall counts are right, chains that wait for scoreboards, independent copies over
/// warps. Windows that cannot be composed are left out; error of the first where none can.
[[nodiscard]] Expected<ComposedWindows> first_windows(const MachineSubject& subject, const Hole& hole,
                                                      const Movers& movers);

/// How far it is looked for stale reads.
enum class StaleLook : std::uint8_t {
  First,  ///< short distances and the largest
  AllStalls,
  WithData,  ///< the quiet warps alone, with the data that the busy ones had
};

/// Chains through a route whose results tell which stall counts are right, of the instruction and of its bridge.
[[nodiscard]] Expected<ComposedWindows> stale_windows(const MachineSubject& subject, const ChainRoute& route,
                                                      StaleLook look, const Hole& hole, const Movers& movers);

/// The chain through a route at these distances, to be timed.
[[nodiscard]] Expected<ComposedWindows> chain_windows(const MachineSubject& subject, const ChainRoute& route, int stall,
                                                      int bridge_stall, const Hole& hole, const Movers& movers);

/// Independent copies at all stall counts, with the yield hint and without, over warps; but the ones that
/// first_windows() has.
[[nodiscard]] Expected<ComposedWindows> surface_windows(const MachineSubject& subject, const Hole& hole,
                                                        const Movers& movers);

}  // namespace warpclock
