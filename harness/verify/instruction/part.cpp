#include "verify/instruction/part.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "code/flow.hpp"
#include "verify/chain.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {
namespace {

/// Whether the next copy reads a result that depends on the part.
bool leads_on(const Part& part, const PtxInstruction& instruction, const Experiment& experiment) {
  const Link link = experiment.links.front();
  const int used = read_elements(instruction, link);
  return std::ranges::any_of(part.results,
                             [&](const auto& result) { return result.first == link.from && result.second < used; });
}

}  // namespace

bool hides_flow(const Instruction& one) {
  constexpr std::array<std::string_view, 6> opcodes{"RPCMOV", "BAR", "B2R", "R2B", "BMOV", "LEPC"};
  return is_jump(one) || std::ranges::find(opcodes, one.opcode) != opcodes.end();
}

std::vector<std::pair<std::size_t, int>> traffic(const PtxInstruction& instruction, bool Operand::*role) {
  std::vector<std::pair<std::size_t, int>> all;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.immediate.empty() || !(operand.*role)) continue;
    for (int element = 0; element < operand.elements; ++element) all.emplace_back(i, element);
  }
  return all;
}

std::vector<Part> parts_of(const Listing& listing, std::size_t open, std::size_t close,
                           const std::vector<std::size_t>& own, const PtxInstruction& instruction) {
  const auto& code = listing.instructions;
  if (std::any_of(code.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                  code.begin() + static_cast<std::ptrdiff_t>(close), hides_flow)) {
    return {};
  }
  const DefUse uses = def_use(listing, open + 1, close);
  const std::size_t size = uses.effects.size();
  std::vector<Part> parts(size);
  const auto is_own = [&](std::size_t slot) { return std::ranges::find(own, open + 1 + slot) != own.end(); };
  // The compiler keeps volatile accesses in order.
  const auto loads = traffic(instruction, &Operand::read), stores = traffic(instruction, &Operand::written);
  std::size_t loaded = 0, stored = 0;
  for (std::size_t slot = 0; slot < size; ++slot) {
    for (const auto& operand : uses.producers[slot]) {
      for (const std::size_t producer : operand) {
        const auto& earlier = parts[producer - uses.first].sources;
        parts[slot].sources.insert(earlier.begin(), earlier.end());
      }
    }
    if (is_own(slot)) continue;
    const std::string& opcode = code[open + 1 + slot].opcode;
    if (opcode == "LDS") {
      if (loaded == loads.size()) return {};
      parts[slot].sources.insert(loads[loaded++].first);
    } else if (opcode == "STS") {
      if (stored == stores.size()) return {};
      parts[slot].results.insert(stores[stored++]);
    }
  }
  if (loaded != loads.size() || stored != stores.size()) return {};
  for (std::size_t slot = size; slot-- > 0;) {
    for (const auto& operand : uses.producers[slot]) {
      for (const std::size_t producer : operand) {
        parts[producer - uses.first].results.insert(parts[slot].results.begin(), parts[slot].results.end());
      }
    }
  }
  std::vector<Part> kept;
  for (const std::size_t i : own) {
    kept.push_back(std::move(parts[i - open - 1]));
    kept.back().kind = kind_of(code[i]);
  }
  return kept;
}

std::int64_t shared_parts(const std::vector<Part>& parts, const std::string& kind, const Experiment& experiment) {
  const bool reads = std::ranges::any_of(parts, [](const Part& part) { return !part.sources.empty(); });
  if (!reads) return 0;
  return std::ranges::count_if(parts, [&](const Part& part) {
    if (part.kind != kind) return false;
    return experiment.question == Question::Latency ? !part.sources.contains(experiment.links.front().to)
                                                    : part.sources.empty();
  });
}

std::int64_t unread_parts(const std::vector<Part>& parts, const std::string& kind, const PtxInstruction& instruction,
                          const Experiment& experiment) {
  if (experiment.question != Question::Latency) return 0;
  return std::ranges::count_if(parts, [&](const Part& part) {
    return part.kind == kind && part.sources.contains(experiment.links.front().to) &&
           !leads_on(part, instruction, experiment);
  });
}

}  // namespace warpclock
