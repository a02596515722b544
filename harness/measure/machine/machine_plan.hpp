#pragma once

#include <vector>

#include "base/error.hpp"
#include "compose/hole_source.hpp"
#include "compose/machine_subject.hpp"
#include "compose/placing.hpp"

namespace warpclock {

/// Launches of a window that looks for stale reads: of the largest stall count, with whose result the others are
/// compared, two show whether it repeats.
constexpr int stale_launches(int stall, int most) { return stall == most ? 2 : 1; }

/// A composed window and its purpose.
struct MachineWindow {
  enum class Kind : std::uint8_t {
    Stale,   ///< a chain whose result shows whether `stall` cycles suffice
    Chain,   ///< a chain that is timed
    Bridge,  ///< as Stale, for the instruction that brings the result back
    Issue,   ///< independent copies
  };
  Kind kind = Kind::Chain;
  int source = 0;
  int n = 1;
  int stall = 1;
  bool yield = false;
  int warps = 1;
  std::size_t data = 0;     ///< index in the subject's data
  int first_thread = 0;     ///< first thread that gets these data
  std::size_t filling = 0;  ///< index of its filling
  int launches = 0;         ///< if 0, the usual number
  int trips = 1;            ///< how often its copies run
};

/// Composed windows. Several windows may share a filling; they differ in their launch.
struct ComposedWindows {
  std::vector<Filling> fillings;
  std::vector<MachineWindow> windows;

  void append(ComposedWindows more);
  /// Adds a filling, and for each of these numbers of warps a window of it that is else like this one.
  void add(Filling filling, std::span<const int> warps, MachineWindow like);
};

/// Independent copies of a form. Those of a multiply of a warp group are one batch, with what the group must execute
/// around it. Errors: those of Placer::place().
[[nodiscard]] Expected<std::vector<Copy>> independent_copies(const MachineSubject& subject, int n, int stall,
                                                             bool yield, Placer& placer, const Movers& movers);

/// Chains whose results show which stall counts are right, chains that wait for scoreboards, and independent copies at
/// several numbers of warps. Windows that cannot be composed are left out; the error is that of the first one if none
/// can.
[[nodiscard]] Expected<ComposedWindows> first_windows(const MachineSubject& subject, const Hole& hole,
                                                      const Movers& movers);

/// How thoroughly to look for stale reads.
enum class StaleLook : std::uint8_t {
  First,  ///< short distances and the largest
  AllStalls,
  WithData,  ///< only the quiet warps, with the data of the busy ones
};

/// Chains through a route whose results show which stall counts are right for the instruction and its bridge.
[[nodiscard]] Expected<ComposedWindows> stale_windows(const MachineSubject& subject, const ChainRoute& route,
                                                      StaleLook look, const Hole& hole, const Movers& movers);

/// The chain through a route with these stall counts, for timing.
[[nodiscard]] Expected<ComposedWindows> chain_windows(const MachineSubject& subject, const ChainRoute& route, int stall,
                                                      int bridge_stall, const Hole& hole, const Movers& movers);

/// The windows of the issue interval, with so many launches of each.
[[nodiscard]] Expected<ComposedWindows> repeated_issue_windows(const MachineSubject& subject, int launches,
                                                               const Hole& hole, const Movers& movers);

/// Two windows of independent copies, the shorter first, in as few warps as the form can run in.
[[nodiscard]] Expected<ComposedWindows> counted_windows(const MachineSubject& subject, const Hole& hole,
                                                        const Movers& movers);

/// Independent copies at all stall counts, with and without the yield hint, at several numbers of warps; without those
/// of first_windows().
[[nodiscard]] Expected<ComposedWindows> surface_windows(const MachineSubject& subject, const Hole& hole,
                                                        const Movers& movers);

}  // namespace warpclock
