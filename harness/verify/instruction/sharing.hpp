#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/instruction/expansion.hpp"

namespace warpclock {

/// "2 x FADD, PRMT"
[[nodiscard]] std::string list(const Kinds& kinds);

/// What copies may share they must share alike in all windows, or the largest holds work that the smallest does not:
/// the sentence that says so of a kind. `counts` are the windows', of `copies` copies each.
[[nodiscard]] std::optional<std::string> uneven_sharing(const std::string& kind, const std::vector<Kinds>& counts,
                                                        const std::vector<std::int64_t>& copies);

/// What a reader must know of the parts of an instance that not every copy has: those that copies share, and those that
/// only the last one has, because the chain does not read their result.
[[nodiscard]] std::string sharing_note(const Kinds& shared, const Kinds& skipped, const std::vector<Kinds>& counts,
                                       const std::vector<std::int64_t>& copies);

}  // namespace warpclock
