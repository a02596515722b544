#include "predict/memory/access_pattern.hpp"

#include <bit>
#include <cstddef>
#include <vector>

#include "execute/bank_turns.hpp"
#include "execute/profile.hpp"
#include "inspect/facts.hpp"

namespace warpclock {

std::optional<Access> followed_access(const Instruction& instruction) {
  auto access = access_of(instruction);
  const bool is =
      access && access->bytes > 0 &&
      (access->memory == "global" || access->memory == "generic" || access->memory == "shared" ||
       access->memory == "local" || access->memory == "global to shared") &&
      (access->kind == "load" || access->kind == "store" || access->kind == "copy" || access->kind == "atomic");
  return is ? access : std::nullopt;
}

AccessPattern strided_pattern(const Instruction& instruction, std::int64_t stride) {
  AccessPattern pattern;
  const auto access = followed_access(instruction);
  if (!access) return pattern;
  LaneAddresses lanes{};
  const std::int64_t in_shared = access->memory == "shared" ? stride : access->bytes;
  std::vector<std::uint32_t> of_banks, of_l1;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    lanes[i] = static_cast<std::uint64_t>(stride * static_cast<std::int64_t>(i));
    of_l1.push_back(static_cast<std::uint32_t>(lanes[i]));
    of_banks.push_back(static_cast<std::uint32_t>(in_shared * static_cast<std::int64_t>(i)));
  }
  const auto lines = lines_of(all_lanes, lanes, static_cast<std::uint64_t>(access->bytes));
  pattern.deduced = true;
  pattern.wavefronts = bank_turns(instruction, *access, of_banks);
  pattern.lines = static_cast<double>(lines.size());
  pattern.l1_turns = l1_turns(instruction, *access, of_l1, lines);
  pattern.pieces = stride > static_cast<std::int64_t>(line_bytes) ? pattern.lines : 1;
  pattern.sectors = 0;
  for (const LineSectors& one : lines) pattern.sectors += std::popcount(one.sectors);
  pattern.new_sectors = pattern.word_turns = pattern.sectors;
  return pattern;
}

bool is_atomic(const Instruction& instruction) {
  const auto access = followed_access(instruction);
  return access && access->kind == "atomic" && access->memory != "shared";
}

AccessPattern at_one_word(const Instruction& instruction) {
  AccessPattern pattern = strided_pattern(instruction, 0);
  pattern.word_turns = warp_lanes;
  pattern.meeting = {.lines = 1, .hottest_line = 1, .hottest_word = 1};
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
