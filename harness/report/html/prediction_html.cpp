#include "report/html/prediction_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/terminal.hpp"
#include "inspect/inspection_text.hpp"
#include "predict/costs.hpp"
#include "predict/prediction_text.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {
namespace {

constexpr int cycle_width = 4, row_height = 14, label_width = 120, axis_height = 22;

/// Colours of pipes are those of series s0 to s7.
class PipeColours {
 public:
  explicit PipeColours(const std::vector<TimelineIssue>& issues) {
    for (const TimelineIssue& each : issues) {
      if (!each.pipe.empty()) numbers_.emplace(each.pipe, numbers_.size());
    }
  }
  [[nodiscard]] std::string css(const std::string& pipe) const {
    constexpr std::size_t colours = 8;
    const auto found = numbers_.find(pipe);
    return found == numbers_.end() ? "none" : fmt::format("p{}", found->second % colours);
  }
  [[nodiscard]] std::string legend() const {
    std::string keys;
    for (const auto& [pipe, number] : numbers_) keys += element("span", css(pipe), pipe) + " ";
    return "<p class=\"pipes-key\">" + keys + "</p>";
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

/// Lines of the drawing: each warp, then the pipes of each sub-partition.
struct Rows {
  std::vector<std::string> names;
  std::map<int, std::size_t> warps;
  std::map<std::string, std::size_t> pipes;

  [[nodiscard]] static std::string pipe_name(const TimelineIssue& issue) {
    return fmt::format("{} of {}", issue.pipe, issue.warp % static_cast<int>(sub_partitions));
  }
};

Rows rows_of(const std::vector<TimelineIssue>& issues) {
  Rows rows;
  for (const TimelineIssue& each : issues) {
    rows.warps.emplace(each.warp, 0);
    if (!each.pipe.empty()) rows.pipes.emplace(Rows::pipe_name(each), 0);
  }
  for (auto& [warp, row] : rows.warps) {
    row = rows.names.size();
    rows.names.push_back(fmt::format("warp {}", warp));
  }
  for (auto& [pipe, row] : rows.pipes) {
    row = rows.names.size();
    rows.names.push_back(pipe);
  }
  return rows;
}

std::string bar(double from, double cycles, std::size_t row, const std::string& css, const std::string& title) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"{}\"><title>{}</title></rect>\n",
                     label_width + static_cast<int>(from) * cycle_width,
                     axis_height + static_cast<int>(row) * row_height + 1, std::max(1.0, cycles * cycle_width - 1),
                     row_height - 2, css, escape(title));
}

std::string axis(std::int64_t first, std::int64_t last, std::size_t rows) {
  constexpr std::int64_t step = 50;
  std::string lines;
  for (std::int64_t cycle = (first + step - 1) / step * step; cycle <= last; cycle += step) {
    const std::int64_t x = label_width + (cycle - first) * cycle_width;
    lines += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\"/><text x=\"{3}\" y=\"14\">{4}</text>\n", x,
                         axis_height, axis_height + static_cast<int>(rows) * row_height, x + 2, cycle);
  }
  return lines;
}

std::string drawing(const std::vector<TimelineIssue>& issues) {
  if (issues.empty()) return {};
  const PipeColours colours(issues);
  const Rows rows = rows_of(issues);
  const auto [first, last] = std::ranges::minmax(issues, {}, &TimelineIssue::cycle);
  std::string marks;
  for (std::size_t i = 0; i < rows.names.size(); ++i)
    marks += fmt::format("<text x=\"4\" y=\"{}\">{}</text>\n", axis_height + (static_cast<int>(i) + 1) * row_height - 3,
                         escape(rows.names[i]));
  for (const TimelineIssue& each : issues) {
    const std::string title = fmt::format("cycle {}: {} {}, waited for: {}", each.cycle, address_text(each.address),
                                          each.instruction, each.why);
    const auto from = static_cast<double>(each.cycle - first.cycle);
    marks += bar(from, 1, rows.warps.at(each.warp), colours.css(each.pipe), title);
    if (!each.pipe.empty())
      marks += bar(from, std::max(1.0, each.busy), rows.pipes.at(Rows::pipe_name(each)), colours.css(each.pipe), title);
  }
  const std::int64_t width = label_width + (last.cycle - first.cycle + 20) * cycle_width;
  const int height = axis_height + static_cast<int>(rows.names.size()) * row_height + 4;
  return colours.legend() + fmt::format(
                                "<div class=\"timeline\" tabindex=\"0\"><svg xmlns=\"http://www.w3.org/2000/svg\" "
                                "width=\"{}\" height=\"{}\" "
                                "role=\"img\" aria-label=\"issues of warps over cycles\">{}{}</svg></div>",
                                width, height, axis(first.cycle, last.cycle, rows.names.size()), marks);
}

std::string kernel_section(const Prediction& prediction) {
  std::string text = prediction_text(prediction, Style(false));
  text.erase(0, text.find('\n') + 1);
  return "<section>" + element("h2", "", prediction.readable) + element("pre", "", text) +
         drawing(prediction.timeline) + "</section>\n";
}

}  // namespace

std::string render_predictions(const std::vector<Prediction>& predictions) {
  const auto assets = embedded_assets();
  std::string sections;
  for (const Prediction& each : predictions) sections += kernel_section(each);
  const std::string file = predictions.empty() ? "" : predictions.front().file;
  const std::string gpu = predictions.empty() ? "" : predictions.front().gpu;
  return ascii_markup(
      "<!DOCTYPE html>\n<html lang=\"en\">" + html_head(file, assets.at("report.css") + assets.at("predict.css"), {}) +
      "<body class=\"predict\"><main><h1>" + escape(file) + "</h1>" +
      element("p", "", "predicted with the measured costs of " + gpu) + sections + "</main></body></html>\n");
}

}  // namespace warpclock
