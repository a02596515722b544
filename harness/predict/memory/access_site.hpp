#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"

namespace warpclock {

/// A part of an access that the banks or the sectors see.
struct Site {
  std::string operand;  ///< in brackets
  int bytes = 0;
  bool shared = false, kept = false, stores = false;  ///< kept: L1 keeps what it loads
};

/// LDGSTS has two of them.
[[nodiscard]] std::vector<Site> sites_of(const Instruction& instruction, const Access& access);

/// The accesses whose patterns matter.
[[nodiscard]] std::optional<Access> followed_access(const Instruction& instruction);

/// The numbers of the units that the lanes touch, sorted, each once.
[[nodiscard]] std::vector<std::uint32_t> touched(std::span<const std::uint32_t> addresses, int bytes,
                                                 std::uint32_t unit);

/// How many different bytes they touch, by words.
[[nodiscard]] double bytes_used(std::span<const std::uint32_t> addresses, int bytes);

}  // namespace warpclock
