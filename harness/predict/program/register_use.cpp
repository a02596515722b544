#include "predict/program/register_use.hpp"

#include <algorithm>
#include <string_view>

#include "code/semantics.hpp"

namespace warpclock {
namespace {

constexpr std::uint32_t in(int cycle) { return 1U << static_cast<unsigned>(cycle); }

/// An instruction with four registers of A reads A in its first two cycles, B in one of the next two, and C in one or
/// both of the two after these. One with two registers of A reads in four cycles, B in the third of them.
void add_tensor(RegisterUse& use, const Instruction& instruction) {
  constexpr int long_a = 4, short_a = 2, full_c = 4;
  const Fragments parts = fragments_of(instruction);
  const bool integers = instruction.opcode == "IMMA";
  if (parts.a == long_a && parts.b == 2) {
    for (std::size_t bank = 0; bank < register_banks; ++bank) {
      use.read_in[bank] = in(0) | in(1);
      use.either[bank] = in(2);
      if (parts.c == full_c)
        use.read_in[bank] |= in(4) | in(5);
      else
        use.either[bank] |= in(4);
    }
    use.retry = 2;
    use.written_in = integers ? in(10) | in(11) : parts.c == full_c ? in(12) | in(13) : in(12);
  } else if (parts.a == short_a && parts.b == 1 && parts.c == full_c) {
    const Effects effects = effects_of(instruction);
    constexpr std::size_t factor = 1;
    for (std::size_t bank = 0; bank < register_banks; ++bank) {
      use.read_in[bank] = in(0) | in(1) | in(3);
      if (effects.sources.size() > factor && !effects.sources[factor].empty() &&
          static_cast<std::size_t>(effects.sources[factor][0].index) % register_banks == bank)
        use.read_in[bank] |= in(2);
    }
    use.retry = 4;
    use.written_in = in(10) | in(11);
  }
}

bool writes_vector(const Instruction& instruction) {
  return std::ranges::any_of(effects_of(instruction).writes,
                             [](const Register& reg) { return reg.file == RegisterFile::Vector; });
}

}  // namespace

RegisterUse RegisterUse::after(std::int64_t in_a_row) const {
  RegisterUse use = *this;
  for (const KeptRead& one : kept) use.reads[one.bank] += one.age > in_a_row ? 1 : 0;
  return use;
}

RegisterUse register_use_of(const Instruction& instruction, ReuseCache& cache, bool two_passes) {
  RegisterUse use;
  const std::string_view pipe = pipe_of(instruction.name());
  if (is_group_multiply(instruction.opcode)) return use;
  const BankReads reads = cache.read(instruction, two_passes);
  use.reads = reads.of_bank;
  std::copy_n(reads.kept.begin(), std::min(reads.kept.size(), use.kept.size()), use.kept.begin());
  const bool packed = instruction.name().starts_with("HFMA2.MMA");
  if (pipe == "tensor" && !packed) {
    add_tensor(use, instruction);
  } else if (writes_vector(instruction)) {
    if (pipe == "fp64" || packed)
      use.written_in = in(6);
    else if (pipe == "fma" || pipe == "alu")
      use.written_in = two_passes ? in(4) | in(6) : in(4);
  }
  return use;
}

}  // namespace warpclock
