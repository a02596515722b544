#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "record/outcome.hpp"
#include "report/charts/chart.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/pipeline.hpp"

namespace warpclock {
namespace {

/// The time of a tile that its computation does not cover. Negative noise is drawn as zero.
double exposed(const Pipeline& line, double tile) { return std::max(0.0, tile - line.alone); }

std::vector<std::int64_t> stages_of(const std::vector<Pipelines>& all) {
  std::set<std::int64_t> stages;
  for (const Pipelines& each : all) {
    for (const Pipeline& line : each.lines) {
      for (const PipelinePoint& point : line.points) stages.insert(point.stages);
    }
  }
  return {stages.begin(), stages.end()};
}

void add(const Pipeline& line, LineChart& chart) {
  ChartLine measured, predicted;
  measured.name = line.work;
  predicted.predicted = true;
  for (const PipelinePoint& point : line.points) {
    const auto x = static_cast<double>(point.stages);
    const std::string at = fmt::format("{}, stages={}: ", line.work, point.stages);
    if (point.tile == nullptr) {
      measured.missing.push_back(
          {x, 0, 0, 0, point.row->id, fmt::format("{}{}, {}", at, word(point.row->outcome), point.row->reason.code)});
      continue;
    }
    const Estimate& tile = *point.tile;
    measured.points.push_back({x, exposed(line, tile.value), exposed(line, tile.low), exposed(line, tile.high),
                               point.row->id,
                               fmt::format("{}{} cycles a tile, of them {} exposed", at, fixed(tile.value, 1),
                                           fixed(exposed(line, tile.value), 1))});
  }
  for (std::int64_t stages = line.points.front().stages; stages <= line.points.back().stages; ++stages) {
    const auto tile = line.predicted(stages);
    if (tile) predicted.points.push_back({static_cast<double>(stages), exposed(line, *tile), 0, 0, "", ""});
  }
  chart.lines.push_back(std::move(measured));
  chart.lines.push_back(std::move(predicted));
}

std::string figure(const Pipelines& each, std::size_t index) {
  LineChart chart;
  chart.id = fmt::format("pipelines-{}", index);
  chart.title = fmt::format("Exposed latency of copies from {} over stages", each.source);
  chart.description = "The table below holds every value.";
  chart.x_label = "stages";
  chart.y_label = "exposed, cycles a tile";
  for (const Pipeline& line : each.lines) add(line, chart);
  return "<figure>" + element("figcaption", "", "from " + each.source) + draw(chart) + "</figure>";
}

std::string cell(const Pipeline& line, std::int64_t stages) {
  const auto point = std::ranges::find(line.points, stages, &PipelinePoint::stages);
  if (point == line.points.end()) return "<td class=\"n\"></td>";
  // Without a measured tile there is no error, and a prediction without its error is not shown.
  const auto error = line.error(*point);
  const std::string model =
      error ? element("i", "", fixed(exposed(line, *line.predicted(stages)), 0) + " (" + signed_percent(*error) + ")")
            : "";
  const std::string text = point->tile == nullptr ? "\xE2\x9C\x95" : fixed(exposed(line, point->tile->value), 0);
  return fmt::format("<td class=\"n{}\" title=\"{}\"><a href=\"#{}\">{}</a>{}</td>",
                     point->tile == nullptr ? " why" : "",
                     escape(point->tile == nullptr ? point->row->reason.text : point->row->id),
                     escape(anchor(point->row->id)), text, model);
}

std::string table(const std::vector<Pipelines>& all) {
  const std::vector<std::int64_t> stages = stages_of(all);
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"exposed latency\"><table class=\"tensor "
      "stages\">"
      "<thead><tr><th scope=\"col\">tile</th>" +
      column_head("hidden from", "stages") + column_head("by the model", "stages") + column_head("alone", "cycles");
  for (const std::int64_t each : stages) out += column_head(fmt::format("{}", each), each == 1 ? "stage" : "stages");
  out += "</tr></thead>";
  for (const Pipelines& each : all) {
    out += fmt::format("<tbody><tr class=\"fam\"><th colspan=\"{}\" scope=\"rowgroup\"><b>{}</b></th></tr>",
                       stages.size() + 4, escape(each.source));
    for (const Pipeline& line : each.lines) {
      out += "<tr>" + element("th", "", line.work) + element("td", "n v", hides_text(line)) +
             element("td", "n", predicted_text(line)) +
             element("td", line.alone_measured ? "n" : "n none", fixed(line.alone, 0));
      for (const std::int64_t stage : stages) out += cell(line, stage);
      out += "</tr>";
    }
    out += "</tbody>";
  }
  return out + "</table></div>";
}

}  // namespace

std::string html_pipelines(const PageContext& page) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return element("p", "warn", known.error().message());
  const std::vector<Pipelines> all = pipelines(known->pipelines, page.record);
  if (all.empty()) return {};
  std::string out =
      section_head("pipelines", pipelines_heading) +
      "<p class=\"asks\">A pipeline of n stages copies up to n \xE2\x88\x92 1 tiles ahead while it computes one. "
      "Exposed cycles are the part of a tile's time that is not its computation. Solid lines are measured, dashed "
      "lines "
      "are a model. " +
      escape(tile_text(known->pipelines, all)) + "</p><div class=\"charts\">";
  for (std::size_t i = 0; i < all.size(); ++i) out += figure(all[i], i);
  std::string known_of;
  for (const std::string& sentence : model_sentences(all)) known_of += " " + escape(sentence);
  return out + "</div>" + table(all) +
         "<p class=\"note\">A cell has the exposed cycles, and in grey those of the model with its error of the whole "
         "tile. In the model a tile takes the longest of three times: its computation plus the issue of its copy; the "
         "latency of a copy divided by stages \xE2\x88\x92 1, the copies in flight; its bytes divided by the rate "
         "that an SM gets when all SMs copy. With one stage it takes the copy plus the computation. Latency is hidden "
         "where a tile takes at most 5 % longer than its computation alone. A grey computation was not measured "
         "without "
         "copies; it is the tile with the most stages." +
         known_of + "</p></section>\n";
}

}  // namespace warpclock
