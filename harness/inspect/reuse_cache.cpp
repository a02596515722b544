#include "inspect/reuse_cache.hpp"

#include <algorithm>
#include <string_view>

#include "code/semantics.hpp"

namespace warpclock {
namespace {

/// Whether the instruction waits for the registers of a bank one by one: those of memory and of the tensor core do not.
bool waits_for_banks(std::string_view name, std::string_view pipe) {
  return pipe == "fma" || pipe == "alu" || pipe == "fp64" || name.starts_with("HFMA2.MMA");
}

/// The position in the encoding of the first source operand: that of MOV and IABS is where others have their second.
std::size_t first_position(const Instruction& instruction) {
  return instruction.opcode == "MOV" || instruction.opcode == "IABS" ? 1 : 0;
}

bool flagged(const Instruction& instruction, std::size_t operand) {
  return operand < instruction.operands.size() && instruction.operands[operand].contains(".reuse");
}

}  // namespace

BankReads ReuseCache::read(const Instruction& instruction, bool two_passes) {
  BankReads reads;
  ++number_;
  const std::string name = instruction.name();
  const std::string_view pipe = pipe_of(name);
  const bool waits = waits_for_banks(name, pipe);
  if (!waits && pipe != "tensor") return reads;
  const auto sources = effects_of(instruction).sources;
  const std::size_t results = instruction.operands.size() - std::min(sources.size(), instruction.operands.size());
  struct Seen {
    int index = 0;
    int age = 0;  // 0: read from its bank
  };
  std::vector<Seen> seen;
  const auto note = [&](int index, int age) {
    const auto twin = std::ranges::find(seen, index, &Seen::index);
    if (twin == seen.end())
      seen.push_back({index, age});
    else if (age == 0)
      twin->age = 0;
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t position = first_position(instruction) + i;
    for (const Register& reg : sources[i]) {
      if (reg.file != RegisterFile::Vector) continue;
      const std::size_t bank = static_cast<std::size_t>(reg.index) % register_banks;
      Kept* kept = position < positions ? &kept_[position][bank] : nullptr;
      const bool hit = kept != nullptr && kept->index == reg.index;
      note(reg.index, hit ? number_ - kept->since : 0);
      if (kept != nullptr) *kept = flagged(instruction, results + i) ? Kept{reg.index, number_} : Kept{};
    }
  }
  if (!waits) return reads;
  for (const Seen& one : seen) {
    const std::size_t bank = static_cast<std::size_t>(one.index) % register_banks;
    if (one.age == 0)
      ++reads.of_bank[bank];
    else
      reads.kept.push_back({bank, one.age});
  }
  constexpr std::size_t factors = 2;
  for (std::size_t i = 0; two_passes && i < std::min(factors, sources.size()); ++i) {
    for (const Register& reg : sources[i]) {
      const bool again = i > 0 && std::ranges::find(sources[0], reg) != sources[0].end();
      if (reg.file == RegisterFile::Vector && !again)
        ++reads.of_bank[static_cast<std::size_t>(reg.index) % register_banks];
    }
  }
  return reads;
}

}  // namespace warpclock
