#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "inspect/hazards/minimum_stalls.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// An instruction of a listing.
struct HazardPlace {
  std::int64_t address = 0;
  std::string text;

  bool operator==(const HazardPlace&) const = default;
};

[[nodiscard]] HazardPlace hazard_place(const Instruction& instruction);

/// An instruction that issues too early on some path.
struct Hazard {
  /// "early-read": before a result of a fixed latency is there; "no-wait": it reads a result without waiting for its
  /// scoreboard; "no-scoreboard": it reads one for which no scoreboard was set; "overwrites-result": before the result
  /// has arrived; "overwrites-source": before it was read.
  std::string kind;
  HazardPlace at, producer;
  std::string reg;                ///< "R4"
  int cycles = 0;                 ///< between the two issues
  std::optional<int> needed;      ///< early-read
  std::string row;                ///< early-read: of the record
  std::optional<int> scoreboard;  ///< the one that signals it

  bool operator==(const Hazard&) const = default;
};

/// A place where a result of a fixed latency is awaited longer than needed.
struct SlackPlace {
  HazardPlace at, producer;
  int cycles = 0, needed = 0;  ///< between the two issues
  int slack = 0;               ///< cycles by which the stall counts before the reader can be lowered
  std::string row;

  bool operator==(const SlackPlace&) const = default;
};

/// The slack of what is in a loop and in no inner one, or in no loop.
struct LoopSlack {
  std::optional<int> loop;
  std::int64_t begin = 0, end = 0;  ///< addresses; see LoopFacts
  int instructions = 0;
  int issue_cycles = 0;  ///< sum of the encoded stall counts
  int slack = 0;         ///< cycles of them
  std::vector<SlackPlace> worst;

  bool operator==(const LoopSlack&) const = default;
};

/// Dependences for which no row says how many cycles they need.
struct NotChecked {
  std::string what;  ///< "ISETP to a guard", "UIADD3 to IADD3"
  int count = 0;

  bool operator==(const NotChecked&) const = default;
};

struct KernelHazards {
  std::string name, readable;
  int instructions = 0;
  int unreached = 0;                ///< instructions to which no path leads that is known
  int by_stalls = 0;                ///< results that are read after a number of cycles, and were checked
  int by_scoreboards = 0;           ///< instructions that set a scoreboard
  int not_checked = 0;              ///< results that are read after a number of cycles, and have no row
  std::vector<NotChecked> unknown;  ///< of these, most first
  std::vector<Hazard> hazards;      ///< by address
  std::vector<LoopSlack> slack;     ///< by loop, and at the end of what is in none
  bool too_complex = false;         ///< whether it was given up

  bool operator==(const KernelHazards&) const = default;
};

struct HazardReport {
  std::string file, kind, arch;
  std::string gpus;  ///< whose records: "NVIDIA H100 80GB HBM3, NVIDIA H200"
  std::vector<KernelHazards> kernels;

  bool operator==(const HazardReport&) const = default;
};

/// Checks one kernel. Every path through its control flow is followed to the fixed point, as if nothing but stall
/// counts delayed it.
[[nodiscard]] KernelHazards kernel_hazards(const LoadedKernel& kernel, const Arch& arch, MinimumStalls& stalls);

/// Checks kernels whose name has `word` in it. Errors: "kernel" if there is none; "unsupported-arch" if no record has
/// minimum stall counts of its architecture.
[[nodiscard]] Expected<HazardReport> find_hazards(const std::string& name, const LoadedFile& file,
                                                  std::span<const Machine> machines, const std::string& word);

}  // namespace warpclock
