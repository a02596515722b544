#include "verify/instruction/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "verify/chain.hpp"
#include "verify/window.hpp"

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

/// Says why no machine instruction in the window of the isolated kernel depends on the operands: the stored results
/// were loaded as operands, are constants, or existed before the window.
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

namespace {

struct Choice {
  std::string_view opcode, modifier;  ///< modifier: one it must have, or empty
  std::string_view kind;
};

// Alternatives that ptxas was seen to use for one PTX instruction, sm_75 to sm_120.
constexpr std::array<Choice, 20> choices{{
    {"IADD3", "X", "integer add with carry"},
    {"IADD", "X", "integer add with carry"},
    {"IMAD", "X", "integer add with carry"},
    {"IADD3", "", "integer add"},
    {"IADD", "", "integer add"},
    {"VIADD", "", "integer add"},
    {"IMAD", "IADD", "integer add"},
    {"IMAD", "MOV", "move"},
    {"MOV", "", "move"},
    {"IMAD", "SHL", "shift left"},
    {"SHF", "L", "shift left"},
    {"HADD2", "", "half arithmetic"},
    {"HMUL2", "", "half arithmetic"},
    {"HFMA2", "", "half arithmetic"},
    {"FSEL", "", "select"},
    {"SEL", "", "select"},
    {"IMNMX", "", "integer minimum"},
    {"VIMNMX", "", "integer minimum"},
    {"LOP3", "", "LOP3"},
    {"PRMT", "", "PRMT"},
}};

/// Whether a LOP3 has this truth table. kind_of() asks for the three orders of the table that makes an address depend
/// on a result (conversion() of ptx/experiment/kernel.hpp).
bool is_logic(const Instruction& instruction, std::string_view table) {
  return instruction.opcode == "LOP3" && std::ranges::find(instruction.operands, table) != instruction.operands.end();
}

/// "IADD3.X" as an instruction without operands.
Instruction bare(const std::string& name) {
  Instruction instruction;
  const std::vector<std::string> words = split(name, '.');
  instruction.opcode = words.front();
  instruction.modifiers.assign(words.begin() + 1, words.end());
  return instruction;
}

bool is_native(const Instruction& one, const std::vector<std::string>& native) {
  const std::string kind = kind_of(one);
  // IMAD.SHL is not a multiplication.
  const bool stands_in = one.opcode == "IMAD" && kind != one.name();
  return std::ranges::any_of(native, [&](const std::string& name) {
    const Instruction expected = bare(name);
    return kind.starts_with(kind_of(expected)) || (one.opcode == expected.opcode && !stands_in);
  });
}

void label(Expansion& expansion, const Instruction& first, const PtxInstruction& instruction) {
  const std::size_t size = expansion.opcodes.size();
  if (size > 1) {
    expansion.labels.push_back(fmt::format("{} instructions", size));
  } else if (!instruction.sass.empty() && !is_native(first, instruction.sass)) {
    expansion.labels.push_back("rewritten: " + expansion.opcodes.front());
  }
  if (expansion.calls) expansion.labels.emplace_back("calls a subroutine");
  if (expansion.branches) expansion.labels.emplace_back("branches");
}

}  // namespace

std::vector<std::size_t> own_code(const Listing& listing, std::size_t open, std::size_t close,
                                  const PtxInstruction& instruction) {
  std::vector<RegisterClass> loads;  // by the kernel itself, in order
  int stores = 0;
  for (const Operand& operand : instruction.operands) {
    if (!operand.immediate.empty()) continue;
    if (operand.read) loads.insert(loads.end(), static_cast<std::size_t>(operand.elements), operand.file);
    if (operand.written) stores += operand.elements;
  }
  std::vector<std::size_t> own;
  std::set<Register> predicates;  // registers with values that become predicates
  std::size_t loaded = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    const Instruction& one = listing.instructions[i];
    const Effects effects = effects_of(one);
    const auto reads = [&](Register reg) { return effects.reads(reg); };
    if (one.opcode == "LDS" && loaded < loads.size()) {
      if (loads[loaded++] == RegisterClass::Predicate) predicates.insert(effects.writes.begin(), effects.writes.end());
    } else if (one.opcode == "ISETP" && std::ranges::any_of(predicates, reads)) {
      std::erase_if(predicates, reads);
    } else if (!kind_of(one).empty()) {
      own.push_back(i);
    }
  }
  for (std::size_t at = own.size(); at-- > 0 && stores > 0;) {
    if (listing.instructions[own[at]].opcode != "STS") continue;
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(at));
    --stores;
  }
  return own;
}

std::string kind_of(const Instruction& instruction) {
  if (is_no_operation(instruction)) return {};
  constexpr std::array<std::string_view, 3> leaning{"0x78", "0x6c", "0x6a"};
  if (std::ranges::any_of(leaning, [&](auto table) { return is_logic(instruction, table); })) return "LOP3 xor-and";
  for (const Choice& choice : choices) {
    if (choice.opcode == instruction.opcode && (choice.modifier.empty() || has_modifier(instruction, choice.modifier)))
      return std::string(choice.kind);
  }
  return instruction.name();
}

std::string kind_of(const std::string& name) { return kind_of(bare(name)); }

bool ptxas_chooses(const std::string& name) {
  const std::string kind = kind_of(name);
  return kind != name && kind != bare(name).opcode;
}

std::int64_t total(const Kinds& kinds) {
  std::int64_t sum = 0;
  for (const auto& [kind, count] : kinds) sum += count;
  return sum;
}

Expected<Expansion> expansion_of(const Listing& listing, const PtxInstruction& instruction) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() < 2) return fail(ErrorCode::ClockMismatch, "the compiler removed a clock read");
  // If the instruction itself reads a clock, that read lies between the outer two.
  Expansion expansion;
  const std::vector<std::size_t> own = own_code(listing, reads.front(), reads.back(), instruction);
  for (std::size_t i = reads.front() + 1; i < reads.back(); ++i) {
    const bool padding = listing.instructions[i - 1].control.stall >= saturated_stall;
    expansion.pauses |= is_no_operation(listing.instructions[i]) && !padding;
  }
  for (const std::size_t i : own) {
    const Instruction& one = listing.instructions[i];
    ++expansion.kinds[kind_of(one)];
    expansion.opcodes.push_back(one.name());
    expansion.texts.push_back(one.text);
    expansion.calls |= one.opcode == "CALL";
    expansion.branches |= is_jump(one) && one.opcode != "CALL";
  }
  const auto nothing = [&] {
    return fail(ErrorCode::NoInstruction, why_nothing_depends(listing, reads.front(), reads.back(), instruction));
  };
  if (expansion.opcodes.empty()) return nothing();
  expansion.parts = parts_of(listing, reads.front(), reads.back(), own, instruction);
  // This holds only if the data flow is known and there is an operand on which it could depend.
  const auto is_constant = [](const Part& part) {
    return (part.kind == "move" || part.kind == "CS2R") && part.sources.empty();
  };
  const bool has_source = std::ranges::any_of(instruction.operands, [](const Operand& of) { return of.read; });
  if (has_source && !expansion.parts.empty() && std::ranges::all_of(expansion.parts, is_constant)) {
    return nothing();
  }
  label(expansion, listing.instructions[own.front()], instruction);
  return expansion;
}

}  // namespace warpclock
