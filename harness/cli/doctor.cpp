#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/options/options.hpp"

namespace warpclock {
namespace {

/// Prints what was found, what is missing and how to fix it. Returns 0 if this machine can measure, else 1.
int doctor(const DoctorOptions& options) {
  const Diagnosis diagnosis = diagnose(look_at_machine(options));
  print(doctor_sheet(diagnosis), options.format);
  return diagnosis.measures() ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("doctor", "Say what this machine has, what is missing, and how to fix it");
  auto options = std::make_shared<DoctorOptions>();
  add_value(*command, "--probes", "DIR", options->probes_dir, "Folder of .cu files instead of the ones built in");
  add_value(*command, "--configs", "DIR", options->configs_dir, "Folder of .yaml files instead of the ones built in");
  options->format.add_options(*command);
  command->footer(
      "Examples:\n"
      "  warpclock doctor\n"
      "  warpclock doctor --json");
  command->callback([options, &action] { action = [options] { return doctor(*options); }; });
}

}  // namespace warpclock
