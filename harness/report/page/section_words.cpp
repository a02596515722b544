#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "record/outcome.hpp"
#include "report/numbers/figures.hpp"
#include "report/page/suite_page.hpp"
#include "report/sections/handoff.hpp"
#include "report/sections/picture.hpp"
#include "report/sections/pipeline.hpp"
#include "report/sections/tensor_table.hpp"

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

Json tensor_number(const std::optional<TensorNumber>& number) {
  if (!number) return {};
  return {{"text", fixed(number->value, 0)}, {"value", number->value}, {"id", number->row->id}};
}

/// The rate of all SMs: as measured on all of them, with its conditions; or that of one SM times their number.
Json teraops(const TensorLine& line, TensorColumn all, TensorColumn one, int sms) {
  const std::optional<TensorNumber>& number = line.at(all) ? line.at(all) : line.at(one);
  const auto value = number ? number->teraops(sms) : std::nullopt;
  if (!value) return {};
  return {{"text", clocked_text(*value, 0)},
          {"value", value->value},
          {"id", number->row->id},
          {"note", line.at(all) ? conditions_text(*number) : "from one SM"}};
}

Json tensor_line(const TensorGroup& group, const TensorLine& line, int sms) {
  Json out = {{"group", fmt::format("{} {} \xE2\x86\x92 {}", group.instruction, group.inputs, group.accumulator)},
              {"shape", line.shape},
              {"source", line.source},
              {"share", peak_text(group, line)},
              {"becomes", line.becomes}};
  const auto put = [&](const char* name, Json cell) {
    if (!cell.is_null()) out[name] = std::move(cell);
  };
  if (const std::string latency = latency_text(line); !latency.empty())
    put("latency",
        {{"text", latency}, {"value", line.latency.front().second.value}, {"id", line.latency.front().second.row->id}});
  if (const auto& interval = line.at(TensorColumn::Interval))
    put("interval", {{"text", fixed(interval->value, 1)}, {"value", interval->value}, {"id", interval->row->id}});
  put("random", tensor_number(line.at(TensorColumn::Random)));
  put("zeros", tensor_number(line.at(TensorColumn::Zeros)));
  if (const TensorNumber* random = line.random_of_zeros()) out["zeros"]["note"] = "random " + fixed(random->value, 0);
  put("sustained", teraops(line, TensorColumn::Sustained, TensorColumn::Random, sms));
  put("sustained_zeros", teraops(line, TensorColumn::SustainedZeros, TensorColumn::Zeros, sms));
  if (!line.missing.empty()) put("missing", {{"text", missing_text(line)}, {"id", line.missing.front()->id}});
  return out;
}

/// The time of a tile that its computation does not cover. Negative noise is zero.
double exposed(const Pipeline& line, double tile) { return std::max(0.0, tile - line.alone); }

Json pipeline_point(const Pipeline& line, const PipelinePoint& point) {
  Json out = {{"stages", point.stages}, {"id", point.row->id}};
  if (point.tile == nullptr) {
    out["text"] = fmt::format("{}, {}", word(point.row->outcome), point.row->reason.code);
    return out;
  }
  const Estimate& tile = *point.tile;
  out["exposed"] = {exposed(line, tile.value), exposed(line, tile.low), exposed(line, tile.high)};
  out["text"] =
      fmt::format("{} cycles a tile, of them {} exposed", fixed(tile.value, 1), fixed(exposed(line, tile.value), 1));
  // A prediction without its error is not shown.
  if (const auto error = line.error(point))
    out["model"] =
        fmt::format("{} ({})", fixed(exposed(line, *line.predicted(point.stages)), 0), signed_percent(*error));
  return out;
}

Json pipeline_line(const Pipeline& line) {
  Json points = Json::array(), predicted = Json::array();
  for (const PipelinePoint& point : line.points) points.push_back(pipeline_point(line, point));
  for (std::int64_t stages = line.points.front().stages; stages <= line.points.back().stages; ++stages)
    if (const auto tile = line.predicted(stages)) predicted.push_back({stages, exposed(line, *tile)});
  return {{"work", line.work},
          {"alone", line.alone},
          {"alone_measured", line.alone_measured},
          {"hides", hides_text(line)},
          {"predicted_hides", predicted_text(line)},
          {"points", points},
          {"predicted", predicted}};
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
  if (!known) return {};
  const std::vector<TensorGroup> groups = tensor_groups(*known, record);
  if (groups.empty()) return {};
  Json lines = Json::array();
  for (const TensorGroup& group : groups)
    for (const TensorLine& line : group.lines) lines.push_back(tensor_line(group, line, record.device.sms));
  return {{"lines", lines}, {"peaks", peaks_text(groups)}};
}

Json handoff_words(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return {};
  const Handoffs all = handoffs(known->handoffs, record);
  if (all.measured.empty()) return {};
  Json measured = Json::array(), missing = Json::array();
  for (const Handoff& each : all.measured) {
    std::string text = fmt::format("{} within a {}: {} cycles", each.by, each.within, fixed(each.cycles, 1));
    const SmClock clock = sm_clock(each.row->clock);
    if (const auto ns = nanoseconds(each.cycles, clock))
      text += fmt::format(", {} ns at {} MHz", clocked_text(*ns, 1), clock_text(clock));
    if (each.cases > 1) text += fmt::format("; the longest of {} cases: {}", each.cases, fixed(each.longest, 1));
    measured.push_back({{"within", each.within},
                        {"by", each.by},
                        {"cycles", each.cycles},
                        {"longest", each.longest},
                        {"id", each.row->id},
                        {"text", text}});
  }
  for (const auto& [name, row] : all.missing)
    missing.push_back(
        {{"name", name}, {"id", row->id}, {"why", fmt::format("{}: {}", word(row->outcome), row->reason.code)}});
  return {{"measured", measured}, {"missing", missing}};
}

Json pipeline_words(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return {};
  const std::vector<Pipelines> all = pipelines(known->pipelines, record);
  if (all.empty()) return {};
  Json sources = Json::array();
  for (const Pipelines& each : all) {
    Json lines = Json::array();
    for (const Pipeline& line : each.lines) lines.push_back(pipeline_line(line));
    sources.push_back({{"source", each.source}, {"lines", lines}});
  }
  return {{"sources", sources}, {"tile", tile_text(known->pipelines, all)}, {"sentences", model_sentences(all)}};
}

}  // namespace warpclock
