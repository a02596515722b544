#include "predict/listing/annotated_listing.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>

#include "inspect/inspection_output.hpp"
#include "predict/prediction_output.hpp"

namespace warpclock {
namespace {

std::string tenths(double value) { return fmt::format("{:.1f}", value); }

std::string sectors(std::optional<double> value) { return value ? tenths(*value) : std::string(); }

}  // namespace

Table annotated_listing(const Prediction& prediction) {
  Table table{.key = "listing",
              .title = "listing",
              .columns = columns({"address", "#executed", "#cycles", "#share|%", "#wait", "why|wait for", "#l1|L1",
                                  "#l2|L2", "#dram|DRAM", "text|instruction"})};
  const std::size_t last = table.columns.size() - 1;
  std::string before;
  for (const AnnotatedInstruction& one : prediction.instructions) {
    const std::string line = one.line > 0 ? lines_text({{one.file, one.line, one.line}}) : std::string();
    if (!line.empty() && line != before) {
      std::vector<Cell> comment(last);
      comment.emplace_back("// " + line);
      table.rows.push_back(std::move(comment));
      before = line;
    }
    const bool runs = one.executed > 0;
    table.rows.push_back({address_text(one.address), fmt::format("{:.0f}", one.executed),
                          runs ? tenths(one.cycles) : "", runs ? tenths(100 * one.share) : "",
                          one.wait > 0 ? tenths(one.wait) : "", one.why, sectors(one.l1), sectors(one.l2),
                          sectors(one.dram), one.text});
  }
  // What fills the section behind the last jump.
  while (!table.rows.empty() && table.rows.back()[last].text == "NOP") table.rows.pop_back();
  if (!table.rows.empty())
    table.notes = {
        "executed: warp instructions of the launch. cycles: since the warp's issue before, of which wait is beyond its "
        "stall count.",
        "%: of the cycles of all warps. L1, L2, DRAM: sectors of an execution that L1 is asked for, and that the next "
        "levels have to send."};
  return table;
}

Sheet annotated_sheet(const Prediction& prediction) {
  Sheet sheet = prediction_sheet(prediction);
  if (!prediction.instructions.empty()) sheet.tables.push_back(annotated_listing(prediction));
  return sheet;
}

}  // namespace warpclock
