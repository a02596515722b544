#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json/json_text.hpp"
#include "base/terminal.hpp"
#include "report/compare.hpp"

namespace warpclock {
namespace {

std::string percent_text(const Difference& d) {
  if (d.before == 0 || !std::isfinite(d.before) || !std::isfinite(d.after)) return "";
  return fmt::format("{:+.2f} %", 100 * (d.after - d.before) / std::abs(d.before));
}

/// Left-aligned columns, two blanks apart.
std::string table(const std::vector<std::array<std::string, 7>>& rows) {
  std::array<std::size_t, 7> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

std::string compare_text(const Comparison& comparison) {
  std::string out;
  if (!comparison.disagreements.empty()) {
    std::vector<std::array<std::string, 7>> rows = {
        {"case", "number", "before", "after", "change", "allowed", "verdict"}};
    for (const Difference& d : comparison.disagreements) {
      rows.push_back({d.id, d.estimate, fmt::format("{:.6g}", d.before), fmt::format("{:.6g}", d.after),
                      percent_text(d), fmt::format("{:.3g} {} ({})", d.tolerance, d.unit, word(d.kind)),
                      fmt::format("{}{}{}", word(d.agreement), d.why.empty() ? "" : ": ", d.why)});
    }
    out += table(rows) + '\n';
  }
  for (const OutcomeChange& change : comparison.outcomes) {
    out += fmt::format("{}: {} before, {} after\n", change.id, change.before, change.after);
  }
  if (!comparison.outcomes.empty()) out += '\n';
  if (!comparison.other_code.empty()) {
    out += fmt::format("{} timed other machine code than before: {}{}\n",
                       counted(std::ssize(comparison.other_code), "case"), comparison.other_code.front(),
                       comparison.other_code.size() > 1 ? ", ..." : "");
  }
  if (comparison.added > 0) {
    out += fmt::format("{} of curves {} in one record only: each run adds some near the steps that it finds\n",
                       counted(comparison.added, "point"), comparison.added == 1 ? "is" : "are");
  }
  out += comparison.gpu + "\n";
  return out +
         fmt::format("of the numbers, {} agree, {} vary for a stated reason, {} differ; {} changed their outcome\n",
                     comparison.same, comparison.varies, comparison.differs,
                     counted(std::ssize(comparison.outcomes), "case"));
}

std::string compare_json(const Comparison& comparison) {
  Json out = {{"gpu", comparison.gpu},       {"same", comparison.same},
              {"varies", comparison.varies}, {"differs", comparison.differs},
              {"added", comparison.added},   {"disagreements", Json::array()},
              {"outcomes", Json::array()},   {"other_code", comparison.other_code}};
  for (const Difference& d : comparison.disagreements) {
    out["disagreements"].push_back(Json{{"id", d.id},
                                        {"estimate", d.estimate},
                                        {"unit", d.unit},
                                        {"kind", word(d.kind)},
                                        {"agreement", word(d.agreement)},
                                        {"why", d.why},
                                        {"before", finite_or_null(d.before)},
                                        {"after", finite_or_null(d.after)},
                                        {"tolerance", finite_or_null(d.tolerance)}});
  }
  for (const OutcomeChange& change : comparison.outcomes) {
    out["outcomes"].push_back(Json{{"id", change.id}, {"before", change.before}, {"after", change.after}});
  }
  return pretty(out);
}

}  // namespace warpclock
