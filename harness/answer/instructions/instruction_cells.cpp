#include "answer/instructions/instruction_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

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

std::string machine_latencies(const Row& row) {
  std::vector<std::string> pieces;
  for (const OperandPath& path : row.machine.paths) {
    const Estimate* latency = estimate_in(row, fmt::format("latency.{}", path.source));
    if (latency != nullptr && std::isfinite(latency->value))
      pieces.push_back(operand_letter(path.source) + ' ' + to_a_tenth(latency->value));
  }
  return join(pieces, separator);
}

std::string issue_interval_text(const Row& row) {
  const Estimate* interval = estimate_in(row, "interval");
  return interval != nullptr && std::isfinite(interval->value) ? human_number(interval->value, 4) : std::string();
}

MachineCounts count_rows(const Record& table) {
  MachineCounts out;
  std::map<std::string, std::size_t> without;
  for (const Row& row : rows_of(table, RowKind::Form)) {
    ++out.rows;
    out.intervals += estimate_in(row, "interval") != nullptr;
    out.complete += !row.machine.paths.empty() && std::ranges::all_of(row.machine.paths, [&](const OperandPath& path) {
      return estimate_in(row, fmt::format("latency.{}", path.source)) != nullptr;
    });
    if (row.outcome == Outcome::Measured)
      ++out.measured;
    else
      ++without[row.reason.code];
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

bool has_chosen_values(const Row& row) { return row.id.ends_with(']') && row.id.contains('='); }

}  // namespace

std::string timed_code(const TabledRow& of, const std::string& estimate) {
  const Row& row = of.row;
  if (!row.forms.empty()) return row.forms.front();
  const auto own = std::ranges::find(row.instruction.runs, estimate, &InstructionRun::measure);
  const InstructionRun* run = own == row.instruction.runs.end() ? row.instruction.throughput_run() : &*own;
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

std::vector<OperandLatency> latencies(const Row& row) {
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

std::string latency_list(const Row& row) {
  return join(mapped(latencies(row),
                     [](const OperandLatency& each) { return each.operand + '=' + tenths(each.measured->value); }),
              " ");
}

std::string encoded_list(const Row& row) {
  std::vector<std::string> pieces;
  for (const OperandLatency& each : latencies(row)) {
    if (each.encoded) pieces.push_back(each.operand + '=' + human_number(each.encoded->value, 6));
  }
  return join(pieces, " ");
}

std::string latency_groups(const Row& row) {
  std::vector<std::pair<std::string, std::string>> groups;  // value; operands
  for (const OperandLatency& each : latencies(row))
    find_or_add(groups, tenths(each.measured->value)) += each.operand + ' ';
  std::vector<std::string> pieces;
  for (const auto& [value, operands] : groups) pieces.push_back(operands + value);
  return join(pieces, ", ");
}

std::optional<double> multiply_adds(const Row& row) {
  const Estimate* rate = published(row, "throughput");
  const bool product = row.ptx.starts_with("mma.") || row.ptx.starts_with("wmma.mma.");
  // A warp executes four of these products of f16 at once.
  const bool of_quads = row.ptx.contains(".m8n8k4.") && !row.ptx.contains(".f64");
  if (rate == nullptr || !product || of_quads) return std::nullopt;
  for (const std::string& part : split(row.ptx.substr(0, row.ptx.find(' ')), '.'))
    if (const auto size = products_of_shape(part)) return rate->value / 32 * *size;
  return std::nullopt;
}

std::string rate_window(const Row& row) {
  const Estimate* rate = published(row, "throughput");
  if (!rate) return {};
  if (!row.forms.empty()) return "composed";
  constexpr std::string_view before = " warps x ";
  const std::size_t at = rate->note.find(before);
  if (at == std::string::npos) return {};
  const std::string measure = "throughput.ilp" + rate->note.substr(at + before.size());
  for (const InstructionRun& run : row.instruction.runs) {
    if (run.measure == measure && run.verified()) return run.trick;
  }
  return {};
}

namespace {

/// Other opcodes of which the copies of a latency are: ptxas uses several for one operation to balance the pipes, so
/// the latency is a mean over them. Only of instructions that became one machine instruction.
std::vector<std::string> alternatives(const Row& row) {
  std::vector<std::string> others;
  if (row.instruction.became.size() != 1) return others;
  const std::string& own = row.instruction.became.front();
  for (const InstructionRun& run : row.instruction.runs) {
    if (!run.verified() || !run.measure.starts_with(latency_prefix)) continue;
    for (const auto& [opcode, count] : run.opcodes) {
      const bool links = std::ranges::any_of(run.via, [&](const auto& link) { return link.first == opcode; });
      // A single one may be the compiler's, where the chain begins or ends.
      if (links || count < 2 || opcode == own || kind_of(opcode) != kind_of(own)) continue;
      if (!contains(others, opcode)) others.push_back(opcode);
    }
  }
  return others;
}

}  // namespace

std::vector<std::string> labels_of(const Row& row) {
  std::vector<std::string> labels = row.instruction.labels;
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
    if (!contains(out, name)) out.push_back(name);
  });
  return out;
}

namespace {

// The share of a documented rate that the project promises. A rate above `most` is a different rate.
constexpr double least = 0.98, most = 1.02;

const Row* row_of(const Record& table, const std::string& id) { return find_by(table.rows, id, &Row::id); }

std::string trick_of(const Row& row) {
  if (!row.forms.empty()) return "composed";
  const InstructionRun* run = row.instruction.throughput_run();
  return run ? run->trick : "";
}

bool lacks(const Row& row) { return row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::UnsupportedArch; }

/// Fills in the rate of the plain form, the first; of another way to ask only where the first has none.
void measure(const GuideAsk& ask, const Record& table, GuideLine& line) {
  bool had = false;
  for (const std::string& id : ask.ids) {
    const Row* row = row_of(table, id);
    if (row == nullptr) continue;
    had = had || !lacks(*row);
    const Estimate* rate = published(*row, "throughput");
    if (rate == nullptr || !std::isfinite(rate->value) || !(rate->value > 0)) continue;
    line.id = id;
    line.measured = rate->value * ask.results;
    line.low = rate->low * ask.results;
    line.high = rate->high * ask.results;
    line.trick = trick_of(*row);
    return;
  }
  const auto is_there = [&](const std::string& id) { return row_of(table, id) != nullptr; };
  line.verdict = had || std::ranges::none_of(ask.ids, is_there) ? "not measured" : "no counterpart";
}

void judge(GuideLine& line) {
  if (!line.verdict.empty()) return;
  if (line.documented <= 0) {
    line.verdict = "no rate";
    return;
  }
  line.ratio = line.measured / line.documented;
  line.verdict = line.ratio < least ? "below" : line.ratio > most ? "above" : "meets";
}

bool any(const GuideRowLines& row, std::string_view verdict) {
  return std::ranges::any_of(row.lines, [&](const GuideLine* line) { return line->verdict == verdict; });
}

bool differs(const GuideLine* line) { return line->verdict == "below" || line->verdict == "above"; }

bool all_explained(const GuideRowLines& row) {
  return std::ranges::none_of(row.lines, [](const GuideLine* line) { return differs(line) && line->why.empty(); });
}

void add(std::string& text, const char* what, const std::vector<std::string>& names) {
  if (!names.empty()) text += fmt::format("; {}: {}", what, join(names, ", "));
}

}  // namespace

GuideComparison compare_with_guide(const Guide& guide, const Record& table) {
  GuideComparison comparison;
  if (guide.rows.empty()) return comparison;
  comparison.title = guide.title;
  const Expected<Arch> arch = parse_arch(table.device.arch);
  const auto has_column = [&](const GuideRow& row) { return rate_for(row, *arch) != nullptr; };
  if (!arch || std::ranges::none_of(guide.rows, has_column)) {
    comparison.missing = fmt::format("the table has no column for {}", table.device.arch);
    return comparison;
  }
  for (const GuideRow& row : guide.rows) {
    const GuideRate* rate = rate_for(row, *arch);
    for (const GuideAsk& ask : row.asks) {
      GuideLine line;
      line.row = row.name;
      line.brief = row.brief;
      line.operation = ask.operation;
      line.id = ask.ids.front();
      line.results = ask.results;
      line.because = ask.because;
      if (rate != nullptr) {
        line.documented = rate->rate;
        line.several = rate->rate <= 0;
        line.source = rate->source;
        line.unconfirmed = rate->unconfirmed;
        const bool meant = rate->of.empty() || contains(rate->of, ask.operation);
        if (meant) line.why = rate->why;
      }
      measure(ask, table, line);
      judge(line);
      comparison.lines.push_back(std::move(line));
    }
  }
  return comparison;
}

std::vector<GuideRowLines> guide_rows(const GuideComparison& comparison) {
  std::vector<GuideRowLines> rows;
  for (const GuideLine& line : comparison.lines) {
    if (rows.empty() || rows.back().name != line.row) rows.push_back({line.row, {}});
    rows.back().lines.push_back(&line);
  }
  return rows;
}

std::string guide_summary(const GuideComparison& comparison) {
  if (!comparison.missing.empty()) return comparison.missing;
  std::size_t all = 0, good = 0;
  std::vector<std::string> below, explained, above, unknown, without;
  for (const GuideRowLines& row : guide_rows(comparison)) {
    const std::string& name = row.lines.front()->brief;
    if (row.lines.front()->documented <= 0) {
      without.push_back(name);
      continue;
    }
    ++all;
    if (any(row, "below")) {
      (all_explained(row) ? explained : below).push_back(name);
    } else if (any(row, "above")) {
      ++good;
      (all_explained(row) ? explained : above).push_back(name);
    } else if (any(row, "meets") && !any(row, "not measured")) {
      ++good;
    } else {
      unknown.push_back(name);
    }
  }
  if (all == 0) return "";
  std::string text = fmt::format("{} of {} rows at {:g} % or more", good, all, least * 100);
  add(text, "below", below);
  add(text, "above", above);
  add(text, "another rate, explained", explained);
  add(text, "not measured", unknown);
  add(text, "no documented rate", without);
  return text;
}

GuideCells guide_cells(const GuideLine& line) {
  GuideCells cells;
  cells.documented = line.several ? "several" : line.documented > 0 ? human_number(line.documented, 6) : "";
  if (line.measured > 0) {
    cells.measured = human_number(line.measured, 4);
    if (line.results > 1) cells.measured += fmt::format(" ({} each)", line.results);
    cells.interval = fmt::format("{} \xE2\x80\x93 {}", human_number(line.low, 4), human_number(line.high, 4));
  }
  if (line.ratio > 0) cells.ratio = fmt::format("{:.3f}", line.ratio);
  cells.verdict = line.verdict;
  if (!line.trick.empty() && differs(&line)) cells.verdict += ", " + line.trick;
  return cells;
}

std::string guide_note(const GuideRowLines& row) {
  std::vector<std::string> sentences;
  for (const GuideLine* line : row.lines) {
    const std::string sentence = line->because;
    if (!sentence.empty() && !contains(sentences, sentence)) sentences.push_back(sentence);
  }
  const auto explained = [](const GuideLine* line) { return differs(line) && !line->why.empty(); };
  const auto found = std::ranges::find_if(row.lines, explained);
  if (found != row.lines.end()) sentences.push_back((*found)->why);
  const std::string& unconfirmed = row.lines.front()->unconfirmed;
  if (!unconfirmed.empty()) sentences.push_back("unconfirmed: " + unconfirmed);
  return join(sentences, "; ");
}

}  // namespace warpclock
