#include "ptx/experiment/conditions.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

bool holds_zero(const Operand& operand) { return operand.value == "zero"; }

std::vector<std::string> at_mbarrier(const PtxInstruction& instruction) {
  std::vector<std::string> all;
  const auto address = std::ranges::find_if(instruction.operands, &Operand::address);
  if (address == instruction.operands.end()) return all;
  if (address->value == mbarrier_complete) all.emplace_back("the phase is complete");
  if (address->value == mbarrier_pending) all.emplace_back("the phase is not complete");
  if (instruction.opcode == "cp") all.emplace_back("no copy is outstanding");
  if (instruction.mnemonic.contains("arrive")) all.emplace_back("no arrival completes the phase");
  all.emplace_back("the lanes of a warp use one mbarrier");
  return all;
}

std::string of_atomic(const PtxInstruction& instruction) {
  const bool compares = instruction.mnemonic.contains(".cas");
  const auto count = std::ranges::count_if(instruction.operands, holds_zero);
  return compares && count > 1 ? "each thread has its own word, and the comparison holds"
                               : "each thread has its own word";
}

std::string of_memory(const PtxInstruction& instruction) {
  const auto address = std::ranges::find_if(
      instruction.operands, [](const Operand& operand) { return operand.address && operand.space != "shared"; });
  if (address == instruction.operands.end() || address->space.starts_with("shared")) return {};
  if (address->space == "param") return {};
  if (address->space == "const") return "all lanes read one address, which the nearest cache has";
  return "the nearest cache that it uses has the line";
}

std::string of_copy(const PtxInstruction& instruction) {
  if (instruction.mnemonic.contains("commit_group")) return "the group is empty";
  if (instruction.mnemonic.contains("wait_")) return "no copy is outstanding";
  const auto* fill = find_by(instruction.operands, std::string("pred"), &Operand::type);
  if (fill != nullptr && fill->value == "one") return "nothing is read";
  return of_memory(instruction);
}

std::string of_lanes(const PtxInstruction& instruction) {
  if (instruction.opcode != "match") return {};
  const auto source = std::ranges::find_if(instruction.operands, &Operand::read);
  if (source == instruction.operands.end()) return {};
  return source->value == "zero" || source->value == "one" ? "all lanes hold one value"
                                                           : "all lanes hold different values";
}

std::string of_special(const PtxInstruction& instruction) {
  if (instruction.opcode == "nanosleep") return "it sleeps";
  return instruction.mnemonic == "griddepcontrol.wait" ? "there is no other grid to wait for" : "";
}

/// Denormal and infinite numbers have a longer way in software.
std::string of_numbers(const PtxInstruction& instruction) {
  constexpr std::array<std::string_view, 4> in_software{"div", "rcp", "sqrt", "rsqrt"};
  const bool one = contains(in_software, instruction.opcode);
  const std::string& name = instruction.mnemonic;
  const bool exact = name.ends_with(".f64") || (name.ends_with(".f32") && !name.contains("approx"));
  const bool normal = std::ranges::all_of(instruction.operands, [](const Operand& operand) {
    return operand.value.empty() || operand.value == "random" || operand.value == "one";
  });
  return one && exact && normal ? "the numbers are normal" : "";
}

std::string of_fence(const PtxInstruction&) { return "no access is outstanding"; }
std::string of_barrier(const PtxInstruction&) { return "the warps arrive together"; }

}  // namespace

std::vector<std::string> conditions_of(const PtxInstruction& instruction) {
  using Of = std::string (*)(const PtxInstruction&);
  static constexpr std::array<std::pair<std::string_view, Of>, 10> by_kind{{{"atomic", of_atomic},
                                                                            {"arithmetic", of_numbers},
                                                                            {"reduction", of_atomic},
                                                                            {"load", of_memory},
                                                                            {"async", of_copy},
                                                                            {"shuffle", of_lanes},
                                                                            {"special", of_special},
                                                                            {"fence", of_fence},
                                                                            {"barrier", of_barrier},
                                                                            {"cache", of_memory}}};
  if (instruction.is_block()) return {};
  if (instruction.kind == "mbarrier") return at_mbarrier(instruction);
  const auto* found =
      std::ranges::find(by_kind, std::string_view(instruction.kind), &decltype(by_kind)::value_type::first);
  if (found == by_kind.end()) return {};
  std::string text = found->second(instruction);
  return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(text)};
}

}  // namespace warpclock
