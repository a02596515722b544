#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "inspect/difference/jit.hpp"

namespace warpclock {
namespace {

Cell times(const std::vector<double>& ms) {
  const auto sorted = sorted_finite(ms);
  if (sorted.empty()) return {};
  return {fmt::format("{} ms ({} to {})", human_number(median(sorted)), human_number(sorted.front()),
                      human_number(sorted.back())),
          Json(ms)};
}

}  // namespace

bool all_same(const JitComparison& comparison) {
  return std::ranges::all_of(comparison.targets,
                             [](const JitTarget& each) { return each.refused.empty() && all_same(each.code); });
}

Sheet jit_sheet(const JitComparison& comparison) {
  Sheet sheet;
  sheet.facts = {{"file", "", comparison.file},
                 {"gpu", "", comparison.gpu},
                 {"driver", "", comparison.driver},
                 {"ptxas", "", comparison.ptxas}};
  Table targets{
      .key = "targets",
      .title = "PTX",
      .columns = columns({"target|for", "ptxas_arch|ptxas", "driver_arch|driver", "ptxas_ms|start of ptxas",
                          "jit_ms|assembled and loaded by the driver", "load_ms|its cubin loaded", "refused"})};
  for (const JitTarget& each : comparison.targets)
    targets.rows.push_back({each.target, each.ptxas_arch, each.driver_arch, times(each.ptxas_ms), times(each.jit_ms),
                            times(each.load_ms), each.refused});
  sheet.tables.push_back(std::move(targets));
  for (const JitTarget& each : comparison.targets)
    if (each.refused.empty()) add_tables(sheet, each.code, {"ptxas", "driver"}, each.target);
  return sheet;
}

}  // namespace warpclock
