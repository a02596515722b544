#include "ptx/experiment/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "ptx/describe.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

constexpr std::string_view carry = "carry";  // no register has this name, because their names begin with '%'
constexpr std::int64_t most_aligned = 16;
constexpr std::int64_t most_reach = 16384;  // with 16 bytes for each of 1024 threads, this fits within 48 KiB

/// Rounded up, so that the base after it is aligned for every access.
std::int64_t aligned(std::int64_t bytes) {
  return std::max<std::int64_t>(bytes + most_aligned - 1, 0) / most_aligned * most_aligned;
}

/// "+16", "+-4", "+0x10"
std::int64_t number_of(std::string_view offset) {
  if (offset.starts_with('+')) offset.remove_prefix(1);
  const bool minus = offset.starts_with('-');
  if (minus) offset.remove_prefix(1);
  const bool hexadecimal = offset.starts_with("0x") || offset.starts_with("0X");
  if (hexadecimal) offset.remove_prefix(2);
  std::int64_t value = 0;
  const auto read = std::from_chars(offset.data(), offset.data() + offset.size(), value, hexadecimal ? 16 : 10);
  // A number that does not fit is too far in any case.
  constexpr std::int64_t most = std::int64_t{1} << 48;
  if (read.ec == std::errc::result_out_of_range) value = most;
  return (minus ? -1 : 1) * std::min(value, most);
}

/// What is known about the content of a register.
struct KnownValue {
  std::map<std::string, int> sources;  ///< the sources on which it depends, with the number of statements in between
  std::string base;                    ///< the source from whose address it differs by a constant
  bool variable = false;               ///< it is an address in a variable
  bool loaded = false;                 ///< it depends on a load
};

/// The sources of an instruction, by their names in the table, that may be an address from which the result has a
/// constant distance.
std::vector<std::string_view> passes_on(const PtxInstruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "add") return {"a", "b"};
  if (opcode == "sub" || opcode == "mov") return {"a"};
  if (opcode == "mad") return {"c"};
  if (opcode == "cvta" && instruction.mnemonic.contains("global")) return {"a"};
  return {};
}

class Follower {
 public:
  Expected<Dataflow> follow(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) WARPCLOCK_TRY(pass(statement));
    for (const auto& [reg, unread] : unread_) {
      if (unread || flow_.sources.contains(reg)) flow_.results[reg] = values_.at(reg).sources;
    }
    // An address may be relative to another register that only later turned out to be a base.
    for (const auto& [base, memory] : flow_.bases) flow_.steering.erase(base);
    return std::move(flow_);
  }

 private:
  KnownValue& read(const std::string& reg) {
    const auto [at, is_new] = values_.try_emplace(reg);
    if (is_new && reg != carry) {
      flow_.sources.insert(reg);
      at->second.sources[reg] = 0;
      at->second.base = reg;
    }
    if (const auto written = unread_.find(reg); written != unread_.end()) written->second = false;
    return at->second;
  }

  static void add(KnownValue& sum, const KnownValue& part) {
    for (const auto& [source, statements] : part.sources) {
      int& longest = sum.sources[source];
      longest = std::max(longest, statements + 1);
    }
    sum.loaded = sum.loaded || part.loaded;
  }

  Expected<void> pass(const Statement& statement) {
    const PtxInstruction& instruction = statement.instruction;
    KnownValue made;
    const auto passing = passes_on(instruction);
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      if (!operand.symbol.empty()) made.variable = true;
      if (!operand.read) continue;
      for (const std::string& reg : statement.registers[i]) {
        const KnownValue& value = read(reg);
        add(made, value);
        if (operand.address) {
          WARPCLOCK_TRY(place(operand, value, statement, i, reg));
        } else if (std::ranges::find(passing, operand.name) != passing.end()) {
          if (made.base.empty()) made.base = value.base;
          made.variable = made.variable || value.variable;
        }
      }
    }
    constexpr std::array<std::string_view, 3> loads{"load", "matrix-load", "atomic"};
    made.loaded |= std::ranges::find(loads, instruction.kind) != loads.end();
    // The result is relative to the variable, whatever else is added.
    if (made.variable) made.base.clear();
    if (statement.takes_carry) add(made, read(std::string(carry)));
    if (statement.makes_carry) values_[std::string(carry)] = made;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      if (!instruction.operands[i].written) continue;
      for (const std::string& reg : statement.registers[i]) write(reg, made, !statement.guard.empty());
    }
    return {};
  }

  /// If a guard may prevent the write, the old value remains possible.
  void write(const std::string& reg, KnownValue made, bool perhaps) {
    if (perhaps) add(made, read(reg));
    values_[reg] = std::move(made);
    unread_[reg] = true;
  }

  Expected<void> place(const Operand& operand, const KnownValue& value, const Statement& statement, std::size_t index,
                       const std::string& reg) {
    const std::string& where = statement.places[index];
    if (value.base.empty() && !value.variable) {
      return fail("ptx-unsupported",
                  value.loaded ? fmt::format("the address {} is loaded from memory, where no pointer is stored: begin "
                                             "the block after that load",
                                             reg)
                               : fmt::format("the address {} is not a register that the block is given, plus a "
                                             "distance: begin the block where such a register is there",
                                             reg),
                  where);
    }
    for (const auto& [source, statements] : value.sources) {
      if (source != value.base) flow_.steering.insert(source);
    }
    if (value.base.empty()) return {};
    const std::string space = operand.space;
    Base& base = flow_.bases.try_emplace(value.base, space).first->second;
    const auto family = [](const std::string& name) { return name.empty() ? "global" : name; };
    if (family(base.space) != family(space)) {
      return fail("ptx-unsupported",
                  fmt::format("{} leads to {} memory here, and to {} memory before", value.base, family(space),
                              family(base.space)),
                  where);
    }
    const std::int64_t offset = number_of(operand.offset);
    const std::int64_t bytes = operand.access_bytes;
    base.bytes = std::max(base.bytes, bytes);
    base.before = std::max(base.before, aligned(-offset));
    base.behind = std::max(base.behind, aligned(offset + bytes));
    if (base.before + base.behind > most_reach) {
      return fail("ptx-unsupported",
                  fmt::format("the block reaches over {} bytes around {}, which are too many (at most {})",
                              base.before + base.behind, value.base, most_reach),
                  where);
    }
    return {};
  }

  Dataflow flow_;
  std::map<std::string, KnownValue> values_;
  std::map<std::string, bool> unread_;  ///< register -> whether its last value has not been read
};

}  // namespace

