#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "code/listing.hpp"
#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"

namespace warpclock {

/// The accesses whose patterns matter.
[[nodiscard]] std::optional<Access> followed_access(const Instruction& instruction);

/// The numbers of the units that the lanes touch, sorted, each once.
[[nodiscard]] std::vector<std::uint32_t> touched(std::span<const std::uint32_t> addresses, int bytes,
                                                 std::uint32_t unit);

/// How many different bytes they touch, by words.
[[nodiscard]] double bytes_used(std::span<const std::uint32_t> addresses, int bytes);

}  // namespace warpclock
