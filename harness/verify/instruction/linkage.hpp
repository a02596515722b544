#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "verify/instruction/expansion.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

// The roles that an instruction may have in a window apart from the work of its copies, by its kind_of().

/// Links and preparations may differ by this many from a multiple of the copies.
constexpr std::int64_t most_loose = 2;

/// Whether it may link copies or carry a result to the closing clock read.
[[nodiscard]] bool is_link_kind(const std::string& kind);

/// Whether nothing needs to wait for it once it has issued, if its latency is fixed: it may link, or it writes uniform
/// registers.
[[nodiscard]] bool needs_no_wait(const std::string& kind);

/// Whether it counts the trips of a loop, branches back to its beginning, or keeps its warps in step.
[[nodiscard]] bool is_loop_control(const std::string& kind);

/// Whether it moves a constant or a value into place, or belongs to a branch.
[[nodiscard]] bool is_filler(const std::string& kind);

/// Whether it brings an operand into the form that the instruction itself reads. For an operand that all copies share
/// this is done once.
[[nodiscard]] bool is_preparation(const std::string& kind);

/// Zero if there is none.
[[nodiscard]] std::int64_t count_of(const Kinds& kinds, const std::string& kind);

/// "2 x FADD, PRMT"
[[nodiscard]] std::string list(const Kinds& kinds);

/// If copies share a part, they must share it equally in all windows; otherwise the largest window holds work that the
/// smallest does not. Returns a sentence that reports a violation for a kind. `counts` are those of the windows, which
/// have `copies` copies.
[[nodiscard]] std::optional<std::string> uneven_sharing(const std::string& kind, const std::vector<Kinds>& counts,
                                                        const std::vector<std::int64_t>& copies);

/// What a reader must know about the parts of an instance that not every copy has: parts that copies share, and parts
/// that only the last copy has because the chain does not read their result.
[[nodiscard]] std::string sharing_note(const Kinds& shared, const Kinds& skipped, const std::vector<Kinds>& counts,
                                       const std::vector<std::int64_t>& copies);

/// How the copies of a latency experiment depend on each other.
struct Linkage {
  std::optional<double> encoded_cycles;  ///< from copy to copy, links included; nothing if a scoreboard decides
  double waited_cycles = 0;              ///< the part of encoded_cycles that the hardware adds to the stall counts
  std::string unencoded;                 ///< why there is no such distance
  bool separable = true;                 ///< the chain repeats evenly, so the cost of the links can be subtracted
  std::vector<std::pair<std::string, double>> via;  ///< links on the chain, each with its encoded cycles
};

/// The windows of an experiment whose content has already been judged.
struct Copies {
  const std::vector<Kernel>& kernels;    ///< ascending repeat counts
  const std::vector<Verdict>& verdicts;  ///< one per kernel
  const Expansion& expansion;
  const Kinds& links;   ///< what each copy adds to the window besides the expansion
  bool uneven = false;  ///< moves into place differ from copy to copy, so no distance can be given
  bool block = false;   ///< several PTX instructions: the path may also hold what leads to the chain
};

/// Checks that one path through registers runs through all copies and grows by the same steps with each. Errors:
/// "broken-chain", "ambiguous-link", "unknown-link".
[[nodiscard]] Expected<Linkage> linkage_of(const Copies& copies);

}  // namespace warpclock
