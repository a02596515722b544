#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "answer/compare.hpp"
#include "base/terminal.hpp"

namespace warpclock {
namespace {

std::string percent_text(const Difference& d) {
  if (d.before == 0 || !std::isfinite(d.before) || !std::isfinite(d.after)) return "";
  return fmt::format("{:+.2f} %", 100 * (d.after - d.before) / std::abs(d.before));
}

Cell number(double value) {
  return {fmt::format("{:.6g}", value), std::isfinite(value) ? Json(value) : Json(Json::value_t::discarded)};
}

Table difference_table(const Comparison& comparison) {
  Table table{.key = "disagreements",
              .columns = columns({"id|case", "estimate|number", "-unit", "-kind", "#before", "#after", "+#change",
                                  "tolerance|allowed", "agreement|verdict", "why"})};
  for (const Difference& d : comparison.disagreements) {
    Cell allowed = number(d.tolerance);
    allowed.text = fmt::format("{:.3g} {} ({})", d.tolerance, d.unit, word(d.kind));
    table.rows.push_back({d.id, d.estimate, d.unit, std::string(word(d.kind)), number(d.before), number(d.after),
                          percent_text(d), std::move(allowed), std::string(word(d.agreement)), d.why});
  }
  return table;
}

Table outcome_table(const Comparison& comparison) {
  Table table{.key = "outcomes", .title = "outcomes", .columns = columns({"id", "before", "after"})};
  for (const OutcomeChange& change : comparison.outcomes)
    table.rows.push_back({change.id, change.before, change.after});
  if (table.rows.empty()) table.title.clear();
  return table;
}

}  // namespace

Sheet compare_sheet(const Comparison& comparison) {
  Sheet sheet;
  sheet.facts = {{"gpu", "GPU", comparison.gpu},
                 {"same", "agree", {std::to_string(comparison.same), comparison.same}},
                 {"varies", "vary for a stated reason", {std::to_string(comparison.varies), comparison.varies}},
                 {"differs", "differ", {std::to_string(comparison.differs), comparison.differs}},
                 {"changed", "outcomes changed", std::to_string(comparison.outcomes.size()), Audience::People},
                 {"added",
                  "points of curves in one record only",
                  {comparison.added > 0 ? std::to_string(comparison.added) : "", comparison.added}}};
  const std::size_t others = comparison.other_code.size();
  const std::string first = others == 0 ? ""
                                        : fmt::format("{}: {}{}", counted(std::ssize(comparison.other_code), "case"),
                                                      comparison.other_code.front(), others > 1 ? ", ..." : "");
  sheet.facts.push_back({"other_code", "timed other machine code", {first, comparison.other_code}});
  sheet.tables = {difference_table(comparison), outcome_table(comparison)};
  if (comparison.added > 0) sheet.notes.emplace_back("each run adds points to curves near the steps that it finds");
  return sheet;
}

}  // namespace warpclock
