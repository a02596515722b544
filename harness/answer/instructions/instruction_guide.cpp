#include "answer/instructions/instruction_guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answer/instructions/instruction_cells.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

// The share of a documented rate that the project promises. A rate above `most` is a different rate.
constexpr double least = 0.98, most = 1.02;

const InstructionRecord* row_of(const InstructionTable& table, const std::string& id) {
  return find_by(table.rows, id, &InstructionRecord::id);
}

std::string trick_of(const InstructionRecord& row) {
  if (!row.forms.empty()) return "composed";
  const InstructionRun* run = row.throughput_run();
  return run ? run->trick : "";
}

bool lacks(const InstructionRecord& row) {
  return row.outcome == Outcome::Skipped && row.reason.code == ErrorCode::UnsupportedArch;
}

/// Fills in the rate of the plain form, the first; of another way to ask only where the first has none.
void measure(const GuideAsk& ask, const InstructionTable& table, GuideLine& line) {
  bool had = false;
  for (const std::string& id : ask.ids) {
    const InstructionRecord* row = row_of(table, id);
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

GuideComparison compare_with_guide(const Guide& guide, const InstructionTable& table) {
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
        const bool meant = rate->of.empty() || std::ranges::find(rate->of, ask.operation) != rate->of.end();
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
    if (!sentence.empty() && std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(sentence);
  }
  const auto explained = [](const GuideLine* line) { return differs(line) && !line->why.empty(); };
  const auto found = std::ranges::find_if(row.lines, explained);
  if (found != row.lines.end()) sentences.push_back((*found)->why);
  const std::string& unconfirmed = row.lines.front()->unconfirmed;
  if (!unconfirmed.empty()) sentences.push_back("unconfirmed: " + unconfirmed);
  return join(sentences, "; ");
}

}  // namespace warpclock
