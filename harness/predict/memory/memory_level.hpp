#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpclock {

/// The level of the memory system that answers an access.
enum class MemoryLevel : std::uint8_t { L1, L2, Dram };

[[nodiscard]] std::string to_string(MemoryLevel level);
/// "L1", "l2", "dram".
[[nodiscard]] std::optional<MemoryLevel> level_of(std::string_view word);

}  // namespace warpclock
