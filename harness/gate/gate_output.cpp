#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "answer/markdown_table.hpp"
#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "base/hash.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "gate/gate.hpp"

namespace warpclock {
namespace {

Tone tone_of(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::Slower:
      return Tone::Bad;
    case GateVerdict::Unclear:
    case GateVerdict::NoNumber:
      return Tone::Doubtful;
    case GateVerdict::Faster:
      return Tone::Good;
    default:
      return Tone::Plain;
  }
}

std::string percent(double share) { return human_number(100 * share) + " %"; }

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Sheet gate_sheet(const Gate& gate) {
  Sheet sheet;
  sheet.facts = {{"before", "", gate.before},
                 {"after", "", gate.after},
                 {"launches", "", gate.launches},
                 {"max", "limit", {percent(gate.most) + " slower", gate.most}}};
  Table rows{.key = "kernels",
             .title = counts_text(gate),
             .columns = columns({"verdict", "kernel", "gpu|GPU", "#before", "#after", "#change", "changed",
                                 "-before_low", "-before_high", "-after_low", "-after_high", "-change_low",
                                 "-change_high", "-file", "-line"})};
  const bool several = std::ranges::any_of(gate.rows, [&](const GateRow& row) { return row.gpu != gate.rows[0].gpu; });
  if (!several) rows.columns[2].audience = Audience::Programs;
  if (!several && !gate.rows.empty()) sheet.facts.push_back({"costs", "costs of", gate.rows[0].gpu, Audience::People});
  for (const GateRow& row : gate.rows) {
    const bool both = row.before.low && row.after.low;
    rows.rows.push_back(
        {Cell(to_string(row.verdict)).with(tone_of(row.verdict)), row.name, row.gpu, cycles_text(row.before),
         cycles_text(row.after), change_text(row), join(row.changed, "; "), Cell("", or_null(row.before.low)),
         Cell("", or_null(row.before.high)), Cell("", or_null(row.after.low)), Cell("", or_null(row.after.high)),
         Cell("", both ? Json(row.change_low) : Json()), Cell("", both ? Json(row.change_high) : Json()), row.file,
         Cell("", row.line > 0 ? Json(row.line) : Json())});
  }
  sheet.tables.push_back(std::move(rows));
  sheet.notes = gate.notes;
  return sheet;
}

std::string gate_markdown(const Gate& gate) {
  const int status = status_of(gate, false);
  std::string out(markdown_mark);
  out += fmt::format("\n### {}\n\nPredicted cycles of {} (before) and {} (after); a kernel may be {} slower. {}.\n\n",
                     status == 1   ? "Kernels are slower"
                     : status == 2 ? "Some kernels cannot be judged"
                                   : "No kernel is slower",
                     markdown_code(gate.before), markdown_code(gate.after), percent(gate.most),
                     markdown_text(counts_text(gate)));
  MarkdownTable table({"verdict", "kernel", "GPU", "#before", "#after", "#change", "what changed"});
  for (const GateRow& row : gate.rows)
    table.row({row.verdict == GateVerdict::Slower ? "**slower**" : to_string(row.verdict), markdown_code(row.name),
               markdown_text(row.gpu), cycles_text(row.before), cycles_text(row.after), change_text(row),
               markdown_text(join(row.changed, "; "))});
  out += table.text();
  for (const std::string& note : gate.notes) out += "- " + markdown_text(note) + "\n";
  return out;
}

namespace {

/// The rules of SARIF, by the verdict.
struct Rule {
  GateVerdict verdict;
  const char* id;
  const char* says;
  const char* level;
};

constexpr std::array<Rule, 3> rules = {
    {{GateVerdict::Slower, "kernel-slower", "A kernel takes more cycles than the limit allows.", "error"},
     {GateVerdict::Unclear, "kernel-unclear",
      "A kernel is slower than the limit allows at one end of its range, and not at the other.", "warning"},
     {GateVerdict::NoNumber, "kernel-without-number", "No cycles are predicted for a kernel in one of the builds.",
      "warning"}}};

/// One line: "scale[size=64] on NVIDIA H200: 410 -> 450 cycles, +9.8 %; registers 10 -> 12".
std::string sentence(const GateRow& row) {
  std::string text = fmt::format("{} on {}: {}", row.name, row.gpu, to_string(row.verdict));
  if (row.before.low && row.after.low)
    text += fmt::format(", {} -> {} cycles, {}", cycles_text(row.before), cycles_text(row.after), change_text(row));
  return row.changed.empty() ? text : text + "; " + join(row.changed, "; ");
}

/// A path within a repository, as a URI.
std::string uri_of(const std::string& file) {
  const std::string path = std::filesystem::path(file).lexically_normal().generic_string();
  return (path.starts_with('/') ? "file://" : "") + percent_encoded(path);
}

Json location_of(const GateRow& row) {
  Json place = {{"artifactLocation", {{"uri", uri_of(row.file)}}}};
  if (row.line > 0) place["region"] = {{"startLine", row.line}};
  return {{"physicalLocation", std::move(place)}};
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escape(value));
}

/// How many test cases fail, in the ways in which they do.
struct Outcomes {
  std::ptrdiff_t tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(GateVerdict verdict, bool unknown_passes) {
    const bool unknown = verdict == GateVerdict::Unclear || verdict == GateVerdict::NoNumber;
    ++tests;
    failures += verdict == GateVerdict::Slower ? 1 : 0;
    errors += unknown && !unknown_passes ? 1 : 0;
    skipped += unknown && unknown_passes ? 1 : 0;
  }
  [[nodiscard]] std::string attributes() const {
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures, errors, skipped);
  }
};

