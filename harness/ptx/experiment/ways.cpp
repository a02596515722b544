#include "ptx/experiment/ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ptx/describe.hpp"
#include "ptx/experiment/block.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_ways = 64;

/// An occurrence of a register: statement and operand.
using OperandSpot = std::pair<std::size_t, std::size_t>;
using Spots = std::set<OperandSpot>;

/// A block in which names belong to values, not to registers.
class Values {
 public:
  explicit Values(std::vector<Statement> statements) : statements_(std::move(statements)), feeds_(statements_.size()) {
    for (std::size_t i = 0; i < statements_.size(); ++i) follow(i);
  }

  /// The statements that depend on the source and lead to the result.
  [[nodiscard]] std::set<std::size_t> between(const std::string& source, const std::string& result) const {
    std::set<std::size_t> depend, lead;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const bool reads = reads_.contains({source, i});
      const auto follows = [&](std::size_t from) { return depend.contains(from); };
      if (reads || std::ranges::any_of(feeds_[i], follows)) depend.insert(i);
    }
    if (const auto last = writer_.find(result); last != writer_.end()) lead.insert(last->second);
    for (std::size_t i = statements_.size(); i-- > 0;) {
      if (lead.contains(i)) lead.insert(feeds_[i].begin(), feeds_[i].end());
    }
    std::set<std::size_t> both;
    std::ranges::set_intersection(depend, lead, std::inserter(both, both.end()));
    return both;
  }

  /// Adds the statements that set their carry.
  [[nodiscard]] std::set<std::size_t> with_carry(std::set<std::size_t> some) const {
    const std::set<std::size_t> given = some;
    for (std::size_t i : given) {
      for (auto from = carry_from_.find(i); from != carry_from_.end(); from = carry_from_.find(i)) {
        i = from->second;
        some.insert(i);
      }
    }
    return some;
  }

  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  /// The name of a register's last value. The first value has the name of the register.
  [[nodiscard]] std::string last(const std::string& reg) const { return names_.at(reg); }
  /// The register of a value.
  [[nodiscard]] static std::string register_of(const std::string& value) { return value.substr(0, value.find(mark)); }

 private:
  static constexpr std::string_view mark = "__";

  void follow(std::size_t i) {
    Statement& statement = statements_[i];
    const auto& operands = statement.instruction.operands;
    auto renamed = statement.registers;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      for (std::size_t e = 0; e < statement.registers[k].size(); ++e) {
        const std::string& reg = statement.registers[k][e];
        if (operands[k].read || (operands[k].written && !statement.guard.empty())) read(i, reg);
        renamed[k][e] = names_.try_emplace(reg, reg).first->second;
      }
    }
    if (statement.takes_carry && carry_) {
      feeds_[i].insert(*carry_);
      carry_from_[i] = *carry_;
    }
    for (std::size_t k = 0; k < operands.size(); ++k) {
      for (std::size_t e = 0; operands[k].written && e < statement.registers[k].size(); ++e) {
        const std::string& reg = statement.registers[k][e];
        writer_[reg] = i;
        // Under a guard the register may keep its old value, so the value is not renamed.
        if (!statement.guard.empty()) continue;
        names_[reg] = fmt::format("{}{}{}", reg, mark, i);
        renamed[k][e] = names_[reg];
      }
    }
    if (statement.makes_carry) carry_ = i;
    statement.registers = std::move(renamed);
  }

  void read(std::size_t i, const std::string& reg) {
    const auto written = writer_.find(reg);
    if (written == writer_.end()) {
      reads_.emplace(reg, i);
    } else {
      feeds_[i].insert(written->second);
    }
  }

  std::vector<Statement> statements_;
  std::vector<std::set<std::size_t>> feeds_;  ///< statements whose results each reads
  std::set<std::pair<std::string, std::size_t>> reads_;
  std::map<std::string, std::size_t> writer_;
  std::map<std::string, std::string> names_;
  std::map<std::size_t, std::size_t> carry_from_;
  std::optional<std::size_t> carry_;
};

std::string plain(const std::string& reg) { return reg.substr(reg.starts_with('%') ? 1 : 0); }

std::optional<std::size_t> index_of(const PtxInstruction& instruction, const std::string& name) {
  const auto at = std::ranges::find(instruction.operands, name, &Operand::name);
  if (at == instruction.operands.end()) return std::nullopt;
  return static_cast<std::size_t>(at - instruction.operands.begin());
}

class Finder {
 public:
  Finder(const PtxSnippet& snippet, const OpcodeTable& table, const Choices& choices,
         std::map<std::string, RegisterClass> files, Values values)
      : snippet_(snippet), table_(table), choices_(choices), files_(std::move(files)), values_(std::move(values)) {}

  std::vector<Way> find(const std::vector<std::string>& sources, const std::vector<std::string>& results) {
    std::vector<Way> ways;
    std::map<std::pair<std::set<std::size_t>, std::pair<Spots, Spots>>, std::size_t> known;
    std::size_t left = 0;
    for (const std::string& source : sources) {
      bool any = false;
      for (const std::string& result : results) {
        const std::set<std::size_t> between = values_.between(source, result);
        if (between.empty()) continue;
        any = true;
        const std::string name =
            "latency." + plain(source) + (results.size() > 1 ? "." + plain(result) : std::string());
        const std::string value = values_.last(result);
        const auto [at, is_new] =
            known.try_emplace({between, {spots(between, source, false), spots(between, value, true)}}, ways.size());
        if (!is_new) {
          add_alike(ways[at->second], source, result);
        } else if (ways.size() < most_ways) {
          ways.push_back(way(name, between, source, value));
          ways.back().source = source;
          ways.back().result = result;
        } else {
          known.erase(at);
          ++left;
        }
      }
      if (!any) ways.push_back(refused("latency." + plain(source), "no result depends on it"));
    }
    if (left > 0) ways.push_back(refused("latency", fmt::format("{} more: at most {} are asked", left, most_ways)));
    return ways;
  }

