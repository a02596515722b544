#include "model/machine_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/lookup.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

constexpr const char* machine_file = "machine.json";

/// A pipe and the row in which counters saw an opcode execute on it.
struct SeenPipe {
  std::string pipe, row;
};

/// By opcode, with its modifiers and without them: the pipe of most rows.
std::map<std::string, SeenPipe> seen_pipes(const InstructionTable& table) {
  std::map<std::string, std::map<std::string, std::pair<int, std::string>>> rows;
  for (const InstructionRecord& row : table.rows) {
    if (row.outcome != Outcome::Measured || row.pipes.size() != 1) continue;
    for (const std::string& opcode : row.became) {
      for (const std::string& name : std::set{opcode, opcode.substr(0, opcode.find('.'))}) {
        auto& [count, first] = rows[name][row.pipes[0]];
        if (++count == 1) first = row.id;
      }
    }
  }
  std::map<std::string, SeenPipe> seen;
  for (const auto& [opcode, pipes] : rows) {
    const auto most = std::ranges::max_element(pipes, {}, [](const auto& pipe) { return pipe.second.first; });
    seen.emplace(opcode, SeenPipe{most->first, most->second.second});
  }
  return seen;
}

void find_pipe(Entry& entry, const std::map<std::string, SeenPipe>& seen) {
  const std::string opcode = name_in(entry.name);
  auto found = seen.find(opcode);
  if (found == seen.end()) found = seen.find(opcode.substr(0, opcode.find('.')));
  if (found == seen.end()) return;
  entry.pipe = found->second.pipe;
  entry.pipe_row = found->second.row;
}

Leaf cycles_of(const std::string& row, std::string name, double value, double low, double high, std::string note = "") {
  return {std::move(name), value, low, high, "cycles", machine_file, {row}, std::move(note)};
}

Leaf cycles(const MachineRow& row, std::string name, double value, double low, double high, std::string note = "") {
  return cycles_of(row.key, std::move(name), value, low, high, std::move(note));
}

/// "FFMA+LDS" of "pairs/FFMA+LDS, runs of 4".
std::string name_of(const std::string& id) {
  const std::size_t begin = id.find('/') + 1;
  return id.substr(begin, id.find(',', begin) - begin);
}

std::vector<Leaf> row_leaves(const MachineRow& row) {
  std::vector<Leaf> leaves;
  for (const DependencyLatency& latency : row.latencies) {
    const char operand = static_cast<char>('a' + latency.source);
    const std::string through = latency.through.empty() ? "" : "returned by " + latency.through;
    if (latency.cycles) {
      leaves.push_back(cycles(row, fmt::format("latency.{}", operand), latency.cycles->value, latency.cycles->low,
                              latency.cycles->high, through));
    }
    const auto stall = [&](const char* name, const std::optional<int>& count) {
      if (count) leaves.push_back(cycles(row, fmt::format("{}.{}", name, operand), *count, *count, *count, through));
    };
    stall("minimum_stall", latency.least_right);
    stall("minimum_stall_among_warps", latency.busy_least_right);
  }
  if (row.interval) {
    leaves.push_back(
        cycles(row, "interval", row.interval->value, row.interval->low, row.interval->high, row.interval->note));
    // Where sub-partitions share a unit, a warp alone issues sooner than one of four.
    const auto alone = std::ranges::find_if(row.cells, [](const IssueCell& cell) {
      return cell.warps == 1 && cell.stall == 1 && !cell.yield && cell.cycles > 0;
    });
    if (alone != row.cells.end() && std::abs(alone->cycles - row.interval->value) > 0.01 * row.interval->value)
      leaves.push_back(cycles(row, "interval.one_warp", alone->cycles, alone->low, alone->high));
  }
  return leaves;
}

}  // namespace

std::vector<Entry> instruction_entries(const MachineTable& table, const InstructionTable* instructions) {
  std::map<std::string, SeenPipe> seen;
  if (instructions != nullptr) seen = seen_pipes(*instructions);
  std::vector<Entry> entries;
  for (const MachineRow& row : table.rows) {
    Entry entry;
    entry.name = row.key;
    entry.signal = row.scoreboard ? "scoreboard" : "fixed";
    if (!row.reason) entry.leaves = row_leaves(row);
    if (entry.leaves.empty()) continue;
    if (row.pipes.size() == 1) {
      entry.pipe = row.pipes.front();
      entry.pipe_row = row.key;
    } else {
      find_pipe(entry, seen);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> dependence_entries(const MachineTable& table) {
  std::vector<Entry> entries;
  for (const ProducerConsumer& row : table.dependences) {
    Entry entry;
    entry.name = name_of(row.id);
    const DependencyLatency& latency = row.latency;
    entry.signal = latency.least_right ? "fixed" : "scoreboard";
    if (latency.cycles) {
      const Estimate& by_time = *latency.cycles;
      entry.leaves.push_back(cycles_of(row.id, "latency", by_time.value, by_time.low, by_time.high));
    }
    const auto stall = [&](const char* name, const std::optional<int>& count) {
      if (count) entry.leaves.push_back(cycles_of(row.id, name, *count, *count, *count));
    };
    stall("minimum_stall", latency.least_right);
    stall("minimum_stall_among_warps", latency.busy_least_right);
    if (!entry.leaves.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> pair_entries(const MachineTable& table) {
  std::vector<Entry> entries;
  for (const IssueStudy& pair : table.pairs) {
    if (!pair.interval) continue;
    Entry& entry = find_or_add(entries, name_of(pair.id), &Entry::name);
    entry.says = "one instruction of each kind on a sub-partition";
    const Estimate& both = *pair.interval;
    entry.leaves.push_back(
        cycles_of(pair.id, pair.run > 1 ? "cycles.runs" : "cycles", both.value, both.low, both.high, both.note));
  }
  const auto add_groups = [&](const std::vector<IssueStudy>& studies, const char* where, const char* says) {
    for (const IssueStudy& one : studies) {
      if (!one.interval) continue;
      const Estimate& both = *one.interval;
      Entry& entry = entries.emplace_back();
      entry.name = name_of(one.id) + where;
      entry.says = says;
      entry.leaves.push_back(cycles_of(one.id, "cycles", both.value, both.low, both.high, both.note));
    }
  };
  add_groups(table.with_multiplies, "",
             "a multiply of a warp group and copies of the other instruction on a sub-partition");
  add_groups(table.between_warps, " between warps",
             "copies of each instruction on a sub-partition, each in warps of its own");
  return entries;
}

Entry pipe_entry(const PipeRule& rule, const MachineTable* table) {
  Entry entry;
  entry.name = rule.pipe;
  entry.says = "cycles between two instructions of a sub-partition, by the warps of the block: " + rule.form;
  if (table != nullptr) {
    const MachineRow* row = row_of_form(table->rows, rule.form);
    if (row != nullptr && !row->reason) {
      for (const IssueCell& cell : row->cells) {
        if (!(cell.cycles > 0)) continue;
        entry.leaves.push_back(
            cycles(*row, fmt::format("interval.warps{}.stall{}{}", cell.warps, cell.stall, cell.yield ? ".yield" : ""),
                   cell.cycles, cell.low, cell.high));
      }
    }
  }
  if (entry.leaves.empty()) entry.absent = {"interval"};
  return entry;
}

}  // namespace warpclock
