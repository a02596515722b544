#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "answer/numbers/figures.hpp"
#include "answer/sections/handoff.hpp"
#include "answer/sections/picture.hpp"
#include "answer/sections/pipeline.hpp"
#include "answer/sections/tensor_table.hpp"
#include "answer/words/suite_words.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

Json picture_row(const PictureRow& row) {
  Json out = {{"label", row.label}, {"value", row.value}};
  if (!row.more.empty()) out["more"] = row.more;
  std::string tooltip = row.quantity->says + (row.found ? ": " + row.value : ": not found");
  if (row.found) {
    const std::string interval = interval_text(*row.found);
    const std::string& probe = row.found->probe;
    tooltip +=
        (interval.empty() ? "" : ", " + interval) + " (" + (probe.empty() ? "" : probe + ", ") + row.found->from + ")";
    if (row.found->unit == rate_unit) out["rate"] = row.found->value;
    (probe.empty() ? out["stated"] : out["probe"]) = probe.empty() ? Json(true) : Json(probe);
  }
  out["tooltip"] = tooltip;
  return out;
}

Json picture_rows(const std::vector<PictureRow>& rows, std::vector<std::string>& preferred) {
  Json out = Json::array();
  for (const PictureRow& row : rows) {
    out.push_back(picture_row(row));
    if (row.found && !row.found->preferred.empty())
      preferred.push_back(row.found->preferred + " for " + row.quantity->says);
  }
  return out;
}

Json tensor_number(const TensorNumber& number) { return {{"value", number.value}, {"id", number.row->id}}; }

Json tensor_line(const TensorLine& line) {
  Json out = {{"shape", line.shape}, {"source", line.source}, {"becomes", line.becomes}, {"latency", Json::array()}};
  for (const auto& [operand, number] : line.latency) {
    out["latency"].push_back(tensor_number(number));
    out["latency"].back()["operand"] = operand;
  }
  for (std::size_t i = 1; i < tensor_columns; ++i)
    if (const auto& number = line.number.at(i)) out[tensor_column_names.at(i)] = tensor_number(*number);
  if (const TensorNumber* random = line.random_of_zeros()) out["random_of_zeros"] = random->value;
  for (const CaseRecord* row : line.missing) out["missing"].push_back(row->id);
  return out;
}

Json pipeline_line(const Pipeline& line) {
  Json points = Json::array(), model = Json::array();
  for (const PipelinePoint& point : line.points) {
    points.push_back({{"stages", point.stages}, {"id", point.row->id}});
    if (const Estimate* tile = point.tile) points.back()["tile"] = {tile->value, tile->low, tile->high};
  }
  for (std::int64_t stages = line.points.front().stages; stages <= line.points.back().stages; ++stages)
    if (const auto tile = line.predicted(stages)) model.push_back({stages, *tile});
  Json out = {{"work", line.work},
              {"alone", line.alone},
              {"alone_measured", line.alone_measured},
              {"points", points},
              {"model", model}};
  if (const auto stages = line.predicted_to_hide()) out["model_hides"] = *stages;
  return out;
}

}  // namespace

Json picture_words(const Record& record) {
  const Expected<Picture>& known = known_picture();
  if (!known) return {};
  const Picture picture = fill(*known, record);
  if (!picture.any()) return {};
  std::vector<std::string> preferred;
  Json levels = Json::array();
  for (const PictureLevel& level : picture.levels) {
    Json boxes = Json::array();
    for (const PictureBox& box : level.boxes)
      boxes.push_back({{"name", box.name}, {"rows", picture_rows(box.rows, preferred)}});
    levels.push_back({{"name", level.name},
                      {"count", level.count},
                      {"boxes", boxes},
                      {"link", picture_rows(level.link, preferred)}});
  }
  return {{"levels", levels},
          {"preferred",
           preferred.empty() ? "" : " Preferred probes, which another suite has, are: " + join(preferred, "; ") + "."}};
}

Json tensor_words(const Record& record) {
  const Expected<TensorTable>& known = known_tensor();
  Json groups;
  if (!known) return groups;
  for (const TensorGroup& group : tensor_groups(*known, record)) {
    Json lines = Json::array();
    for (const TensorLine& line : group.lines) lines.push_back(tensor_line(line));
    groups.push_back({{"instruction", group.instruction},
                      {"inputs", group.inputs},
                      {"accumulator", group.accumulator},
                      {"peak", group.peak},
                      {"peak_source", group.peak_source},
                      {"lines", lines}});
  }
  return groups;
}

Json handoff_words(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return {};
  const Handoffs all = handoffs(known->handoffs, record);
  if (all.measured.empty()) return {};
  Json measured = Json::array(), missing = Json::array();
  for (const Handoff& each : all.measured)
    measured.push_back({{"within", each.within},
                        {"by", each.by},
                        {"cycles", each.cycles},
                        {"longest", each.longest},
                        {"cases", each.cases},
                        {"id", each.row->id}});
  for (const auto& [name, row] : all.missing) missing.push_back({{"name", name}, {"id", row->id}});
  return {{"measured", measured}, {"missing", missing}};
}

Json pipeline_words(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return {};
  const std::vector<Pipelines> all = pipelines(known->pipelines, record);
  if (all.empty()) return {};
  Json sources = Json::array();
  for (const Pipelines& each : all) {
    Json source = {{"source", each.source}, {"lines", Json::array()}};
    for (const Pipeline& line : each.lines) source["lines"].push_back(pipeline_line(line));
    const std::pair<const char*, const std::optional<QuantityValue>*> costs[] = {
        {"latency", &each.latency}, {"issue", &each.issue}, {"rate", &each.rate}};
    for (const auto& [name, found] : costs)
      if (*found) source[name] = {{"value", (*found)->value}, {"probe", (*found)->probe}};
    sources.push_back(std::move(source));
  }
  return {{"sources", sources}, {"tile", tile_text(known->pipelines, all)}};
}

}  // namespace warpclock
