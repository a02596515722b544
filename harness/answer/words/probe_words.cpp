#include <algorithm>
#include <iterator>
#include <vector>

#include "analyze/curve/plateau.hpp"
#include "answer/numbers/answer.hpp"
#include "answer/numbers/published.hpp"
#include "answer/words/suite_words.hpp"
#include "base/lookup.hpp"
#include "gpu/job/statistics.hpp"
#include "record/outcome.hpp"
#include "record/places.hpp"

namespace warpclock {
namespace {

Json answer_words(const Record& record, const ProbeOutline& probe) {
  Json out;
  for (const Headline& each : answers(record, probe))
    out.push_back({{"name", each.name},
                   {"value", each.value},
                   {"unit", each.unit},
                   {"all_sms", each.all_sms},
                   {"detail", each.detail}});
  return out;
}

/// The level at which each line of a chart of rates ends, and the smallest point that reaches 95 % of it, with a case
/// of the line. A line with one point on top may still be rising.
Json plateaus(const ProbeOutline& probe) {
  Json out;
  const std::string& x = probe.probe.chart.x;
  if (x.empty() || probe.estimates.empty()) return out;
  const std::string& y = probe.probe.chart.y.empty() ? probe.estimates.front() : probe.probe.chart.y;
  struct Line {
    std::string name;
    std::vector<const CaseRecord*> cases;
  };
  std::vector<Line> all;
  std::vector<std::string> rest = probe.varying;
  std::erase(rest, x);
  for (const CaseRecord* row : probe.cases) find_or_add(all, describe(*row, rest), &Line::name).cases.push_back(row);
  for (const Line& line : all) {
    std::vector<PlateauPoint> curve;
    for (const CaseRecord* row : line.cases) {
      const Estimate* estimate = published(*row, y);
      const Value* value = find(row->parameters, x);
      const auto* at = value ? std::get_if<std::int64_t>(value) : nullptr;
      if (estimate && estimate->method == "rate" && at) curve.push_back({static_cast<double>(*at), estimate->value});
    }
    std::ranges::sort(curve, {}, &PlateauPoint::x);
    const auto found = plateau(curve);
    if (found && found->flat())
      out.push_back({{"id", line.cases.front()->id}, {"level", found->level}, {"knee", found->reached_at}});
  }
  return out;
}

std::vector<const CaseRecord*> with_places(const ProbeOutline& probe) {
  std::vector<const CaseRecord*> rows;
  std::ranges::copy_if(probe.cases, std::back_inserter(rows),
                       [](const CaseRecord* row) { return row->outcome == Outcome::Measured && !row->places.empty(); });
  return rows;
}

/// The places by their side, if any, then by their means, so that similar ones are adjacent; and the range of shades,
/// from the 1st to the 99th percentile, so that a few outliers do not use up all of them.
Json place_words(const std::vector<const CaseRecord*>& rows) {
  const std::vector<double> means = place_means(rows);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < means.size(); ++i)
    if (means[i] > 0) order.push_back(i);
  const auto sides = sides_of_places(rows);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(sides && i < sides->column_side.size() && sides->column_side[i], means[i]);
  });
  std::vector<double> values;
  for (const CaseRecord* row : rows)
    std::ranges::copy_if(row->places, std::back_inserter(values), [](double value) { return value > 0; });
  std::ranges::sort(values);
  if (values.empty()) return {};
  const std::size_t cut = values.size() / 100;
  return {{"order", order}, {"low", values[cut]}, {"high", values[values.size() - 1 - cut]}};
}

}  // namespace

Json published_words(const Record& record, const std::string& probe) {
  Json out;
  const auto& known = known_published();
  if (!known) return out;
  for (const PublishedLine& line : published_lines(*known, record, probe))
    out.push_back({{"says", line.says},
                   {"measured", line.measured_text},
                   {"published", line.published_text},
                   {"difference", line.difference_text},
                   {"gpu", line.published->gpu},
                   {"source", line.published->source + ", " + line.published->checked},
                   {"why", line.why}});
  return out;
}

Json probe_words(const Record& record, const ProbeOutline& probe) {
  Json words = {{"name", probe.probe.name}};
  const auto put = [&](const char* name, Json part) {
    if (!part.empty()) words[name] = std::move(part);
  };
  put("answers", answer_words(record, probe));
  put("published", published_words(record, probe.probe.name));
  put("plateaus", plateaus(probe));
  Json varies;
  for (const Varying& varying : probe.varies) varies.push_back(describe(varying));
  put("varies", varies);
  const std::vector<const CaseRecord*> rows = with_places(probe);
  // A map is of numbers that are close to each other, not of groups or of elements of a matrix.
  const auto spreads = [](const FeatureQuery& find) { return find.what == FeatureQuery::What::Spread; };
  if (!rows.empty() && std::ranges::any_of(probe.probe.finds, spreads)) put("places", place_words(rows));
  return words;
}

}  // namespace warpclock
