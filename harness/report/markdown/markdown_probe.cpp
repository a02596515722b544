#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "record/outcome.hpp"
#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/feature_table.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

/// How often a premise held over all of a probe's cases.
struct Fate {
  std::string text;
  int held = 0, broken = 0;
  std::vector<double> values;
  std::vector<std::string> unknown;
};

std::string premise_lines(const ProbeOutline& probe) {
  std::vector<Fate> fates;
  for (const CaseRecord* row : probe.cases) {
    for (const Premise& premise : row->premises) {
      auto fate = std::ranges::find(fates, premise.text, &Fate::text);
      if (fate == fates.end()) fate = fates.insert(fate, Fate{premise.text, 0, 0, {}, {}});
      if (!premise.known) {
        fate->unknown.push_back(premise.why_unknown);
        continue;
      }
      ++(premise.held ? fate->held : fate->broken);
      fate->values.push_back(premise.value);
    }
  }
  std::string out;
  for (const Fate& fate : fates) {
    out += "- Premise: " + markdown_text(fate.text) + ".";
    if (!fate.values.empty()) {
      const auto [low, high] = std::ranges::minmax(fate.values);
      const std::string least = human_number(low, 6), most = human_number(high, 6);
      const std::string range = least == most ? least : least + " to " + most;
      out += fmt::format(" Held in {} of {} cases; seen: {}.", fate.held, fate.held + fate.broken, range);
    }
    if (!fate.unknown.empty()) {
      out += fmt::format(" Not checked in {}: {}.", fate.unknown.size(), markdown_text(fate.unknown.front()));
    }
    out += '\n';
  }
  return out;
}

std::string note_lines(const ProbeOutline& probe) {
  std::vector<std::pair<std::string, std::string>> notes;
  for (const CaseRecord* row : probe.cases) {
    for (const Measure& measure : row->measures) {
      const std::pair note(measure.name, measure.note);
      if (!measure.note.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
  }
  std::string out;
  for (const auto& [name, note] : notes) out += "- " + markdown_text(name) + ": " + markdown_text(note) + ".\n";
  return out;
}

std::string varying_lines(const ProbeOutline& probe) {
  std::string out;
  for (const Varying& varying : probe.varies) out += "- " + markdown_text(describe(varying)) + ".\n";
  return out;
}

/// Rows with the same reason are listed under it.
std::string reason_lines(const ProbeOutline& probe) {
  struct Group {
    Outcome outcome;
    Reason reason;
    std::vector<std::string> ids;
  };
  std::vector<Group> groups;
  for (const CaseRecord* row : probe.cases) {
    if (row->outcome == Outcome::Measured) continue;
    auto group = std::ranges::find_if(
        groups, [&](const Group& g) { return g.outcome == row->outcome && g.reason == row->reason; });
    if (group == groups.end()) group = groups.insert(group, Group{row->outcome, row->reason, {}});
    group->ids.push_back(markdown_code(row->id));
  }
  std::string out;
  for (const Group& group : groups) {
    std::string ids;
    for (const std::string& id : group.ids) ids += (ids.empty() ? "" : ", ") + id;
    out += fmt::format("- {} at {}, {}: {} ({})\n", word(group.outcome), markdown_text(group.reason.stage),
                       markdown_code(group.reason.code), markdown_text(group.reason.text), ids);
  }
  return out;
}

std::string markdown_found_table(const ProbeOutline& probe) {
  MarkdownTable table({"curve", "found", "#value", "between", "evidence", "answered by", "note"});
  for (const FeatureLine& line : feature_lines(probe)) {
    table.text_row({line.curve, line.name, line.value, line.interval, line.confidence, line.where, line.note});
  }
  return table.text();
}

}  // namespace

std::string opcode_summary(const WindowRecord& window) {
  std::vector<std::pair<std::string, int>> opcodes;
  for (const auto& opcode : window.opcodes) {
    const bool clock = opcode.first.starts_with("CS2R") || opcode.first.starts_with("S2UR");
    // A probe of the clock itself holds more than the two clock reads.
    if (!clock || opcode.second > 2) opcodes.push_back(opcode);
  }
  std::ranges::stable_sort(opcodes, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (std::size_t i = 0; i < opcodes.size() && i < 3; ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", opcodes[i].second, opcodes[i].first);
  }
  if (opcodes.size() > 3) out += fmt::format(", {} more", opcodes.size() - 3);
  return out.empty() ? "empty" : out;
}

std::string markdown_probe(const Record& record, const ProbeOutline& probe) {
  std::string out = "### " + markdown_text(probe.probe.name) + "\n\n";
  if (!probe.probe.asks.empty()) out += markdown_text(probe.probe.asks) + "\n\n";
  std::string fixed_parameters;
  for (const auto& [name, value] : probe.fixed) {
    fixed_parameters +=
        (fixed_parameters.empty() ? "" : ", ") + parameter_name(name) + " = " + parameter_text(name, value);
  }
  if (!fixed_parameters.empty()) out += "All with " + markdown_text(fixed_parameters) + ".\n\n";
  out += markdown_found_table(probe);
  out += markdown_published(record, probe.probe.name);
  out += markdown_numbers(probe) + markdown_layouts(probe);
  const std::string lines = note_lines(probe) + varying_lines(probe) + premise_lines(probe) + reason_lines(probe);
  return lines.empty() ? out : out + lines + "\n";
}

}  // namespace warpclock
