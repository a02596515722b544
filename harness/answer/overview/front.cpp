#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/figures.hpp"
#include "answer/numbers/quantity.hpp"
#include "answer/overview/overview_sheets.hpp"
#include "answer/overview/sheet.hpp"
#include "answer/sections/tensor_table.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/config/yaml.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

/// What a row of front.yaml names: exactly one of the three.
struct FrontRow {
  std::string label, quantity, instruction, tensor, inputs, accumulator;
};

struct FrontTable {
  std::string title;
  bool ladder = false;  ///< also drawn, as bars on a logarithmic axis
  TensorColumn column = TensorColumn::Random;
  std::vector<FrontRow> rows;
};

const Expected<std::vector<FrontTable>>& known_front() {
  static const auto known = []() -> Expected<std::vector<FrontTable>> {
    const auto document = WARPCLOCK_TRY(Document::parse("front.yaml", embedded_assets().at("front.yaml")));
    std::vector<FrontTable> tables;
    for (const Node& item : document.root().fields({"tables"}).get("tables").items()) {
      const Fields fields = item.fields({"table", "column", "ladder", "rows"});
      FrontTable& table = tables.emplace_back(FrontTable{.title = fields.get("table").text(), .rows = {}});
      if (const auto column = fields.find("column"); column && column->word({"random", "sustained"}) == "sustained")
        table.column = TensorColumn::Sustained;
      if (const auto ladder = fields.find("ladder")) table.ladder = ladder->boolean();
      for (const Node& each : fields.get("rows").items()) {
        const Fields of = each.fields({"label", "of", "instruction", "tensor", "inputs", "accumulator"});
        const auto text = [&](const char* key) {
          const auto node = of.find(key);
          return node ? node->text() : std::string();
        };
        table.rows.push_back(
            {text("label"), text("of"), text("instruction"), text("tensor"), text("inputs"), text("accumulator")});
      }
    }
    if (document.error()) return std::unexpected(*document.error());
    return tables;
  }();
  return known;
}

std::string folder_of(const ReportedGpu& gpu, bool all) { return all ? percent_encoded(gpu.folder) + "/" : ""; }

std::optional<Json> named_quantity(const ReportedGpu& gpu, const std::string& name, bool all) {
  const auto& known = known_quantities();
  return known && known->contains(name) ? quantity_cell(gpu, known->at(name), all) : std::nullopt;
}

std::optional<Json> instruction_cell(const ReportedGpu& gpu, const std::string& id, bool all) {
  const InstructionRecord* row = gpu.table ? find_by(gpu.table->rows, id, &InstructionRecord::id) : nullptr;
  if (row == nullptr || row->outcome != Outcome::Measured) return {};
  // Whole cycles, of the operand with the fewest and of that with the most.
  double least = 0, most = 0;
  for (const OperandLatency& each : latencies(*row)) {
    const double cycles = each.measured->value;
    least = most > 0 ? std::min(least, cycles) : cycles, most = std::max(most, cycles);
  }
  std::string latency = most > 0 ? fixed(least, 0) : "";
  if (fixed(most, 0) != latency && most > 0) latency += " \xE2\x80\x93 " + fixed(most, 0);
  const Estimate* rate = published(*row, "throughput");
  const std::string results = rate ? human_number(rate->value, 4) + " results/clk/SM" : "";
  const std::string href = folder_of(gpu, all) + "instructions.html#i=" + percent_encoded(id);
  return latency.empty() ? sheet_cell(results, href) : sheet_cell(latency + " cycles", href, results);
}

/// The highest rate of dense products of these types with random data.
std::optional<Json> tensor_cell(const ReportedGpu& gpu, const FrontRow& row, bool all, TensorColumn column) {
  const auto& known = known_tensor();
  if (!known) return {};
  std::optional<Json> best;
  double most = 0;
  for (const auto& [suite, record] : gpu.results) {
    for (const TensorGroup& group : tensor_groups(*known, *record)) {
      const bool meant = group.dense && group.instruction == row.tensor && group.inputs == row.inputs &&
                         group.accumulator == row.accumulator;
      for (const TensorLine& line : group.lines) {
        const auto& number = line.at(column);
        const auto value = meant && number ? number->teraops(gpu.device().sms) : std::nullopt;
        if (!value || value->value <= most) continue;
        most = value->value;
        const std::string share = peak_text(group, line);
        best = sheet_cell(
            fixed(value->value, 0) + (row.inputs == "s8" ? " TOP/s" : " TFLOP/s"),
            folder_of(gpu, all) + percent_encoded(ReportedGpu::page_of(suite)) + "#" + percent_encoded(number->row->id),
            line.shape + ", " + (column == TensorColumn::Sustained ? conditions_text(*number) : share + " of peak"));
      }
    }
  }
  return best;
}

}  // namespace

std::optional<Json> quantity_cell(const ReportedGpu& gpu, const Quantity& quantity, bool all) {
  const auto found = find_quantity(gpu, quantity);
  if (!found) return {};
  const QuantityValue& value = found->value;
  const auto rate = gigabytes_per_second(value.most.value_or(value.value), value.unit, gpu.device().sms, value.clock);
  std::string text = value_text(value);
  if (value.probe.empty()) return sheet_cell(text);
  const std::string href = folder_of(gpu, all) + percent_encoded(ReportedGpu::page_of(found->suite)) +
                           "#probe:" + percent_encoded(value.probe);
  if (!rate) return sheet_cell(text, href);
  if (rate->moved) text += fmt::format(", {} to {} GB/s", fixed(rate->low, 0), fixed(rate->high, 0));
  return sheet_cell(gigabytes_text({rate->value}), href, text);
}

Json front_sections(const std::vector<ReportedGpu>& gpus, bool all) {
  Json sections = Json::array();
  const auto& known = known_front();
  if (!known) {
    sections.push_back(sheet_section("front", "Numbers", {known.error().message()}));
    return sections;
  }
  for (const FrontTable& table : *known) {
    Json rows = Json::array();
    for (const FrontRow& row : table.rows) {
      Json cells = {row.label};
      bool any = false;
      for (const ReportedGpu& gpu : gpus) {
        const auto cell = !row.quantity.empty()      ? named_quantity(gpu, row.quantity, all)
                          : !row.instruction.empty() ? instruction_cell(gpu, row.instruction, all)
                                                     : tensor_cell(gpu, row, all, table.column);
        any = any || cell.has_value();
        cells.push_back(cell.value_or(Json("\xE2\x80\x93")));
      }
      if (any) rows.push_back(std::move(cells));
    }
    if (rows.empty()) continue;
    std::vector<std::string> heads = {""};
    for (const ReportedGpu& gpu : gpus) heads.push_back("#" + gpu.name());
    Json section = sheet_section(fmt::format("front-{}", sections.size()), table.title);
    section["tables"].push_back(sheet_table(table.title, heads, std::move(rows), true));
    if (table.ladder) section["ladder"] = true;
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace warpclock