Expected<Dataflow> follow(const std::vector<Statement>& statements) { return Follower().follow(statements); }

namespace {

constexpr std::int64_t carried_reach = 8192;

/// Joins statements, whose registers are known, into one instruction.
class Joiner {
 public:
  Joiner(const PtxSnippet& snippet, const Choices& choices) : snippet_(snippet), choices_(choices) {}

  Expected<PtxInstruction> join(const std::vector<Statement>& statements) {
    auto files = WARPCLOCK_TRY(register_files(statements, snippet_));
    const auto dataflow = WARPCLOCK_TRY(follow(statements));
    files_ = std::move(files);
    result_.opcode = result_.mnemonic = "block";
    result_.section = "a block of instructions";
    const bool stores = std::ranges::any_of(
        statements, [](const Statement& statement) { return statement.instruction.kind == "store"; });
    result_.kind = stores && dataflow.results.empty() ? "store" : "block";
    result_.statements = static_cast<int>(statements.size());
    operands(statements, dataflow);
    flows(dataflow);
    carried(statements, dataflow);
    write(statements);
    WARPCLOCK_TRY(choose());
    return std::move(result_);
  }

 private:
  /// The registers that connect the block to its surroundings become operands, in order of appearance.
  void operands(const std::vector<Statement>& statements, const Dataflow& dataflow) {
    for (const Use& use : uses_of(statements)) {
      const std::string& reg = use.name;
      if (at_.contains(reg) || inner_.contains(reg)) continue;
      const bool read = dataflow.sources.contains(reg), written = dataflow.results.contains(reg);
      if (!read && !written) {
        inner_[reg] = "wt_" + plain(reg);
        continue;
      }
      Operand operand{.name = plain(reg), .type = use.type, .file = files_.at(reg), .written = written, .read = read};
      // A narrow number in a wider register, as a load leaves it.
      if (register_class(operand.type) != operand.file) operand.type = ptx_type(operand.file);
      operand.value = use.value;
      operand.steers = dataflow.steering.contains(reg);
      if (operand.steers) operand.value = "zero";
      if (const auto base = dataflow.bases.find(reg); base != dataflow.bases.end()) {
        operand.address = true;
        operand.space = base->second.space;
        operand.access_bytes = base->second.bytes;
        operand.before = base->second.before;
        // A pointer that is carried from pass to pass moves with every copy.
        operand.behind = base->second.behind + (written ? carried_reach : 0);
      }
      at_[reg] = result_.operands.size();
      registers_[result_.operands.size()] = reg;
      result_.operands.push_back(std::move(operand));
    }
    for (std::size_t i = 0; i < statements.size(); ++i) constants(statements[i], i);
  }

  /// The block uses addresses of these variables, so the kernel must declare them.
  void constants(const Statement& statement, std::size_t index) {
    for (const Operand& operand : statement.instruction.operands) {
      if (operand.symbol.empty()) continue;
      Operand own = operand;
      own.name = fmt::format("s{}_{}", index, operand.name);
      own.immediate = symbol_name(own.name);
      result_.operands.push_back(std::move(own));
    }
  }

  /// Removes only the mark before the letters, and makes sure that two registers never share a name.
  std::string plain(const std::string& reg) {
    std::string name = reg.substr(reg.starts_with('%') ? 1 : 0);
    std::ranges::replace(name, '$', '_');
    while (!names_.emplace(name, reg).second && names_.at(name) != reg) name += '_';
    return name;
  }

