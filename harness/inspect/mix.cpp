#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "code/pipe.hpp"
#include "code/semantics.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

bool guarded(const Instruction& instruction) {
  return !instruction.predicate.empty() && instruction.predicate != "PT" && instruction.predicate != "UPT";
}

bool never(const Instruction& instruction) { return instruction.predicate == "!PT" || instruction.predicate == "!UPT"; }

/// BRA.U UP0 and the like have their condition among the operands.
bool conditional(const Instruction& instruction) {
  return is_jump(instruction) &&
         (guarded(instruction) || (instruction.opcode == "BRA" && instruction.operands.size() > 1));
}

/// The register of a source that is one vector register and has one, by the operand's position.
using SourceRegisters = std::vector<std::optional<int>>;

/// Whether the instruction waits for the registers of a bank one by one: those of memory and of the tensor core do not.
bool waits_for_banks(const Instruction& instruction) {
  const std::string_view pipe = pipe_of(instruction.name());
  return pipe == "fma" || pipe == "alu" || pipe == "fp64" || instruction.name().starts_with("HFMA2.MMA");
}

/// The register that each source operand has flagged for reuse.
SourceRegisters flagged(const Instruction& instruction) {
  SourceRegisters registers;
  const Effects effects = effects_of(instruction);
  const std::size_t results =
      instruction.operands.size() - std::min(effects.sources.size(), instruction.operands.size());
  for (std::size_t i = 0; i < effects.sources.size(); ++i) {
    const std::vector<Register>& source = effects.sources[i];
    const bool flag = results + i < instruction.operands.size() && instruction.operands[results + i].contains(".reuse");
    const bool vector = !source.empty() && source[0].file == RegisterFile::Vector;
    registers.push_back(flag && vector ? std::optional(source[0].index) : std::nullopt);
  }
  return registers;
}

/// Registers that are read from a bank, and those that the instruction before has kept. One that several operands name
/// is read once (composed FFMA of two registers, docs/findings.md).
struct BankReads {
  std::array<int, 2> of_bank{};
  int kept = 0;
};

BankReads bank_reads(std::span<const std::vector<Register>> sources, const SourceRegisters& before) {
  BankReads reads;
  std::set<int> seen;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty() || sources[i][0].file != RegisterFile::Vector) continue;
    const bool kept = i < before.size() && before[i] == sources[i][0].index;
    reads.kept += kept ? 1 : 0;
    for (const Register& reg : sources[i]) {
      if (!kept && seen.insert(reg.index).second) ++reads.of_bank[static_cast<std::size_t>(reg.index % 2)];
    }
  }
  return reads;
}

void count_banks(BankCounts& counts, const Instruction& instruction, const SourceRegisters& before) {
  const auto sources = effects_of(instruction).sources;
  const auto wide = [](const std::vector<Register>& source) {
    return source.size() > 1 && source[0].file == RegisterFile::Vector;
  };
  if (!waits_for_banks(instruction) || std::ranges::any_of(sources, wide)) return;
  const BankReads reads = bank_reads(sources, before);
  const int most = std::ranges::max(reads.of_bank);
  counts.kept += reads.kept;
  counts.two += most == 2 ? 1 : 0;
  counts.three += most >= 3 ? 1 : 0;
}

std::vector<PipeCount> sorted(const std::map<std::string, int>& pipes) {
  std::vector<PipeCount> all;
  for (const auto& [pipe, count] : pipes) all.push_back({pipe, count});
  std::ranges::stable_sort(all, std::ranges::greater{}, &PipeCount::instructions);
  return all;
}

}  // namespace

std::array<int, 2> reads_of_banks(const Instruction& instruction, const Instruction* before, bool two_passes) {
  if (!waits_for_banks(instruction)) return {};
  const auto sources = effects_of(instruction).sources;
  std::array<int, 2> reads = bank_reads(sources, before == nullptr ? SourceRegisters() : flagged(*before)).of_bank;
  constexpr std::size_t factors = 2;
  if (!two_passes) return reads;
  const auto again = bank_reads(std::span(sources).first(std::min(factors, sources.size())), {}).of_bank;
  for (std::size_t bank = 0; bank < reads.size(); ++bank) reads[bank] += again[bank];
  return reads;
}

Mix mix_of(const Listing& listing, std::span<const std::size_t> indices) {
  Mix mix;
  std::map<std::string, int> pipes, counts;
  std::map<std::string, Access> accesses;
  std::size_t previous = listing.instructions.size();
  SourceRegisters before;
  for (const std::size_t index : indices) {
    const Instruction& instruction = listing.instructions[index];
    ++mix.instructions;
    const std::string_view pipe = pipe_of(instruction.name());
    ++pipes[std::string(pipe)];
    mix.uniform += pipe == "uniform" ? 1 : 0;
    mix.never += never(instruction) ? 1 : 0;
    mix.predicated += guarded(instruction) && !never(instruction) && !is_jump(instruction) ? 1 : 0;
    mix.branches += conditional(instruction) ? 1 : 0;
    mix.waits += instruction.control.wait_mask != 0 ? 1 : 0;
    if (const auto access = access_of(instruction); access && !never(instruction)) {
      Access& all = accesses.try_emplace(access->instruction, *access).first->second;
      all.count = counts[access->instruction] += 1;
    }
    if (previous + 1 != index) before.clear();
    count_banks(mix.banks, instruction, before);
    before = flagged(instruction);
    mix.banks.reuse += static_cast<int>(std::ranges::count_if(before, [](const auto& reg) { return reg.has_value(); }));
    previous = index;
  }
  mix.pipes = sorted(pipes);
  for (auto& [name, access] : accesses) mix.accesses.push_back(std::move(access));
  return mix;
}

}  // namespace warpclock
