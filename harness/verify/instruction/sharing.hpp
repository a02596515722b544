#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/instruction/expansion.hpp"

namespace warpclock {

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

}  // namespace warpclock