 private:
  static Way refused(std::string name, std::string why) {
    Way way;
    way.name = std::move(name);
    way.why_not = std::move(why);
    return way;
  }

  static void add_alike(Way& way, const std::string& source, const std::string& result) {
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    if (source != way.source) add(way.alike_from, plain(source));
    if (result != way.result) add(way.alike_to, plain(result));
  }

  [[nodiscard]] Spots spots(const std::set<std::size_t>& between, const std::string& value, bool written) const {
    Spots found;
    for (const std::size_t i : between) {
      const Statement& statement = values_.statements()[i];
      for (std::size_t k = 0; k < statement.registers.size(); ++k) {
        const Operand& operand = statement.instruction.operands[k];
        const auto& registers = statement.registers[k];
        if (!(written ? operand.written : operand.read)) continue;
        if (std::ranges::find(registers, value) != registers.end()) found.emplace(i, k);
      }
    }
    return found;
  }

  [[nodiscard]] Way way(const std::string& name, const std::set<std::size_t>& between, const std::string& source,
                        const std::string& result) const {
    Way made;
    made.name = name;
    const std::set<std::size_t> needed = values_.with_carry(between);
    auto instruction = needed.size() == 1 ? described(*needed.begin(), source, result) : joined(needed, source, result);
    if (!instruction) {
      made.why_not = instruction.error().text;
      return made;
    }
    instruction->asked.front().name = name;
    instruction->asked.front().through_all = needed == between;
    const Operand& to = instruction->operands[instruction->asked.front().link.to];
    if ((to.address || to.steers) && (to.file == RegisterClass::Predicate || to.file == RegisterClass::B128)) {
      made.why_not = "an address is computed from it, and no other value may be in it";
      return made;
    }
    made.instruction = *std::move(instruction);
    return made;
  }

  /// A single statement is described as the instruction itself.
  [[nodiscard]] Expected<PtxInstruction> described(std::size_t index, const std::string& source,
                                                   const std::string& result) const {
    auto instruction = WARPCLOCK_TRY(describe(snippet_.lines[index], table_));
    const Statement& statement = values_.statements()[index];
    const auto place = [&](const std::string& value, bool Operand::*role) -> std::optional<std::size_t> {
      for (std::size_t k = 0; k < statement.registers.size(); ++k) {
        const auto& registers = statement.registers[k];
        if (std::ranges::find(registers, value) == registers.end()) continue;
        const auto at = index_of(instruction, statement.instruction.operands[k].name);
        if (at && instruction.operands[*at].*role) return at;
      }
      return std::nullopt;
    };
    const auto from = place(result, &Operand::written), to = place(source, &Operand::read);
    if (!from || !to) return fail("ptx-unsupported", "it cannot be distinguished from another operand");
    instruction.asked = {{.link = {*from, *to}, .name = {}}};
    for (std::size_t k = 0; k < statement.registers.size(); ++k) {
      const auto at = index_of(instruction, statement.instruction.operands[k].name);
      if (at && !statement.registers[k].empty()) choose(instruction.operands[*at], statement.registers[k].front());
    }
    return instruction;
  }

  [[nodiscard]] Expected<PtxInstruction> joined(const std::set<std::size_t>& between, const std::string& source,
                                                const std::string& result) const {
    std::vector<Statement> statements;
    PtxSnippet declared;
    for (const std::size_t i : between) {
      statements.push_back(values_.statements()[i]);
      for (const auto& registers : statements.back().registers) {
        for (const std::string& value : registers) {
          declared.names[value] = ptx_type(files_.at(Values::register_of(value)));
        }
      }
    }
    auto instruction = WARPCLOCK_TRY(join_block(statements, declared));
    const auto from = index_of(instruction, plain(result)), to = index_of(instruction, plain(source));
    if (!from || !to) return fail("ptx-unsupported", "it cannot be distinguished from another register");
    instruction.asked = {{.link = {*from, *to}, .name = {}}};
    for (Operand& operand : instruction.operands) choose(operand, operand.name);
    return instruction;
  }

  void choose(Operand& operand, const std::string& reg) const {
    const auto value = choices_.values.find(plain(reg));
    if (value != choices_.values.end() && operand.read) operand.value = value->second;
  }

  const PtxSnippet& snippet_;
  const OpcodeTable& table_;
  const Choices& choices_;
  const std::map<std::string, RegisterClass> files_;
  const Values values_;
};

}  // namespace

std::vector<Way> ways_of(const PtxSnippet& snippet, const OpcodeTable& table, const Choices& choices) {
  const auto statements = statements_of(snippet, table);
  if (snippet.lines.size() < 2 || !statements) return {};
  const auto files = register_files(*statements, snippet);
  const auto dataflow = follow(*statements);
  if (!files || !dataflow) return {};
  std::vector<std::string> sources, results;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Use& use : uses_of(*statements)) {
    if (dataflow->sources.contains(use.name)) add(sources, use.name);
    if (dataflow->results.contains(use.name)) add(results, use.name);
  }
  return Finder(snippet, table, choices, *files, Values(*statements)).find(sources, results);
}

}  // namespace warpclock
