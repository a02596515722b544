#include "cli/doctor_checks.hpp"

namespace warpclock {
namespace {

const char* summary(const Diagnosis& diagnosis) {
  if (diagnosis.measures()) return "Everything that measuring needs is here: run, verify, replay and report work.";
  if (diagnosis.verifies()) return "Measuring (run) does not work here; verify, replay and report do.";
  return "Measuring (run) and verify do not work here; replay and report do.";
}

}  // namespace

Sheet doctor_sheet(const Diagnosis& diagnosis) {
  Sheet sheet;
  sheet.facts = {{"works",
                  "",
                  {"", {{"run", diagnosis.measures()}, {"verify", diagnosis.verifies()}, {"replay", true}}},
                  Audience::Programs}};
  Table checks{.key = "checks", .columns = columns({"state", "name", "found", "-fix"}), .headed = false};
  for (const Check& check : diagnosis.checks) {
    const Tone tone = check.state == State::Ok ? Tone::Good : check.state == State::Warn ? Tone::Doubtful : Tone::Bad;
    const std::string fix = check.fix.empty() ? "" : "\n-> " + check.fix;
    checks.rows.push_back({Cell(std::string(word(check.state))).with(tone),
                           check.name,
                           {check.found + fix, check.found},
                           {check.fix, check.fix}});
  }
  sheet.tables = {std::move(checks)};
  sheet.notes = {summary(diagnosis)};
  return sheet;
}

}  // namespace warpclock