  void flows(const Dataflow& dataflow) {
    for (const auto& [result, sources] : dataflow.results) {
      for (const auto& [source, statements] : sources) {
        const auto from = at_.find(source);
        if (from == at_.end()) continue;
        const Operand& of = result_.operands[from->second];
        if (!of.address && !of.steers) result_.flows.push_back({from->second, at_.at(result), statements});
      }
    }
  }

  /// Registers that depend on themselves; of a vector, only the first element.
  void carried(const std::vector<Statement>& statements, const Dataflow& dataflow) {
    std::set<const std::vector<std::string>*> vectors;
    for (const auto& [reg, sources] : dataflow.results) {
      const auto at = at_.find(reg);
      if (at != at_.end() && sources.contains(reg)) result_.carried.push_back(at->second);
    }
    std::ranges::sort(result_.carried);
    std::erase_if(result_.carried, [&](std::size_t i) {
      const auto* last = last_write(statements, registers_.at(i));
      return last != nullptr && last->size() > 1 && !vectors.insert(last).second;
    });
  }

  static const std::vector<std::string>* last_write(const std::vector<Statement>& statements, const std::string& reg) {
    const std::vector<std::string>* last = nullptr;
    for (const Statement& statement : statements) {
      for (std::size_t k = 0; k < statement.registers.size(); ++k) {
        const auto& registers = statement.registers[k];
        const bool writes = statement.instruction.operands[k].written;
        if (writes && std::ranges::find(registers, reg) != registers.end()) last = &registers;
      }
    }
    return last;
  }

  void text(const std::string& words) { result_.pieces.push_back({.text = words}); }

  void write(const std::vector<Statement>& statements) {
    std::string declared;
    for (const auto& [reg, name] : inner_) {
      declared += fmt::format(".reg .{} {}; ", ptx_type(files_.at(reg)), name);
    }
    text("{ " + declared);
    for (std::size_t i = 0; i < statements.size(); ++i) {
      result_.pieces.push_back({.begins = true});
      write(statements[i], i);
      text("; ");
      result_.text += (i == 0 ? "" : "\n") + statements[i].text + ";";
      result_.guarded |= !statements[i].guard.empty();
    }
    text("}");
  }

  void write(const Statement& statement, std::size_t index) {
    for (const Piece& piece : statement.instruction.pieces) {
      if (piece.operand < 0) {
        std::string words = piece.text;
        for (const Operand& of : statement.instruction.operands) {
          if (!of.symbol.empty()) {
            words = replaced(words, of.immediate, symbol_name(fmt::format("s{}_{}", index, of.name)));
          }
        }
        text(words);
        continue;
      }
      const std::string& reg =
          statement.registers[static_cast<std::size_t>(piece.operand)][static_cast<std::size_t>(piece.element)];
      if (const auto inner = inner_.find(reg); inner != inner_.end()) {
        text(inner->second);
      } else {
        result_.pieces.push_back({.operand = static_cast<int>(at_.at(reg))});
      }
    }
  }

  static std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
  }

  Expected<void> choose() {
    if (!choices_.operands.empty()) {
      return fail("ptx", fmt::format("operand '{}': write the constant into the block instead",
                                     choices_.operands.begin()->first));
    }
    for (const auto& [name, value] : choices_.values) {
      const auto operand = std::ranges::find(result_.operands, name, &Operand::name);
      if (operand == result_.operands.end() || !operand->read) {
        std::vector<std::string> names;
        for (const Operand& one : result_.operands) {
          if (one.read) names.push_back(one.name);
        }
        return fail("ptx", fmt::format("the block has no source '{}'{}", name, did_you_mean(name, names)));
      }
      if (std::ranges::find(value_names(), value) == value_names().end()) {
        return fail("ptx",
                    fmt::format("operand '{}': unknown value '{}'{}", name, value, did_you_mean(value, value_names())));
      }
      operand->value = value;
    }
    return {};
  }

  const PtxSnippet& snippet_;
  const Choices& choices_;
  PtxInstruction result_;
  std::map<std::string, RegisterClass> files_;
  std::map<std::string, std::size_t> at_;         ///< operand of a register
  std::map<std::size_t, std::string> registers_;  ///< operand -> register
  std::map<std::string, std::string> inner_;      ///< names of the block's internal registers
  std::map<std::string, std::string> names_;      ///< operand name -> register
};

}  // namespace

Expected<PtxInstruction> describe_block(const PtxSnippet& snippet, const OpcodeTable& table, const Choices& choices) {
  if (snippet.lines.size() == 1) return describe(snippet.lines.front(), table, choices);
  const auto statements = WARPCLOCK_TRY(statements_of(snippet, table));
  return join_block(statements, snippet, choices);
}

Expected<PtxInstruction> join_block(const std::vector<Statement>& statements, const PtxSnippet& declared,
                                    const Choices& choices) {
  return Joiner(declared, choices).join(statements);
}

}  // namespace warpclock
