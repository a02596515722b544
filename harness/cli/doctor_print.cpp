#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "cli/doctor_checks.hpp"

namespace warpclock {
namespace {

// Padded before colouring, because escape codes take no room on the screen.
std::string painted(State state, const Style& style) {
  std::string text = fmt::format("{:<7}", word(state));
  switch (state) {
    case State::Ok:
      return style.green(text);
    case State::Warn:
      return style.yellow(text);
    case State::Missing:
      return style.red(text);
  }
  return text;
}

const char* summary(const Diagnosis& diagnosis) {
  if (diagnosis.measures()) return "Everything that measuring needs is here: run, verify, replay and report work.";
  if (diagnosis.verifies()) return "Measuring (run) does not work here; verify, replay and report do.";
  return "Measuring (run) and verify do not work here; replay and report do.";
}

}  // namespace

std::string to_text(const Diagnosis& diagnosis, const Style& style) {
  std::size_t width = 0;
  for (const Check& check : diagnosis.checks) width = std::max(width, check.name.size());
  std::string text;
  for (const Check& check : diagnosis.checks) {
    text += fmt::format("{}  {:<{}}  {}\n", painted(check.state, style), check.name, width, printable(check.found));
    if (!check.fix.empty()) text += fmt::format("{:<{}}  {}\n", "", 9 + width, style.dim("-> " + printable(check.fix)));
  }
  return text + "\n" + summary(diagnosis) + "\n";
}

std::string to_json(const Diagnosis& diagnosis) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Check& check : diagnosis.checks) {
    checks.push_back({{"name", check.name}, {"state", word(check.state)}, {"found", check.found}, {"fix", check.fix}});
  }
  const nlohmann::ordered_json all = {
      {"checks", checks},
      {"works", {{"run", diagnosis.measures()}, {"verify", diagnosis.verifies()}, {"replay", true}}}};
  // Paths and messages of other programs may not be UTF-8.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace warpclock
