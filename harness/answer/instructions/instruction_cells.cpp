#include "answer/instructions/instruction_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "answer/numbers/device_words.hpp"
#include "answer/numbers/figures.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/record.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {
namespace {

constexpr const char* separator = " \xC2\xB7 ";

// Rounds as the page's script does.
std::string to_a_tenth(double cycles) { return human_number(std::floor(cycles * 10 + 0.5) / 10, 6); }

}  // namespace

std::string operand_letter(int source) {
  constexpr int letters = 26;
  return source >= 0 && source < letters ? std::string(1, static_cast<char>('A' + source)) : std::to_string(source);
}

std::string machine_latencies(const MachineRow& row) {
  std::vector<std::string> pieces;
  for (const DependencyLatency& each : row.latencies) {
    if (each.cycles && std::isfinite(each.cycles->value))
      pieces.push_back(operand_letter(each.source) + ' ' + to_a_tenth(each.cycles->value));
  }
  return join(pieces, separator);
}

std::string issue_interval_text(const MachineRow& row) {
  return row.interval && std::isfinite(row.interval->value) ? human_number(row.interval->value, 4) : std::string();
}

bool has_numbers(const MachineRow& row) {
  return row.interval || std::ranges::any_of(row.latencies, [](const DependencyLatency& each) {
           return each.cycles || each.least_right;
         });
}

Error why_none(const MachineRow& row) {
  if (row.reason) return *row.reason;
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (!note.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  };
  for (const DependencyLatency& each : row.latencies) add(each.note);
  for (const IssueCell& each : row.cells) add(each.note);
  return {"no-number", join(notes, "; "), ""};
}

MachineCounts count_rows(const MachineTable& table) {
  MachineCounts out;
  out.rows = table.rows.size();
  std::map<std::string, std::size_t> without;
  for (const MachineRow& row : table.rows) {
    out.intervals += row.interval.has_value();
    out.complete += !row.latencies.empty() &&
                    std::ranges::all_of(row.latencies, [](const auto& each) { return each.cycles.has_value(); });
    if (has_numbers(row)) {
      ++out.measured;
    } else {
      ++without[why_none(row).code];
    }
  }
  out.without.assign(without.begin(), without.end());
  std::ranges::stable_sort(out.without, std::greater(), &std::pair<std::string, std::size_t>::second);
  return out;
}

namespace {

/// `interval` is the reciprocal of the throughput, and `saturation` a point of a grid.
bool is_compared(const std::string& estimate) {
  return estimate.starts_with("latency.") || estimate == "throughput" || estimate == "issue";
}

bool has_chosen_values(const InstructionRecord& row) { return row.id.ends_with(']') && row.id.contains('='); }

}  // namespace

std::string timed_code(const TabledRow& of, const std::string& estimate) {
  const InstructionRecord& row = of.row;
  if (!row.forms.empty()) return row.forms.front();
  const auto own = std::ranges::find(row.runs, estimate, &InstructionRun::measure);
  const InstructionRun* run = own == row.runs.end() ? row.throughput_run() : &*own;
  if (run == nullptr || run->sass_hash.empty()) return {};
  return has_chosen_values(row) ? run->sass_hash + ' ' + of.table.provenance.commit : run->sass_hash;
}

std::vector<std::string> of_other_code(const TabledRow& one, const TabledRow& other) {
  std::vector<std::string> names;
  if (one.row.arch != other.row.arch) return names;
  if (one.row.outcome != Outcome::Measured || other.row.outcome != Outcome::Measured) return names;
  for (const Estimate& estimate : one.row.estimates) {
    const Estimate* second = find_by(other.row.estimates, estimate.name, &Estimate::name);
    if (second == nullptr || !is_compared(estimate.name)) continue;
    if (estimate.low <= second->high && second->low <= estimate.high) continue;
    const std::string code = timed_code(one, estimate.name), others = timed_code(other, estimate.name);
    if (!code.empty() && !others.empty() && code != others) names.push_back(estimate.name);
  }
  return names;
}

std::string other_code_in_words(const TabledRow& one, const TabledRow& other) {
  constexpr std::size_t digits = 8;
  const std::vector<std::string> names = of_other_code(one, other);
  if (names.empty()) return {};
  return fmt::format("{}: no comparison with {}, whose record timed other machine code (commits {} and {})",
                     join(names, ", "), name_of(other.table.device), one.table.provenance.commit.substr(0, digits),
                     other.table.provenance.commit.substr(0, digits));
}

namespace {

constexpr std::string_view latency_prefix = "latency.";

/// Calls `body(begin, end)` for each `{name}`, including the braces.
template <class Body>
void each_placeholder(std::string_view ptx, Body body) {
  for (std::size_t at = ptx.find('{'); at != std::string_view::npos; at = ptx.find('{', at + 1)) {
    std::size_t end = at + 1;
    while (end < ptx.size() && (std::isalnum(static_cast<unsigned char>(ptx[end])) || ptx[end] == '_')) ++end;
    if (end > at + 1 && end < ptx.size() && ptx[end] == '}') body(at, end + 1);
  }
}

/// 2048 of "m16n8k16".
std::optional<double> products_of_shape(std::string_view word) {
  double product = 1;
  for (const char side : {'m', 'n', 'k'}) {
    if (!word.starts_with(side)) return std::nullopt;
    int length = 0;
    const auto [end, status] = std::from_chars(word.data() + 1, word.data() + word.size(), length);
    if (status != std::errc() || length <= 0) return std::nullopt;
    product *= length;
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  }
  return word.empty() ? std::optional(product) : std::nullopt;
}

// Rounds halves up, as the page's script does. Only quarters can be halfway between two tenths.
std::string tenths(double value) {
  const bool between = std::abs(std::fmod(value * 4, 2)) == 1;
  return fixed(between ? std::nextafter(value, std::numeric_limits<double>::infinity()) : value, 1);
}

}  // namespace

