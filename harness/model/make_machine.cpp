#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "model/measured.hpp"
#include "record/outline.hpp"
#include "record/selector.hpp"

namespace warpclock {
namespace {

using Kind = Selector::Kind;
using Take = Selector::Take;

/// What is computed has no more digits than what was measured.
double six_digits(double value) { return leading_number<double>(leaf_number(value)).value_or(value); }

/// Of a rate per clock the clock is known too, with which it becomes one per second.
Leaf leaf_of(const Selector& place, const Selected& one) {
  // An interval that a limit cut may end one rounding below its value.
  Leaf leaf{"",
            one.value,
            std::min(one.low, one.value),
            std::max(one.high, one.value),
            one.unit,
            "",
            {},
            "",
            one.unit.contains("/clk") ? one.clock.mhz : 0};
  // A position on an axis has no unit in a record.
  if (leaf.unit.empty()) leaf.unit = one.name.starts_with("kib") ? "KiB" : "1";
  if (place.kind == Kind::Half) leaf.note = "half of " + place.name;
  if (place.kind == Kind::Clock) leaf.note = "SM clock of the row";
  if (place.kind == Kind::Feature) leaf.note = one.name + " of the curve of these rows";
  for (const Row* row : one.cases) leaf.rows.push_back(row->id);
  if (leaf.rows.empty()) leaf.rows.push_back(one.name);
  return leaf;
}

struct Point {
  double amount;
  const Estimate* estimate;
  std::string row;
};

/// By amount, ascending.
Expected<std::vector<Point>> points(const std::vector<const Row*>& rows, const Selector& place) {
  std::vector<Point> found;
  for (const Row* row : rows) {
    const Estimate* estimate = published(*row, place.name);
    const auto amount = WARPCLOCK_TRY(place.over.evaluate(row->parameters));
    found.push_back({static_cast<double>(amount), estimate, row->id});
  }
  std::ranges::stable_sort(found, {}, &Point::amount);
  return found;
}

/// The line of least squares of the relative distances: a short copy counts as much as a long one.
std::vector<Leaf> line(const std::vector<Point>& all) {
  if (all.size() < 3) return {};
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Point& point : all) {
    const double x = point.amount, y = point.estimate->value, w = 1 / (y * y);
    s += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
  }
  const double d = s * sxx - sx * sx;
  if (!(d > 0) || !std::isfinite(d)) return {};
  const double slope = (s * sxy - sx * sy) / d, fixed = (sxx * sy - sx * sxy) / d;
  double worst = 0, squares = 0;
  std::vector<std::string> rows;
  for (const Point& point : all) {
    const double off = (fixed + slope * point.amount) / point.estimate->value - 1;
    worst = std::max(worst, std::abs(off));
    squares += off * off;
    rows.push_back(point.row);
  }
  const double variance = squares / static_cast<double>(all.size() - 2);
  const double fixed_error = 2 * std::sqrt(variance * sxx / d), slope_error = 2 * std::sqrt(variance * s / d);
  const std::string unit = all.front().estimate->unit;
  const std::string note = fmt::format("line over {:.0f} to {:.0f} B, twice its standard error to either side",
                                       all.front().amount, all.back().amount);
  const auto leaf = [&](const char* name, double value, double error, const std::string& of, const std::string& how) {
    return Leaf{name, six_digits(value), six_digits(value - error), six_digits(value + error), of, "", rows, how};
  };
  return {leaf("fixed", fixed, fixed_error, unit, note), leaf("per_byte", slope, slope_error, unit + "/B", note),
          leaf("misfit", worst, 0, "1", "largest distance of a row from the line, as a share of the row")};
}

/// The least amount from which the highest value is near.
std::vector<Leaf> reach(const std::vector<Point>& all) {
  constexpr double near = 0.9;
  if (all.size() < 2) return {};
  const double best = std::ranges::max(all, {}, [](const Point& p) { return p.estimate->low; }).estimate->value;
  const auto there =
      std::ranges::find_if(all, [&](const Point& point) { return point.estimate->value >= near * best; });
  if (there == all.begin() || there == all.end()) return {};
  double before = 0;
  for (auto point = all.begin(); point != there; ++point) {
    if (point->amount < there->amount) before = point->amount;
  }
  return {{"", there->amount, before, there->amount, "B", "", {there->row}, "at least 90 % of the highest rate"}};
}

/// The one that the place means of these; none of none.
Expected<std::vector<Leaf>> leaf_among(const std::vector<Selected>& all, const Selector& place) {
  if (all.empty()) return std::vector<Leaf>();
  if (all.size() == 1) return std::vector{leaf_of(place, all.front())};
  if (place.take == Take::All)
    return fail("config",
                fmt::format("{} rows of {} fit: narrow them by 'with', or say 'take'", all.size(), place.probe));
  const bool highest = place.take == Take::Highest;
  Leaf leaf = leaf_of(place, taken(all, highest));
  leaf.note += fmt::format("{}{} of {}", leaf.note.empty() ? "" : ", ", highest ? "highest" : "lowest", all.size());
  return std::vector{std::move(leaf)};
}

/// Of a line three leaves, of another place one; none if the record has none.
Expected<std::vector<Leaf>> leaves_at(const Record& record, const Selector& place, const Parameters& bound) {
  if (place.kind == Kind::Line || place.kind == Kind::Reach) {
    const auto all = WARPCLOCK_TRY(points(cases_at(record, place, bound), place));
    return place.kind == Kind::Line ? line(all) : reach(all);
  }
  std::vector<Selected> all = selected(record, place, bound);
  std::erase_if(all, [](const Selected& one) { return one.cases.empty(); });
  return leaf_among(all, place);
}

/// `bound` are the parameters of the entry's name. The leaves of a rule: one named as the rule, or those of a line;
/// none if no record has them. Error "config" if several rows fit and the place does not say which is meant.
Expected<std::vector<Leaf>> leaves_of(const LeafRule& rule, const MeasuredGpu& records, const Parameters& bound) {
  const auto named = [&](std::vector<Leaf> leaves, const std::string& record) {
    for (Leaf& leaf : leaves) {
      leaf.name = leaf.name.empty() ? rule.name : rule.name + "." + leaf.name;
      leaf.record = record;
    }
    return leaves;
  };
  for (const Selector& place : rule.places) {
    if (place.kind == Kind::Instruction) {
      if (!records.instructions) continue;
      auto found = WARPCLOCK_TRY(leaf_among(selected(*records.instructions, place), place));
      if (!found.empty()) return named(std::move(found), "instructions.json");
      continue;
    }
    for (const auto& [file, record] : records.results) {
      auto found = WARPCLOCK_TRY(leaves_at(record, place, bound));
      if (!found.empty()) return named(std::move(found), file);
    }
  }
  return std::vector<Leaf>();
}

}  // namespace

