#include "gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "answer/markdown_table.hpp"
#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "base/hash.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "fields/form_table.hpp"
#include "inspect/inspect.hpp"
#include "plan/arch.hpp"
#include "predict/prediction_output.hpp"

namespace warpclock {

namespace {

constexpr std::array<const char*, 6> verdict_words = {"same", "ok", "faster", "slower", "unclear", "no number"};

/// The instruction whose count differs most.
std::string executed_text(const GateRow& row) {
  std::string most;
  double by = 0, from = 0, to = 0;
  const auto compare = [&](const std::string& name, double before, double after) {
    if (std::abs(after - before) <= by) return;
    by = std::abs(after - before), from = before, to = after;
    most = name;
  };
  const auto of = [](const GateSide& side, const std::string& name) {
    const auto found = side.executed.find(name);
    return found == side.executed.end() ? 0.0 : found->second;
  };
  for (const auto& [name, count] : row.before.executed) compare(name, count, of(row.after, name));
  for (const auto& [name, count] : row.after.executed) compare(name, of(row.before, name), count);
  return most.empty() ? "" : fmt::format("{} executed {:.0f} -> {:.0f} times", most, from, to);
}

std::vector<std::string> changes_of(const GateRow& row) {
  const GateSide &a = row.before, &b = row.after;
  std::vector<std::string> out;
  const auto number = [&](const char* name, std::int64_t before, std::int64_t after) {
    if (before != after) out.push_back(fmt::format("{} {} -> {}", name, before, after));
  };
  number("launches", a.runs, b.runs);
  number("registers", a.registers, b.registers);
  number("spills", a.spills, b.spills);
  number("blocks per SM", a.blocks_per_sm, b.blocks_per_sm);
  if (a.limiter != b.limiter) out.push_back(fmt::format("limiter {} -> {}", a.limiter, b.limiter));
  if (std::string text = executed_text(row); !text.empty())
    out.push_back(std::move(text));
  else if (!row.same_code)
    out.emplace_back("the same instructions as often, with other operands, waits or in another order");
  return out;
}

std::string signed_percent(double share) {
  const double tenths = std::round(share * 1000) / 10;
  return fmt::format("{:+.1f}", tenths == 0 ? 0.0 : tenths);
}

}  // namespace

const char* to_string(GateVerdict verdict) { return verdict_words.at(static_cast<std::size_t>(verdict)); }

void take(GateSide& side, const Expected<Prediction>& one, std::int64_t runs) {
  if (!one) {
    side.cause = one.error().message();
  } else if (!one->low || !one->high) {
    side.cause =
        one->missing.empty() ? "no cause is known" : one->missing.front().why + "; " + one->missing.front().fix;
  } else if (side.cause.empty()) {
    const auto times = static_cast<double>(runs);
    side.low = side.low.value_or(0) + times * *one->low;
    side.high = side.high.value_or(0) + times * *one->high;
    if (times * *one->low > side.longest) {
      side.longest = times * *one->low;
      side.limiter = one->limiter;
      side.blocks_per_sm = one->blocks_per_sm;
    }
    for (const AnnotatedInstruction& each : one->instructions)
      if (each.executed > 0) side.executed[name_in(each.text)] += times * each.executed;
  }
  if (!side.cause.empty()) side.low = side.high = std::nullopt;
}

void take(GateSide& side, const KernelFacts& facts, const std::vector<std::string>& names) {
  const auto local = [](const std::string& name) { return name.starts_with("LDL") || name.starts_with("STL"); };
  side.registers = facts.registers;
  side.spills = static_cast<int>(facts.spills ? std::ssize(*facts.spills) : std::ranges::count_if(names, local));
}

void judge(GateRow& row, double most) {
  const GateSide &a = row.before, &b = row.after;
  if (!a.low || !b.low) {
    if (row.same_code) {
      row.verdict = GateVerdict::Same;
      row.changed = {"the same machine code, without a number: " + (a.cause.empty() ? b.cause : a.cause)};
      return;
    }
    row.verdict = GateVerdict::NoNumber;
    if (!a.cause.empty()) row.changed.push_back("before: " + a.cause);
    if (!b.cause.empty()) row.changed.push_back("after: " + b.cause);
    return;
  }
  const double at_low = *b.low / *a.low - 1, at_high = *b.high / *a.high - 1;
  row.change_low = std::min(at_low, at_high), row.change_high = std::max(at_low, at_high);
  const bool equal = row.same_code && *a.low == *b.low && *a.high == *b.high;
  // 103 cycles are not more than 3 % beyond 100.
  constexpr double rounding = 1e-9;
  const double limit = most + rounding;
  row.verdict = equal                      ? GateVerdict::Same
                : row.change_low > limit   ? GateVerdict::Slower
                : row.change_high > limit  ? GateVerdict::Unclear
                : row.change_high < -limit ? GateVerdict::Faster
                                           : GateVerdict::Within;
  std::vector<std::string> changed = equal ? std::vector<std::string>{"the same machine code"} : changes_of(row);
  std::ranges::move(changed, std::back_inserter(row.changed));
}

int status_of(const Gate& gate, bool unknown_passes) {
  const auto any = [&](GateVerdict verdict) {
    return std::ranges::find(gate.rows, verdict, &GateRow::verdict) != gate.rows.end();
  };
  if (any(GateVerdict::Slower)) return 1;
  return !unknown_passes && (any(GateVerdict::NoNumber) || any(GateVerdict::Unclear)) ? 2 : 0;
}

std::string counts_text(const Gate& gate) {
  std::vector<std::string> parts;
  for (const GateVerdict verdict : {GateVerdict::Slower, GateVerdict::NoNumber, GateVerdict::Unclear,
                                    GateVerdict::Faster, GateVerdict::Within, GateVerdict::Same}) {
    const auto count = std::ranges::count(gate.rows, verdict, &GateRow::verdict);
    const char* word = verdict == GateVerdict::NoNumber ? "without a number" : to_string(verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
  }
  return join(parts, ", ");
}

std::string change_text(const GateRow& row) {
  if (!row.before.low || !row.after.low) return {};
  const std::string low = signed_percent(row.change_low), high = signed_percent(row.change_high);
  return (low == high ? low : low + " to " + high) + " %";
}

std::string cycles_text(const GateSide& side) { return side.low ? range_text(*side.low, *side.high) : std::string(); }

namespace {

/// What comes of the machine code of one symbol.
struct Code {
  std::set<std::string> before, after;
};

std::string listed(const std::vector<std::string>& names, const char* what) {
  constexpr std::size_t most = 5;
  const std::size_t shown = std::min(most, names.size());
  std::string text =
      fmt::format("no launch covers {} {}: {}", names.size(), what, join(std::span(names).first(shown), ", "));
  return shown < names.size() ? text + ", …" : text;
}

/// The code of each kernel, with what else decides its time.
void add_codes(std::map<std::string, Code>& codes, const std::vector<BuildKernel>& kernels,
               std::set<std::string> Code::*build) {
  for (const BuildKernel& one : kernels)
    (codes[one.symbol].*build).insert(fmt::format("{} {} {}", one.code, one.facts.registers, one.facts.shared_bytes));
}

Expected<std::vector<GateRow>> rows_on(const GatedBuilds& builds, std::set<std::string>& covered) {
  const std::string& launches = builds.input.launches;
  if (!launches.empty() && !is_capture(launches)) return gate_cases(builds, covered);
  if (!launches.empty()) {
    const GateBuild of = WARPCLOCK_TRY(GateBuild::open(launches, builds.input.how));
    return gate_captures(builds, &of, covered);
  }
  if (!builds.before.capture())
    return fail("usage", "say by --launches FILE how the kernels are launched: YAML with `kernels:`, or a capture");
  return gate_captures(builds, builds.after.capture() ? nullptr : &builds.before, covered);
}

void add_note(Gate& gate, const std::string& note) {
  if (std::ranges::find(gate.notes, note) == gate.notes.end()) gate.notes.push_back(note);
}

}  // namespace

std::vector<std::string> not_covered(GateBuild& before, GateBuild& after, const std::set<std::string>& covered) {
  const auto compiled = [](const GateBuild& build) { return is_source(build.path()); };
  if (compiled(before) || compiled(after)) return {};
  const auto all = before.kernels(), others = after.kernels();
  if (!all || !others) return {};
  std::map<std::string, Code> codes;
  add_codes(codes, **all, &Code::before);
  add_codes(codes, **others, &Code::after);
  std::vector<std::string> differing, first, second, notes;
  for (const auto& [symbol, code] : codes) {
    if (covered.contains(symbol) || code.before == code.after) continue;
    (code.before.empty() ? second : code.after.empty() ? first : differing).push_back(readable_name(symbol));
  }
  if (!differing.empty()) notes.push_back(listed(differing, "of the kernels that differ"));
  if (!first.empty()) notes.push_back(listed(first, "that only the build before has"));
  if (!second.empty()) notes.push_back(listed(second, "that only the build after has"));
  return notes;
}

Expected<Gate> run_gate(const GateInput& input, const std::vector<Machine>& machines) {
  Gate gate{.before = input.before, .after = input.after, .launches = input.launches, .most = input.most};
  for (const Machine& machine : machines) {
    LoadOptions how = input.how;
    how.arch_given = true;
    how.arch = WARPCLOCK_TRY(parse_arch(machine.arch));
    GateBuild before = WARPCLOCK_TRY(GateBuild::open(input.before, how));
    GateBuild after = WARPCLOCK_TRY(GateBuild::open(input.after, how));
    GateInput on = input;
    on.how = how;
    std::set<std::string> covered;
    auto rows = WARPCLOCK_TRY(rows_on({on, machine, before, after}, covered));
    for (GateRow& row : rows) {
      row.gpu = machine.gpu;
      judge(row, input.most);
    }
    std::ranges::move(rows, std::back_inserter(gate.rows));
    if (input.patterns.empty())
      for (const std::string& note : not_covered(before, after, covered)) add_note(gate, note);
    for (const GateBuild* build : {&before, &after})
      for (const std::string& file : build->unread()) add_note(gate, "left out: " + file);
  }
  if (gate.rows.empty()) return fail("gate", "nothing is launched there", input.launches);
  return gate;
}

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
