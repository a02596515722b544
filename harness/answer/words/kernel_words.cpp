#include "answer/words/kernel_words.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <ranges>
#include <set>

#include "answer/numbers/device_words.hpp"
#include "check/error_summary.hpp"
#include "plan/sweep.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

/// As many digits as a page can show: half of a page is digits otherwise.
double rounded(double value, double steps) { return std::round(value * steps) / steps; }
Json tenths(std::initializer_list<double> values) {
  constexpr double steps = 10;
  Json out = Json::array();
  for (const double value : values) out.push_back(rounded(value, steps));
  return out;
}

/// The two that are used most.
Json shares_of(const std::vector<ResourceShare>& shares) {
  constexpr double steps = 10000;
  Json out = Json::array();
  for (const ResourceShare& one : shares | std::views::take(2))
    out.push_back({{"name", one.name}, {"share", rounded(one.share, steps)}});
  return out;
}

Json row_words(const KernelRow& row) {
  const KernelPrediction& predicted = row.prediction;
  Json out = {{"study", row.study},
              {"point", row.parameters.empty() ? "" : to_string(row.parameters)},
              {"bounds", shares_of(predicted.bounds)}};
  if (!row.says.empty()) out["says"] = row.says;
  if (row.held_out) out["held_out"] = true;
  if (predicted.refused.empty()) {
    out["predicted"] = tenths({predicted.low, predicted.high});
  } else {
    out["refused"] = predicted.refused;
  }
  if (row.outcome != Outcome::Measured)
    out["reason"] = {{"outcome", word(row.outcome)}, {"code", row.reason.code}, {"text", row.reason.text}};
  if (const auto& seen = row.measurement)
    out["measured"] = {{"by", seen->by},
                       {"cycles", tenths({seen->cycles, seen->cycles_low, seen->cycles_high})},
                       {"limiter", seen->limiter},
                       {"shares", shares_of(seen->shares)}};
  if (const auto error = error_of(row)) out["error"] = {rounded(error->low, 100), rounded(error->high, 100)};
  if (const auto agrees = limiter_agrees(row)) out["agrees"] = *agrees;
  if (const auto& library = row.library)
    out["library"] = {{"name", library->name},
                      {"version", library->version},
                      {"share", library->share},
                      {"missing", library->missing}};
  return out;
}

}  // namespace

std::string kernel_title(const KernelTable& table) {
  std::set<std::string> studies;
  for (const KernelRow& row : table.rows) studies.insert(row.study);
  const bool measured =
      std::ranges::any_of(table.rows, [](const KernelRow& row) { return row.measurement.has_value(); });
  return (studies.size() == 1 ? "Kernels of the study \"" + *studies.begin() + "\"" : "Kernels") +
         (measured ? ", predicted and measured on " : ", predicted for ") + name_of(table.device);
}

Json kernel_words(const KernelTable& table) {
  Json rows = Json::array();
  for (const KernelRow& row : table.rows) rows.push_back(row_words(row));
  return {{"rows", rows}, {"errors", error_lines(table.rows)}};
}

}  // namespace warpclock