const Estimate* published(const InstructionRecord& row, std::string_view name) {
  if (row.outcome != Outcome::Measured) return nullptr;
  return find_by(row.estimates, name, &Estimate::name);
}

std::vector<OperandLatency> latencies(const InstructionRecord& row) {
  std::vector<OperandLatency> out;
  if (row.outcome != Outcome::Measured) return out;
  for (const Estimate& e : row.estimates) {
    if (!e.name.starts_with(latency_prefix)) continue;
    const std::string operand = e.name.substr(latency_prefix.size());
    const Estimate* own = published(row, "encoded." + operand);
    out.push_back({operand, &e, own != nullptr ? own : published(row, "encoded")});
  }
  return out;
}

std::string latency_list(const InstructionRecord& row) {
  return join(mapped(latencies(row),
                     [](const OperandLatency& each) { return each.operand + '=' + tenths(each.measured->value); }),
              " ");
}

std::string encoded_list(const InstructionRecord& row) {
  std::vector<std::string> pieces;
  for (const OperandLatency& each : latencies(row)) {
    if (each.encoded) pieces.push_back(each.operand + '=' + human_number(each.encoded->value, 6));
  }
  return join(pieces, " ");
}

std::string latency_groups(const InstructionRecord& row) {
  std::vector<std::pair<std::string, std::string>> groups;  // value; operands
  for (const OperandLatency& each : latencies(row))
    find_or_add(groups, tenths(each.measured->value)) += each.operand + ' ';
  std::vector<std::string> pieces;
  for (const auto& [value, operands] : groups) pieces.push_back(operands + value);
  return join(pieces, ", ");
}

std::optional<double> multiply_adds(const InstructionRecord& row) {
  const Estimate* rate = published(row, "throughput");
  const bool product = row.ptx.starts_with("mma.") || row.ptx.starts_with("wmma.mma.");
  // A warp executes four of these products of f16 at once.
  const bool of_quads = row.ptx.contains(".m8n8k4.") && !row.ptx.contains(".f64");
  if (rate == nullptr || !product || of_quads) return std::nullopt;
  for (const std::string& part : split(row.ptx.substr(0, row.ptx.find(' ')), '.'))
    if (const auto size = products_of_shape(part)) return rate->value / 32 * *size;
  return std::nullopt;
}

std::string rate_window(const InstructionRecord& row) {
  const Estimate* rate = published(row, "throughput");
  if (!rate) return {};
  if (!row.forms.empty()) return "composed";
  constexpr std::string_view before = " warps x ";
  const std::size_t at = rate->note.find(before);
  if (at == std::string::npos) return {};
  const std::string measure = "throughput.ilp" + rate->note.substr(at + before.size());
  for (const InstructionRun& run : row.runs) {
    if (run.measure == measure && run.verified()) return run.trick;
  }
  return {};
}

namespace {

/// Other opcodes of which the copies of a latency are: ptxas uses several for one operation to balance the pipes, so
/// the latency is a mean over them. Only of instructions that became one machine instruction.
std::vector<std::string> alternatives(const InstructionRecord& row) {
  std::vector<std::string> others;
  if (row.became.size() != 1) return others;
  const std::string& own = row.became.front();
  for (const InstructionRun& run : row.runs) {
    if (!run.verified() || !run.measure.starts_with(latency_prefix)) continue;
    for (const auto& [opcode, count] : run.opcodes) {
      const bool links = std::ranges::any_of(run.via, [&](const auto& link) { return link.first == opcode; });
      // A single one may be the compiler's, where the chain begins or ends.
      if (links || count < 2 || opcode == own || kind_of(opcode) != kind_of(own)) continue;
      if (std::ranges::find(others, opcode) == others.end()) others.push_back(opcode);
    }
  }
  return others;
}

}  // namespace

std::vector<std::string> labels_of(const InstructionRecord& row) {
  std::vector<std::string> labels = row.labels;
  if (std::ranges::any_of(labels, [](const std::string& label) { return label.starts_with("alternates with "); }))
    return labels;
  if (const auto others = alternatives(row); !others.empty()) labels.push_back("alternates with " + join(others, ", "));
  return labels;
}

std::string opcode_groups(const std::vector<std::string>& opcodes, std::string_view times) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < opcodes.size();) {
    std::size_t end = at + 1;
    while (end < opcodes.size() && opcodes[end] == opcodes[at]) ++end;
    pieces.push_back(end - at == 1 ? opcodes[at] : fmt::format("{} {}{}", opcodes[at], times, end - at));
    at = end;
  }
  return join(pieces, ", ");
}

std::string plain_ptx(std::string_view ptx) {
  std::string out;
  std::size_t done = 0;
  each_placeholder(ptx, [&](std::size_t begin, std::size_t end) {
    out += ptx.substr(done, begin - done);
    out += ptx.substr(begin + 1, end - begin - 2);
    done = end;
  });
  return out += ptx.substr(done);
}

std::vector<std::string> placeholders(std::string_view ptx) {
  std::vector<std::string> out;
  each_placeholder(ptx, [&](std::size_t begin, std::size_t end) {
    const std::string name(ptx.substr(begin + 1, end - begin - 2));
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  });
  return out;
}

std::vector<InstructionFamily> families(const InstructionTable& table) {
  std::vector<InstructionFamily> out;
  for (const InstructionRecord& row : table.rows) {
    auto family = std::ranges::find(out, row.family, &InstructionFamily::name);
    if (family == out.end()) family = out.insert(out.end(), {row.family, {}});
    family->rows.push_back(&row);
  }
  return out;
}

}  // namespace warpclock
