#include "answer/words/file_words.hpp"
#include "base/terminal.hpp"
#include "inspect/inspection_output.hpp"
#include "predict/prediction_output.hpp"
#include "predict/program/costs.hpp"
#include "predict/simulation/simulate.hpp"

namespace warpclock {
namespace {

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
    if (!one.waits.empty()) {
      const InstructionWait& wait = one.waits.front();
      kernel["wait"] = {{"at", address_text(wait.address)},
                        {"opcode", wait.text.substr(0, wait.text.find(' '))},
                        {"cycles", wait.cycles},
                        {"why", wait.why}};
    }
    kernels.push_back(std::move(kernel));
  }
  return {{"kernels", kernels}, {"waits", wait_names}, {"sub_partitions", static_cast<int>(sub_partitions)}};
}

}  // namespace warpclock
