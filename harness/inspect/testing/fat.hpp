#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpclock::testing {

inline std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 255);
  return text;
}

struct MadeEntry {
  int kind = 2;  ///< 1: PTX, 2: cubin
  int sm = 90;
  std::uint64_t flags = 0;
  std::string payload;
  std::uint64_t unpacked = 0;
};

/// A fat binary as nvcc lays it out.
inline std::string fat_binary(const std::vector<MadeEntry>& entries) {
  std::string bodies;
  for (const MadeEntry& entry : entries) {
    const bool packed = entry.unpacked > 0;
    const std::size_t padded = (entry.payload.size() + 7) / 8 * 8;
    bodies += little(static_cast<std::uint64_t>(entry.kind), 2) + little(0x101, 2) + little(64, 4) + little(padded, 8);
    bodies += little(packed ? entry.payload.size() : 0, 4) + little(0, 4) + little(8, 2) + little(1, 2);
    bodies += little(static_cast<std::uint64_t>(entry.sm), 4) + little(0, 8) + little(entry.flags, 8) + little(0, 8);
    bodies += little(entry.unpacked, 8) + entry.payload + std::string(padded - entry.payload.size(), '\0');
  }
  return "\x50\xED\x55\xBA" + little(1, 2) + little(16, 2) + little(bodies.size(), 8) + bodies;
}

}  // namespace warpclock::testing
