#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/terminal.hpp"
#include "predict/prediction_output.hpp"
#include "report/html/html.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/timeline_draw.hpp"

namespace warpclock {
namespace {

constexpr std::string_view alone_name = "one warp alone";

/// "pipe fma limits it: it is busy for 94 % of the cycles; next is issue with 61 %."
std::string verdict(const Prediction& one) {
  const auto limiter = std::ranges::find(one.bounds, one.limiter, &LowerBound::name);
  if (limiter == one.bounds.end()) return {};
  const auto next = std::ranges::find_if(
      one.bounds, [&](const LowerBound& each) { return each.name != one.limiter && each.name != alone_name; });
  const std::string other =
      next == one.bounds.end() ? std::string() : fmt::format("{}, {:.0f} %", next->name, 100 * next->share);
  if (one.limiter != alone_name)
    return fmt::format("<b>{}</b> limits it: busy for {:.0f} % of the cycles.{}", escape(one.limiter),
                       100 * limiter->share, escape(other.empty() ? "" : " Next: " + other + "."));
  std::string text = "<b>The latencies of one warp</b> limit it: " +
                     escape(other.empty() ? "no resource is busy." : "the busiest resource is " + other + ".");
  if (one.waits.empty()) return text;
  const InstructionWait& wait = one.waits.front();
  return text + escape(fmt::format(" The longest waits are before {:#06x} {}: {:.0f} cycles, {}.", wait.address,
                                   wait.text.substr(0, wait.text.find(' ')), wait.cycles, wait.why));
}

/// What each resource alone would take, as bars; the limiter is marked.
std::string bounds_chart(const Prediction& one) {
  constexpr std::size_t most = 8;
  std::string rows;
  for (std::size_t i = 0; i < std::min(most, one.bounds.size()); ++i) {
    const LowerBound& bound = one.bounds[i];
    const bool limits = bound.name == one.limiter;
    rows += fmt::format(
        "<div{}><span>{}</span><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
        "width=\"{:.1f}\" height=\"10\"/></svg><i>{:.0f} %{}</i></div>\n",
        limits ? " class=\"limiter\"" : "", escape(bound.name), std::clamp(100 * bound.share, 0.0, 100.0),
        100 * bound.share, limits ? ", the limiter" : "");
  }
  return rows.empty()
             ? rows
             : "<h3>Share of the cycles that each would take alone</h3><div class=\"bounds\">" + rows + "</div>";
}

std::string kernel_section(const Prediction& prediction) {
  std::string text = prediction_text(prediction, Style(false));
  text.erase(0, text.find('\n') + 1);
  const std::string sentence = verdict(prediction);
  return "<section>" + element("h2", "", prediction.readable) +
         (sentence.empty() ? "" : "<p class=\"verdict\">" + sentence + "</p>") + bounds_chart(prediction) +
         draw_timeline(prediction) + "<h3>In words</h3>" + element("pre", "", text) + "</section>\n";
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
