#include "execute/bank_turns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <set>

namespace warpclock {

BankUse bank_use_of(const Instruction& instruction, const Access& access) {
  const auto& modifiers = instruction.modifiers;
  if (access.kind == "atomic" && std::ranges::find(modifiers, "POPC") != modifiers.end()) return BankUse::Counting;
  if (access.kind == "atomic") return BankUse::Atomic;
  return access.kind == "load" ? BankUse::Load : BankUse::Store;
}

bool is_matrix(const Instruction& instruction) { return instruction.opcode == "LDSM" || instruction.opcode == "STSM"; }

double wavefronts_of(std::span<const std::uint32_t> addresses, int bytes, BankUse use) {
  constexpr std::size_t banks = 32;
  const auto same = [&](std::size_t distance) {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if ((i ^ distance) < addresses.size() && addresses[i] != addresses[i ^ distance]) return false;
    }
    return true;
  };
  std::size_t group = banks * bank_bytes / std::clamp<std::size_t>(static_cast<std::size_t>(bytes), bank_bytes, banks);
  if (use == BankUse::Load && bytes > static_cast<int>(bank_bytes) && (same(1) || same(2))) group *= 2;
  double all = 0;
  for (std::size_t first = 0; first < addresses.size(); first += group) {
    std::array<std::set<std::uint32_t>, banks> words;
    std::array<std::size_t, banks> lanes{};
    for (std::size_t i = first; i < std::min(first + group, addresses.size()); ++i) {
      const std::uint32_t begin = addresses[i] / bank_bytes,
                          end = (addresses[i] + static_cast<std::uint32_t>(bytes) - 1) / bank_bytes;
      for (std::uint32_t at = begin; at <= end; ++at) words[at % banks].insert(at), ++lanes[at % banks];
    }
    std::size_t most = 0;
    for (std::size_t bank = 0; bank < banks; ++bank)
      most = std::max(most, use == BankUse::Atomic ? lanes[bank] : words[bank].size());
    all += static_cast<double>(most);
  }
  return all;
}

double matrix_wavefronts(std::span<const std::uint32_t> addresses, int bytes) {
  constexpr std::size_t rows = 8;
  constexpr int row_bytes = 16;
  double all = 0;
  for (int matrix = 0; matrix < bytes / static_cast<int>(bank_bytes); ++matrix) {
    const std::size_t first = rows * static_cast<std::size_t>(matrix);
    if (first + rows > addresses.size()) break;
    all += wavefronts_of(addresses.subspan(first, rows), row_bytes, BankUse::Store);
  }
  return std::max(1.0, all);
}

double l1_turns(const Instruction& instruction, const Access& access, std::span<const std::uint32_t> addresses,
                std::span<const LineSectors> lines) {
  // Two bits of the number of a line, each the parity of some of its lower 15: no others of such two fit the turns of
  // 320 sets of 32 lines.
  constexpr std::uint32_t first = 0x7ab5, second = 0x55da;
  if (lines.size() <= 1 && access.bytes <= static_cast<int>(bank_bytes)) return 1;
  std::array<int, 4> turns{};
  for (const LineSectors& one : lines) {
    const auto line = static_cast<std::uint32_t>(one.line);
    ++turns[2 * (std::popcount(line & first) & 1) + (std::popcount(line & second) & 1)];
  }
  return std::max(bank_turns(instruction, access, addresses), static_cast<double>(std::ranges::max(turns)));
}

double bank_turns(const Instruction& instruction, const Access& access, std::span<const std::uint32_t> addresses) {
  return is_matrix(instruction) ? matrix_wavefronts(addresses, access.bytes)
                                : wavefronts_of(addresses, access.bytes, bank_use_of(instruction, access));
}

}  // namespace warpclock
