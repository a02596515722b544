#include "fleet/parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/lookup.hpp"
#include "fleet/robust.hpp"
#include "record/places.hpp"

namespace warpclock {
namespace {

constexpr std::string_view gpc_probe = "memory/gpc_map";
constexpr std::size_t fewest_parts = 6;
constexpr double worth_keeping = 3;

/// A part of a GPU and its number.
struct Part {
  std::size_t index = 0;
  double value = 0;
};

/// For the lines of each probe, the rows with a value for each SM.
std::map<std::string, std::vector<const CaseRecord*>> rows_over_sms(const Record& record) {
  std::map<std::string, std::vector<const CaseRecord*>> found;
  const auto sms = static_cast<std::size_t>(std::max(0, record.device.sms));
  for (const CaseRecord& row : record.cases) {
    if (sms > 0 && row.outcome == Outcome::Measured && row.places.size() == sms && row.probe != gpc_probe &&
        row.probe.starts_with("memory/"))
      found[row.probe].push_back(&row);
  }
  return found;
}

/// The GPC of each SM as the SMs were found together in the largest clusters; 0 where unknown.
std::vector<double> gpcs_of(const Record& record) {
  const CaseRecord* largest = nullptr;
  for (const CaseRecord& row : record.cases) {
    if (row.probe == gpc_probe && row.id.ends_with("[cluster=16]")) largest = &row;
  }
  return largest == nullptr ? std::vector<double>() : largest->places;
}

std::vector<Part> means_of_gpcs(const std::vector<Part>& sms, const std::vector<double>& gpcs) {
  std::map<double, std::pair<double, double>> sums;
  for (const Part& sm : sms) {
    if (sm.index >= gpcs.size() || gpcs[sm.index] == 0) continue;
    auto& [sum, count] = sums[gpcs[sm.index]];
    sum += sm.value;
    count += 1;
  }
  std::vector<Part> all;
  for (const auto& [gpc, sum] : sums) all.push_back({all.size(), sum.first / sum.second});
  return all;
}

void compare(const std::string& probe, const char* name, const std::vector<Part>& parts, ComparedParts& out) {
  if (parts.size() < fewest_parts) return;
  const auto values = mapped(parts, &Part::value);
  const double median = median_of(values);
  // Where most parts are equal, cycles repeat to this share all the same.
  const double least = tolerance_of(Kind::Cycles, {.value = median}) / 4;
  const double sigma = std::max(robust_spread(values, median).sigma, least);
  out.tested += parts.size();
  if (!(sigma > 0)) return;
  for (const Part& part : parts) {
    const double z = (part.value - median) / sigma;
    if (std::abs(z) >= worth_keeping)
      out.away.push_back({0, name, part.index, parts.size(), probe, part.value, median, z});
  }
}

}  // namespace

ComparedParts compare_parts(const Record& record) {
  ComparedParts out;
  const std::vector<double> gpcs = gpcs_of(record);
  for (const auto& [probe, rows] : rows_over_sms(record)) {
    std::vector<Part> sms, lines;
    const std::vector<double> means = place_means(rows);
    for (std::size_t i = 0; i < means.size(); ++i)
      if (means[i] > 0) sms.push_back({i, means[i]});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0, count = 0;
      for (const double value : rows[i]->places) {
        sum += value;
        count += value > 0 ? 1 : 0;
      }
      if (count > 0) lines.push_back({i, sum / count});
    }
    compare(probe, "SM", sms, out);
    compare(probe, "L2 line", lines, out);
    compare(probe, "GPC", means_of_gpcs(sms, gpcs), out);
  }
  return out;
}

}  // namespace warpclock
