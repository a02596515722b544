#include "verify/instruction/nothing.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "verify/chain.hpp"

namespace warpclock {
namespace {

/// Where the stored results come from.
struct Origins {
  bool operand = false, zero = false, constant = false;
  std::set<std::string> before;  ///< special registers and opcodes before the window
};

/// Finds what wrote a store's data, or its guard if that is the result.
void trace(const Listing& listing, const DefUse& uses, std::size_t store, std::size_t open, bool predicate,
           Origins& origins) {
  const Effects& effects = uses.effects[store];
  const bool is_constant =
      predicate ? effects.guard.empty() : effects.sources.empty() || effects.sources.back().empty();
  if (is_constant) {
    (predicate ? origins.constant : origins.zero) = true;
    return;
  }
  const auto& producers = uses.producers[store];
  for (const std::size_t from : predicate ? producers.back() : producers[effects.sources.size() - 1]) {
    const Instruction& one = listing.instructions[from];
    if (from < open) {
      const bool special = !one.operands.empty() && one.operands.back().starts_with("SR_");
      origins.before.insert(special ? one.operands.back() : one.opcode);
    } else if (one.opcode == "LDS" || (predicate && one.opcode == "ISETP")) {
      origins.operand = true;
    } else {
      origins.constant = true;
    }
  }
}

Origins origins_of(const Listing& listing, std::size_t open, std::size_t close, const PtxInstruction& instruction) {
  const DefUse uses = def_use(listing, 0, close);
  std::vector<std::size_t> stores;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (listing.instructions[i].opcode == "STS") stores.push_back(i);
  }
  Origins origins;
  std::size_t at = 0;
  for (const Operand& operand : instruction.operands) {
    if (!operand.written || !operand.immediate.empty()) continue;
    for (int element = 0; element < operand.elements; ++element, ++at) {
      if (at < stores.size()) {
        trace(listing, uses, stores[at], open, operand.file == RegisterClass::Predicate, origins);
      } else {
        origins.constant = true;  // a false predicate stores nothing
      }
    }
  }
  return origins;
}

}  // namespace

std::string why_nothing_depends(const Listing& listing, std::size_t open, std::size_t close,
                                const PtxInstruction& instruction) {
  const Origins origins = origins_of(listing, open, close, instruction);
  const bool constant = origins.zero || origins.constant;
  if (!origins.before.empty()) {
    return fmt::format("{} is read once, before the window, for all copies", *origins.before.begin());
  }
  if (origins.operand && constant) {
    return "no machine instruction depends on its operand: a register is read under another name, and a constant";
  }
  if (origins.operand) return "it becomes no machine instruction: ptxas only renames a register";
  if (constant) {
    return fmt::format("its result is {}, whatever its operands hold",
                       origins.constant ? "a constant" : "the constant 0");
  }
  return "it becomes no machine instruction, and it has no result";
}

}  // namespace warpclock
