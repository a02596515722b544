#include "ptx/experiment/dataflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

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

}  // namespace warpclock