std::string test_case(const GateRow& row, bool unknown_passes) {
  std::string out = "    <testcase" + attribute("classname", row.gpu) + attribute("name", row.name);
  if (row.line > 0) out += attribute("file", row.file) + fmt::format(" line=\"{}\"", row.line);
  out += ">\n";
  const std::string text = sentence(row);
  Outcomes one;
  one.add(row.verdict, unknown_passes);
  const char* element = one.failures > 0 ? "failure" : one.errors > 0 ? "error" : "skipped";
  if (one.failures + one.errors + one.skipped > 0)
    out += fmt::format("      <{0}{1}{2}>{3}</{0}>\n", element, attribute("message", text),
                       one.skipped > 0 ? "" : attribute("type", to_string(row.verdict)), escape(text));
  else
    out += "      <system-out>" + escape(text) + "</system-out>\n";
  return out + "    </testcase>\n";
}

}  // namespace

std::string gate_sarif(const Gate& gate) {
  Json of_rules = Json::array(), results = Json::array();
  for (const Rule& rule : rules)
    of_rules.push_back({{"id", rule.id},
                        {"shortDescription", {{"text", rule.says}}},
                        {"defaultConfiguration", {{"level", rule.level}}}});
  for (const GateRow& row : gate.rows) {
    const auto rule = std::ranges::find(rules, row.verdict, &Rule::verdict);
    if (rule == rules.end()) continue;
    results.push_back({{"ruleId", rule->id},
                       {"ruleIndex", rule - rules.begin()},
                       {"level", rule->level},
                       {"message", {{"text", sentence(row)}}},
                       {"locations", Json::array({location_of(row)})},
                       {"partialFingerprints", {{"kernel/v1", hash_hex(row.name + "\n" + row.gpu)}}}});
  }
  Json driver = {{"name", "warpclock"}, {"version", version().version}, {"rules", std::move(of_rules)}};
  Json run = {{"tool", {{"driver", std::move(driver)}}}, {"results", std::move(results)}};
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({std::move(run)})}};
  return compact(log) + "\n";
}

std::string gate_junit(const Gate& gate, bool unknown_passes) {
  std::vector<std::string> gpus;
  Outcomes all;
  for (const GateRow& row : gate.rows) {
    if (std::ranges::find(gpus, row.gpu) == gpus.end()) gpus.push_back(row.gpu);
    all.add(row.verdict, unknown_passes);
  }
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"warpclock gate\"" + all.attributes() + ">\n";
  for (const std::string& gpu : gpus) {
    Outcomes some;
    std::string cases;
    for (const GateRow& row : gate.rows) {
      if (row.gpu != gpu) continue;
      some.add(row.verdict, unknown_passes);
      cases += test_case(row, unknown_passes);
    }
    out += "  <testsuite" + attribute("name", gpu) + some.attributes() + ">\n" + cases + "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace warpclock
