#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "fields/skeleton.hpp"
#include "inspect/hazards/hazards.hpp"
#include "verify/waits.hpp"

namespace warpclock {
namespace {

constexpr std::string_view stall_prefix = "minimum_stall.", brought_back = "returned by ", two_passes = "two passes";

/// Opcodes of the fma pipe that compute two halves of a register: they read what another of them wrote as one pipe.
constexpr std::array<std::string_view, 3> halves{"HADD2", "HFMA2", "HMUL2"};

char operand_letter(std::size_t operand) { return static_cast<char>('A' + operand); }

/// What the rows of a relation call the operand of a consumer, by what it shares its times with. Empty if no row can be
/// about it.
std::string reader_of(std::string_view group, std::string_view opcode, RegisterFile file, std::size_t operand) {
  if (file == RegisterFile::Predicate) return group == "alu" ? "alu.predicate" : std::string();
  if (file == RegisterFile::Uniform) return group == "uniform" ? "uniform" : std::string();
  if (file == RegisterFile::UniformPredicate) return {};
  if (group == "tensor" || group == "lsu")
    return fmt::format("{}.{}", group == "lsu" ? opcode : group, operand_letter(operand));
  if (opcode == "R2UR") return "R2UR";
  // A multiply of two passes does not wait for its addend as for its factors.
  if (group == two_passes) return operand < 2 ? std::string(group) : std::string();
  return std::string(group);
}

std::string opcode_in(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

}  // namespace

MinimumStalls::MinimumStalls(std::span<const Machine> machines) : machines_(machines) {
  for (const Machine& machine : machines_) {
    for (const Entry& entry : machine.instructions) {
      if (!entry.name.starts_with('@')) continue;
      forms_.emplace(entry.name, &entry);
      const std::string opcode = opcode_in(name_in(entry.name));
      const bool signals = entry.signal == "scoreboard";
      bool& all_signal = signals_of_opcode_.try_emplace(opcode, signals).first->second;
      all_signal = all_signal && signals;
      if (entry.pipe.empty()) continue;
      const auto [known, added] = pipe_of_opcode_.emplace(opcode, entry.pipe);
      if (known->second != entry.pipe) known->second = {};
    }
  }
  for (std::size_t i = 0; i < machines_.size(); ++i) read(i);
}

std::string MinimumStalls::gpus() const { return join(mapped(machines_, &Machine::gpu), ", "); }

void MinimumStalls::add(Rows& rows, std::size_t machine, const Leaf& leaf) const {
  rows.resize(machines_.size());
  rows[machine].push_back({leaf.value, leaf.rows.empty() ? std::string() : leaf.rows.front()});
}

void MinimumStalls::read(std::size_t machine) {
  const auto instruction_of = [](const std::string& text) { return parse_instruction(text).value_or(Instruction()); };
  for (const Entry& entry : machines_[machine].dependences) {
    const Leaf* leaf = find_leaf(entry, "minimum_stall");
    const std::size_t arrow = entry.name.find("->"), point = entry.name.rfind('.');
    if (leaf == nullptr || arrow == entry.name.npos || point == entry.name.npos || point < arrow) continue;
    add(by_names_[entry.name], machine, *leaf);
    const std::string producer = entry.name.substr(0, arrow),
                      consumer = entry.name.substr(arrow + 2, point - arrow - 2);
    const auto operand = static_cast<std::size_t>(entry.name.back() - 'A');
    const auto from = group_of(instruction_of(producer), ""), to = group_of(instruction_of(consumer), "");
    const std::string reader = reader_of(to, opcode_in(consumer), RegisterFile::Vector, operand);
    // On the tensor pipe a row is of its producer alone, because the shape decides.
    const std::string writer = from == "tensor" ? producer : std::string(from);
    if (from == "tensor") tensor_writers_.emplace(producer, "");
    if (!writer.empty() && !reader.empty()) add(by_pipes_[writer + "->" + reader], machine, *leaf);
  }
  for (const Entry& entry : machines_[machine].instructions) {
    if (!entry.name.starts_with('@')) continue;
    const std::string name = name_in(entry.name);
    const std::string_view group = group_of(instruction_of(name), entry.name);
    const auto writer = tensor_writers_.find(name);
    if (writer != tensor_writers_.end() && writer->second.empty() && !entry.name.contains("RZ"))
      writer->second = entry.name;
    for (const Leaf& leaf : entry.leaves) {
      if (!leaf.name.starts_with(stall_prefix)) continue;
      if (leaf.note.empty()) {
        add(own_[entry.name + leaf.name.substr(stall_prefix.size())], machine, leaf);
        if (group == "uniform") add(by_pipes_["uniform->uniform"], machine, leaf);
        continue;
      }
      if (!leaf.note.starts_with(brought_back)) continue;
      const std::string through = leaf.note.substr(brought_back.size());
      if (through == "SEL") add(by_pipes_[fmt::format("{} P->alu.predicate", group)], machine, leaf);
      if (through == "R2UR") add(by_pipes_[fmt::format("{}->R2UR", group)], machine, leaf);
    }
  }
}

std::string_view MinimumStalls::pipe_by_record(const std::string& key, const std::string& opcode) const {
  const Entry* form = value_or(forms_, key, nullptr);
  if (form != nullptr && !form->pipe.empty()) return form->pipe;
  return value_or(pipe_of_opcode_, opcode, std::string_view());
}

std::string_view MinimumStalls::group_of(const Instruction& instruction, const std::string& key) const {
  const std::string& opcode = instruction.opcode;
  if (is_group_multiply(opcode)) return {};
  // Forms of HFMA2 are on two pipes.
  if (instruction.name().starts_with("HFMA2.MMA")) return "HFMA2.MMA";
  if (contains(halves, opcode)) return "half";
  if (issue_wait(machines_.empty() ? "" : machines_.front().arch, instruction)) return two_passes;
  if (opcode == "R2UR") return "R2UR";
  return pipe_by_record(key, opcode);
}

bool MinimumStalls::same_own_rows(const std::string& key, const std::string& other) const {
  const Entry *one = value_or(forms_, key, nullptr), *two = value_or(forms_, other, nullptr);
  if (one == nullptr || two == nullptr) return false;
  bool any = false;
  for (const Leaf& leaf : one->leaves) {
    if (!leaf.name.starts_with(stall_prefix)) continue;
    const Leaf* same = find_leaf(*two, leaf.name);
    if (same != nullptr && same->value != leaf.value) return false;
    any = any || same != nullptr;
  }
  return any;
}

std::string MinimumStalls::writer_of(const InstructionKind& kind) const {
  if (kind.group != "tensor") return std::string(kind.group);
  if (tensor_writers_.contains(kind.name)) return kind.name;
  for (const auto& [name, key] : tensor_writers_) {
    if (opcode_in(name) == opcode_in(kind.name) && same_own_rows(kind.key, key)) return name;
  }
  return {};
}

std::size_t MinimumStalls::kind_of(const Instruction& instruction) {
  std::string key = key_of(skeleton_of(instruction.text));
  const auto known = index_of_.find(key);
  if (known != index_of_.end()) return known->second;
  InstructionKind kind{.key = key, .name = instruction.name()};
  kind.group = group_of(instruction, key);
  kind.writer = writer_of(kind);
  kind.scoreboard = value_or(signals_of_opcode_, instruction.opcode, false);
  if (const Entry* form = value_or(forms_, key, nullptr)) {
    const Leaf* alone = find_leaf(*form, "interval.one_warp");
    if (alone == nullptr) alone = find_leaf(*form, "interval");
    if (alone != nullptr) kind.interval = alone->value;
    kind.scoreboard = form->signal == "scoreboard";
  }
  kinds_.push_back(std::move(kind));
  index_of_.emplace(std::move(key), kinds_.size() - 1);
  return kinds_.size() - 1;
}

std::optional<MinimumStall> MinimumStalls::find(const InstructionKind& producer, RegisterFile file,
                                                const InstructionKind& consumer, std::size_t operand) const {
  /// The lowest of each GPU, and of these the largest.
  const auto of_rows = [&](const Rows& rows, bool own) {
    // Which half of a result of two passes a row is about, it does not say; the upper one takes longer.
    MinimumStall out{.own = own, .sure = producer.group != two_passes};
    for (const std::vector<Known>& machine : rows) {
      if (machine.empty()) continue;
      const auto [low, high] = std::ranges::minmax_element(machine, {}, &Known::cycles);
      out.sure = out.sure && low->cycles == high->cycles;
      if (static_cast<int>(low->cycles) <= out.cycles) continue;
      out.cycles = static_cast<int>(low->cycles);
      out.row = low->row;
    }
    return out;
  };
  const auto in = [&](const auto& all, const std::string& name, bool own) -> std::optional<MinimumStall> {
    const auto rows = all.find(name);
    if (rows == all.end()) return std::nullopt;
    return of_rows(rows->second, own);
  };
  const bool plain = file == RegisterFile::Vector || file == RegisterFile::Uniform;
  if (plain && producer.key == consumer.key) {
    if (auto found = in(own_, producer.key + static_cast<char>('a' + operand), true)) return found;
  }
  if (file == RegisterFile::Vector) {
    const std::string names = fmt::format("{}->{}.{}", producer.name, consumer.name, operand_letter(operand));
    if (auto found = in(by_names_, names, true)) return found;
  }
  const std::string reader = reader_of(consumer.group, opcode_in(consumer.name), file, operand);
  if (reader.empty() || producer.writer.empty()) return std::nullopt;
  std::string writer = producer.writer;
  if (file == RegisterFile::Predicate) writer += " P";
  return in(by_pipes_, writer + "->" + reader, false);
}

const MinimumStall* MinimumStalls::between(std::size_t producer, RegisterFile file, std::size_t consumer,
                                           std::size_t operand) {
  const auto [at, added] = found_.try_emplace({producer, file, consumer, operand});
  if (added) at->second = find(kinds_[producer], file, kinds_[consumer], operand);
  return at->second ? &*at->second : nullptr;
}

std::optional<int> MinimumStalls::settled(std::size_t producer) const {
  const std::string& writer = kinds_[producer].writer;
  std::optional<int> most;
  if (writer.empty()) return most;
  const std::string prefix = writer + "->";
  for (auto rows = by_pipes_.lower_bound(prefix); rows != by_pipes_.end() && rows->first.starts_with(prefix); ++rows) {
    for (const std::vector<Known>& machine : rows->second)
      for (const Known& each : machine) most = std::max(most.value_or(0), static_cast<int>(std::ceil(each.cycles)));
  }
  return most;
}

}  // namespace warpclock
