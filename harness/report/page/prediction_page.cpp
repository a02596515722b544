#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/terminal.hpp"
#include "inspect/inspection_output.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/costs.hpp"
#include "predict/simulation/simulate.hpp"
#include "report/page/file_pages.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

constexpr std::string_view alone_name = "one warp alone";

/// What limits it, and the rest of the sentence: "pipe fma", " limits it: busy for 94 % of the cycles. Next: issue, 61
/// %."
Json verdict(const Prediction& one) {
  const auto limiter = std::ranges::find(one.bounds, one.limiter, &LowerBound::name);
  if (limiter == one.bounds.end()) return {};
  const auto next = std::ranges::find_if(
      one.bounds, [&](const LowerBound& each) { return each.name != one.limiter && each.name != alone_name; });
  const std::string other =
      next == one.bounds.end() ? std::string() : fmt::format("{}, {:.0f} %", next->name, 100 * next->share);
  if (one.limiter != alone_name)
    return {one.limiter, fmt::format(" limits it: busy for {:.0f} % of the cycles.{}", 100 * limiter->share,
                                     other.empty() ? "" : " Next: " + other + ".")};
  std::string text =
      " limit it: " + (other.empty() ? "no resource is busy." : "the busiest resource is " + other + ".");
  if (!one.waits.empty()) {
    const InstructionWait& wait = one.waits.front();
    text += fmt::format(" The longest waits are before {} {}: {:.0f} cycles, {}.", address_text(wait.address),
                        wait.text.substr(0, wait.text.find(' ')), wait.cycles, wait.why);
  }
  return {"The latencies of one warp", text};
}

Json issue_words(const TimelineIssue& issue) {
  Json out = {{"warp", issue.warp},
              {"cycle", issue.cycle},
              {"at", address_text(issue.address)},
              {"instruction", issue.instruction},
              {"pipe", issue.pipe},
              {"busy", issue.busy},
              {"why", issue.why}};
  if (!issue.paths.empty()) out["paths"] = issue.paths;
  return out;
}

}  // namespace

Json prediction_words(const std::vector<Prediction>& predictions) {
  Json kernels = Json::array();
  for (const Prediction& one : predictions) {
    Sheet sheet = prediction_sheet(one);
    sheet.title.clear();
    Json bounds = Json::array(), timeline = Json::array();
    for (const LowerBound& bound : one.bounds) bounds.push_back({{"name", bound.name}, {"share", bound.share}});
    for (const TimelineIssue& issue : one.timeline) timeline.push_back(issue_words(issue));
    Json kernel = {{"name", one.readable},
                   {"limiter", one.limiter},
                   {"bounds", bounds},
                   {"timeline", timeline},
                   {"text", to_text(sheet, Style(false))}};
    if (Json said = verdict(one); !said.empty()) kernel["verdict"] = std::move(said);
    kernels.push_back(std::move(kernel));
  }
  return {{"kernels", kernels}, {"waits", wait_names}, {"sub_partitions", static_cast<int>(sub_partitions)}};
}

std::string render_predictions(const std::vector<Prediction>& predictions) {
  Page page;
  page.kind = "predict";
  page.title = predictions.empty() || predictions.front().file.empty() ? "Prediction" : predictions.front().file;
  page.lead = "predicted with the measured costs of " + (predictions.empty() ? "" : predictions.front().gpu);
  page.extras = prediction_words(predictions);
  return render_page(page);
}

}  // namespace warpclock
