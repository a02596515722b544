#include "report/page/fleet_page.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"
#include "fleet/fleet_sheet.hpp"
#include "fleet/judge.hpp"
#include "report/page/page.hpp"

namespace warpclock {
std::string render_fleet(const Fleet& fleet, const GateResult* gate) {
  Page page;
  page.kind = "fleet";
  page.title =
      fmt::format("{}, {}, {}", counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"),
                  counted(static_cast<std::int64_t>(fleet.records), "record"));
  page.lead = fmt::format(
      "A red GPU has an outlier or a row that was rejected or failed; an orange one was throttled or has memory "
      "errors. An outlier is further from the median of its model than chance explains once in {:.0f} such fleets, and "
      "further than two runs on one GPU differ. In the drawing, a bar covers three sigmas on either side of the "
      "median, "
      "the thin line all values, the marks are the limits, and the dots are outliers.",
      1 / false_alarm);
  page.extras = {{"fleet", fleet_json(fleet, gate)}};
  return render_page(page);
}

}  // namespace warpclock
