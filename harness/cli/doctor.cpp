#include "cli/doctor.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/terminal.hpp"
#include "cli/command.hpp"

namespace warpclock {

int doctor(const DoctorOptions& options) {
  const Diagnosis diagnosis = diagnose(examine_machine(options));
  fmt::print("{}", options.json ? to_json(diagnosis) : to_text(diagnosis, Style(Stream::Out)));
  return diagnosis.measures() ? 0 : 1;
}

void add_doctor(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("doctor", "Check what this machine has, what it lacks, and say how to mend it");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("--probes", options->probes_dir, "Folder of .cu files instead of the ones built in")
      ->type_name("DIR");
  command->add_option("--configs", options->configs_dir, "Folder of .yaml files instead of the ones built in")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "Machine-readable");
  command->callback([options, &action] { action = [options] { return doctor(*options); }; });
}

}  // namespace warpclock
