#include "advise/wavefronts.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace warpclock {
namespace {

constexpr std::int64_t banks = 32, word = 4, row_bytes = 16;
constexpr std::size_t lanes_of_matrix = 8;

/// The most words that one bank has to deliver.
int rounds(std::span<const std::int64_t> addresses, std::int64_t bytes) {
  std::array<std::set<std::int64_t>, banks> wanted;
  for (const std::int64_t address : addresses) {
    for (std::int64_t at = address / word; at < (address + bytes) / word; ++at)
      wanted.at(static_cast<std::size_t>(at % banks)).insert(at);
  }
  return static_cast<int>(std::ranges::max(wanted, {}, &std::set<std::int64_t>::size).size());
}

/// Whether each lane reads what the lane reads whose number differs in that bit.
bool in_pairs(const LaneAddresses& lanes, std::size_t bit) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] != lanes[i ^ bit]) return false;
  }
  return true;
}

int wavefronts(const LaneAddresses& lanes, int bytes, bool paired) {
  std::size_t group = lanes.size() * word / static_cast<std::size_t>(bytes);
  if (paired && group < lanes.size()) group *= 2;
  int sum = 0;
  for (std::size_t first = 0; first < lanes.size(); first += group)
    sum += rounds(std::span(lanes).subspan(first, group), bytes);
  return sum;
}

}  // namespace

int load_wavefronts(const LaneAddresses& lanes, int bytes) {
  return wavefronts(lanes, bytes, in_pairs(lanes, 1) || in_pairs(lanes, 2));
}

int store_wavefronts(const LaneAddresses& lanes, int bytes) { return wavefronts(lanes, bytes, false); }

int matrix_wavefronts(std::span<const std::int64_t> rows) {
  int sum = 0;
  for (std::size_t first = 0; first + lanes_of_matrix <= rows.size(); first += lanes_of_matrix)
    sum += rounds(rows.subspan(first, lanes_of_matrix), row_bytes);
  return sum;
}

std::int64_t swizzled(std::int64_t address, std::int64_t span) {
  constexpr std::int64_t line = 128;
  const std::int64_t chunk = (address / line) % (span / row_bytes);
  return address ^ (chunk * row_bytes);
}

}  // namespace warpclock
