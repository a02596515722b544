#include "predict/memory/memory_level.hpp"

#include <algorithm>
#include <array>

namespace warpclock {

std::string to_string(MemoryLevel level) {
  constexpr std::array<const char*, 3> names{"L1", "L2", "DRAM"};
  return names[static_cast<std::size_t>(level)];
}

std::optional<MemoryLevel> level_of(std::string_view word) {
  for (const MemoryLevel level : {MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::Dram}) {
    const std::string name = to_string(level);
    if (std::ranges::equal(word, name, [](char a, char b) { return (a & ~0x20) == (b & ~0x20); })) return level;
  }
  return std::nullopt;
}

}  // namespace warpclock