std::vector<std::string> names_of(const LeafRule& rule) {
  if (rule.places.front().kind != Kind::Line) return {rule.name};
  return {rule.name + ".fixed", rule.name + ".per_byte", rule.name + ".misfit"};
}

namespace {

constexpr const char* machine_file = "machine.json";

/// A pipe and the row in which counters saw an opcode execute on it.
struct SeenPipe {
  std::string pipe, row;
};

/// By opcode, with its modifiers and without them: the pipe of most rows.
std::map<std::string, SeenPipe> seen_pipes(const Record& table) {
  std::map<std::string, std::map<std::string, std::pair<int, std::string>>> rows;
  for (const Row& row : table.rows) {
    if (row.outcome != Outcome::Measured || row.pipes.size() != 1) continue;
    for (const std::string& opcode : row.instruction.became) {
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

Leaf leaf_of(const Row& row, std::string name, const Estimate& cycles, std::string note = "") {
  return {std::move(name), cycles.value, cycles.low, cycles.high, "cycles", machine_file, {row.id}, std::move(note)};
}

Leaf leaf_of(const Row& row, std::string name, const IssueCell& cell) {
  return {std::move(name), cell.cycles, cell.low, cell.high, "cycles", machine_file, {row.id}};
}

/// "FFMA+LDS" of "pairs/FFMA+LDS, runs of 4".
std::string name_of(const std::string& id) {
  const std::size_t begin = id.find('/') + 1;
  return id.substr(begin, id.find(',', begin) - begin);
}

/// The number and the source operand of "latency.0" and "minimum_stall.0"; nothing of other names.
std::optional<std::pair<std::string, int>> of_operand(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const auto source = leading_number<int>(std::string_view(name).substr(dot + 1));
  return dot != name.npos && source ? std::optional(std::pair(name.substr(0, dot), *source)) : std::nullopt;
}

std::vector<Leaf> row_leaves(const Row& row) {
  std::vector<Leaf> leaves;
  for (const Estimate& one : row.estimates) {
    const auto number = of_operand(one.name);
    if (!number) continue;
    const auto& [name, source] = *number;
    const OperandPath* path = find_by(row.machine.paths, source, &OperandPath::source);
    const std::string through = path == nullptr || path->through.empty() ? "" : "returned by " + path->through;
    leaves.push_back(leaf_of(row, fmt::format("{}.{}", name, static_cast<char>('a' + source)), one, through));
  }
  if (const Estimate* interval = estimate_in(row, "interval")) {
    leaves.push_back(leaf_of(row, "interval", *interval, interval->note));
    // Where sub-partitions share a unit, a warp alone issues sooner than one of four.
    const MachinePart& machine = row.machine;
    const auto alone = std::ranges::find_if(machine.cells, [&](const IssueCell& cell) {
      return cell.warps == 1 && machine.at_once(cell) && cell.cycles > 0;
    });
    if (alone != machine.cells.end() && std::abs(alone->cycles - interval->value) > 0.01 * interval->value)
      leaves.push_back(leaf_of(row, "interval.one_warp", *alone));
  }
  return leaves;
}

/// An entry for each form of machine instruction with a number: `latency.a` and `minimum_stall.a` from its first source
/// operand, `interval`. Its pipe follows from rows of the instruction table with counters of a single pipe.
std::vector<Entry> instruction_entries(const Record& table, const Record* instructions) {
  std::map<std::string, SeenPipe> seen;
  if (instructions != nullptr) seen = seen_pipes(*instructions);
  std::vector<Entry> entries;
  for (const Row& row : rows_of(table, RowKind::Form)) {
    Entry entry;
    entry.name = row.id;
    entry.signal = row.machine.scoreboard ? "scoreboard" : "fixed";
    if (row.outcome == Outcome::Measured) entry.leaves = row_leaves(row);
    if (entry.leaves.empty()) continue;
    if (row.pipes.size() == 1) {
      entry.pipe = row.pipes.front();
      entry.pipe_row = row.id;
    } else {
      find_pipe(entry, seen);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// An entry for each producer and operand of a consumer, "IADD3->FFMA.A": `latency` by scoreboard or `minimum_stall`,
/// and `minimum_stall_among_warps`.
std::vector<Entry> dependence_entries(const Record& table) {
  std::vector<Entry> entries;
  for (const Row& row : rows_of(table, RowKind::Dependence)) {
    Entry entry;
    entry.name = name_of(row.id);
    entry.signal = "scoreboard";
    for (const Estimate& one : row.estimates) {
      const auto number = of_operand(one.name);
      if (!number) continue;
      entry.leaves.push_back(leaf_of(row, number->first, one));
      if (number->first == "minimum_stall") entry.signal = "fixed";
    }
    if (!entry.leaves.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

/// An entry for each pair of instructions, "FFMA+LDS": `cycles` of one of each that alternate, and `cycles.runs` in
/// runs.
std::vector<Entry> pair_entries(const Record& table) {
  std::vector<Entry> entries;
  for (const Row& pair : rows_of(table, RowKind::Pair)) {
    const Estimate* both = estimate_in(pair, "interval");
    if (both == nullptr) continue;
    Entry& entry = find_or_add(entries, name_of(pair.id), &Entry::name);
    entry.says = "one instruction of each kind on a sub-partition";
    entry.leaves.push_back(leaf_of(pair, pair.machine.run > 1 ? "cycles.runs" : "cycles", *both, both->note));
  }
  const auto add_groups = [&](RowKind kind, const char* where, const char* says) {
    for (const Row& one : rows_of(table, kind)) {
      const Estimate* both = estimate_in(one, "interval");
      if (both == nullptr) continue;
      Entry& entry = entries.emplace_back();
      entry.name = name_of(one.id) + where;
      entry.says = says;
      entry.leaves.push_back(leaf_of(one, "cycles", *both, both->note));
    }
  };
  add_groups(RowKind::WithMultiply, "",
             "a multiply of a warp group and copies of the other instruction on a sub-partition");
  add_groups(RowKind::BetweenWarps, " between warps",
             "copies of each instruction on a sub-partition, each in warps of its own");
  return entries;
}

/// The issue intervals of a pipe's form: `interval.warps4.stall1`, with `.yield` behind it if the yield hint was set.
Entry pipe_entry(const PipeRule& rule, const Record* table) {
  Entry entry;
  entry.name = rule.pipe;
  entry.says = "cycles between two instructions of a sub-partition, by the warps of the block: " + rule.form;
  if (table != nullptr) {
    const Row* row = find_by(table->rows, rule.form, &Row::id);
    if (row != nullptr && row->outcome == Outcome::Measured) {
      for (const IssueCell& cell : row->machine.cells) {
        if (!(cell.cycles > 0)) continue;
        const char* hint = cell.yield ? ".yield" : "";
        entry.leaves.push_back(
            leaf_of(*row, fmt::format("interval.warps{}.stall{}{}", cell.warps, cell.stall, hint), cell));
      }
    }
  }
  if (entry.leaves.empty()) entry.absent = {"interval"};
  return entry;
}

RecordSource source(const std::string& file, const Provenance& provenance, const DeviceFacts& device) {
  return {file, device.name, provenance.date, provenance.commit, provenance.driver, provenance.dirty};
}

StatedFacts stated(const DeviceFacts& device) {
  return {device.sms,          device.sm_clock_max_mhz, device.memory_clock_max_mhz, device.memory_bus_bits,
          device.memory_bytes, device.l2_bytes,         device.shared_per_sm_bytes,  device.shared_per_block_bytes};
}

/// The names in braces.
std::vector<std::string> parameters_in(const std::string& name) {
  std::vector<std::string> found;
  for (std::size_t at = name.find('{'); at != std::string::npos; at = name.find('{', at + 1)) {
    const std::size_t end = name.find('}', at);
    if (end == std::string::npos) break;
    found.push_back(name.substr(at + 1, end - at - 1));
  }
  return found;
}

/// The values that the parameters in an entry's name have together, in the order of the rows.
std::vector<Parameters> bindings(const EntryRule& rule, const MeasuredGpu& records) {
  const std::vector<std::string> names = parameters_in(rule.name);
  if (names.empty()) return {{}};
  std::vector<Parameters> found;
  const auto add = [&](const Row& row) {
    Parameters bound;
    for (const std::string& name : names) {
      if (const Value* value = find(row.parameters, name)) bound.emplace_back(name, *value);
    }
    if (bound.size() == names.size() && std::ranges::find(found, bound) == found.end()) found.push_back(bound);
  };
  for (const LeafRule& leaf : rule.leaves) {
    for (const Selector& place : leaf.places) {
      if (place.kind == Selector::Kind::Instruction) continue;
      for (const auto& [file, record] : records.results) {
        for (const Row* row : cases_at(record, place)) add(*row);
      }
    }
  }
  return found;
}

Expected<Entry> entry_of(const EntryRule& rule, const MeasuredGpu& records, const Parameters& bound) {
  Entry entry;
  entry.name = WARPCLOCK_TRY(substitute(rule.name, bound));
  entry.says = rule.says;
  for (const LeafRule& leaf : rule.leaves) {
    auto leaves = WARPCLOCK_TRY(leaves_of(leaf, records, bound));
    for (Leaf& one : leaves) entry.leaves.push_back(std::move(one));
    if (leaves.empty()) std::ranges::copy(names_of(leaf), std::back_inserter(entry.absent));
  }
  return entry;
}

Expected<void> fill(std::vector<Entry>& entries, const EntryRule& rule, const MeasuredGpu& records) {
  for (const Parameters& bound : bindings(rule, records)) {
    auto entry = entry_of(rule, records, bound);
    if (!entry) return fail(entry.error().code, rule.name + ": " + entry.error().text, rule.place);
    // A parameter of one leaf's rows need not be one of another's.
    if (entry->leaves.empty() && !bound.empty()) continue;
    if (std::ranges::find(entries, entry->name, &Entry::name) != entries.end())
      return fail("config", rule.name + ": there are two entries '" + entry->name + "'", rule.place);
    entries.push_back(*std::move(entry));
  }
  return {};
}

}  // namespace

Expected<Machine> make_machine(const MeasuredGpu& records) {
  const auto& config = known_model_config();
  if (!config) return std::unexpected(config.error());
  const auto table_of = [](const auto& table) { return table ? &*table : nullptr; };
  Machine machine;
  machine.folder = records.folder;
  const auto about = [&](const std::string& file, const Provenance& provenance, const DeviceFacts& device) {
    if (machine.records.empty()) {
      machine.gpu = device.name;
      machine.arch = device.arch;
      machine.stated = stated(device);
    }
    machine.records.push_back(source(file, provenance, device));
  };
  for (const auto& [file, record] : records.results) about(file, record.provenance, record.device);
  if (const auto& table = records.instructions) about("instructions.json", table->provenance, table->device);
  if (const auto& table = records.machine) about("machine.json", table->provenance, table->device);

  for (const PipeRule& rule : config->pipes) machine.pipes.push_back(pipe_entry(rule, table_of(records.machine)));
  if (records.machine) {
    machine.instructions = instruction_entries(*records.machine, table_of(records.instructions));
    machine.dependences = dependence_entries(*records.machine);
    machine.co_issue = pair_entries(*records.machine);
  }
  for (const auto& [section, rules] : config->sections) {
    const auto member = std::ranges::find(machine_sections, section, [](const auto& one) { return one.first; });
    for (const EntryRule& rule : rules) WARPCLOCK_TRY(fill(machine.*member->second, rule, records));
  }
  return machine;
}

}  // namespace warpclock
