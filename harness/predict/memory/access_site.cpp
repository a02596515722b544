#include "predict/memory/access_site.hpp"

#include <algorithm>

#include "base/lookup.hpp"
#include "execute/forms/lanes.hpp"
#include "predict/memory/access_pattern.hpp"

namespace warpclock {

std::optional<Access> followed_access(const Instruction& instruction) {
  auto access = access_of(instruction);
  const bool is =
      access && access->bytes > 0 &&
      (access->memory == "global" || access->memory == "shared" || access->memory == "global to shared") &&
      (access->kind == "load" || access->kind == "store" || access->kind == "copy" || access->kind == "atomic");
  return is ? access : std::nullopt;
}

std::vector<std::uint32_t> touched(std::span<const std::uint32_t> addresses, int bytes, std::uint32_t unit) {
  std::vector<std::uint32_t> ids;
  for (const std::uint32_t at : addresses) {
    for (std::uint32_t id = at / unit; id <= (at + static_cast<std::uint32_t>(bytes) - 1) / unit; ++id)
      ids.push_back(id);
  }
  sort_once(ids);
  return ids;
}

double bytes_used(std::span<const std::uint32_t> addresses, int bytes) {
  constexpr std::uint32_t word = 4;
  return word * static_cast<double>(touched(addresses, bytes, word).size());
}

AccessPattern strided_pattern(const Instruction& instruction, std::int64_t stride) {
  AccessPattern pattern;
  const auto access = followed_access(instruction);
  if (!access) return pattern;
  const auto lanes_apart = [](std::int64_t bytes) {
    std::vector<std::uint32_t> all(warp_lanes);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<std::uint32_t>(bytes * static_cast<std::int64_t>(i));
    return all;
  };
  const std::vector<std::uint32_t> lanes = lanes_apart(stride);
  pattern.deduced = true;
  // Only shared memory has banks.
  const bool banks = access->memory == "shared";
  pattern.wavefronts =
      !banks ? wavefronts_of(lanes_apart(access->bytes), access->bytes, bank_use_of(instruction, *access))
      : is_matrix(instruction) ? matrix_wavefronts(lanes, access->bytes)
                               : wavefronts_of(lanes, access->bytes, bank_use_of(instruction, *access));
  pattern.sectors = static_cast<double>(touched(lanes, access->bytes, sector_bytes).size());
  pattern.lines = static_cast<double>(touched(lanes, access->bytes, line_bytes).size());
  pattern.new_sectors = pattern.sectors;
  pattern.used = bytes_used(lanes, access->bytes);
  return pattern;
}

AccessPattern assumed_pattern(const Instruction& instruction) {
  constexpr std::int64_t row_bytes = 16;
  const auto access = followed_access(instruction);
  AccessPattern pattern = strided_pattern(instruction, is_matrix(instruction) ? row_bytes
                                                       : access               ? std::int64_t{access->bytes}
                                                                              : std::int64_t{bank_bytes});
  pattern.deduced = false;
  return pattern;
}

}  // namespace warpclock
