#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "cli/options/command_line.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/inputs.hpp"

namespace warpclock {

// Not for users: the process that owns the CUDA context, started by `run`.
void add_worker(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("worker")->group("");
  const auto no_counters = std::make_shared<bool>(false);
  command->add_flag("--no-counters", *no_counters);
  command->callback([no_counters, &action] { action = [no_counters] { return worker_main(!*no_counters); }; });
}

int dispatch(int argc, char** argv) {
  CLI::App app{
      "warpclock: what a GPU does with an instruction or an access, in cycles, with the machine code that was "
      "timed proven and shown"};
  app.name("warpclock");
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all well; 1 something was rejected, refused, failed or differs; 2 the command could not be "
      "carried out, or answered nothing.\nReports and their meaning: README.md. How probes are written: "
      "probes/README.md.");

  Action action;
  for (const auto add : {add_run,     add_ask,     add_show,       add_cycles, add_catalogue, add_export, add_inspect,
                         add_execute, add_capture, add_predict,    add_advise, add_check,     add_gate,   add_jit,
                         add_fleet,   add_guide,   add_verify,     add_list,   add_report,    add_replay, add_compare,
                         add_schema,  add_doctor,  add_completion, add_worker})
    add(app, action);

  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const auto unknown = unknown_command(app, arguments)) return complain(*unknown);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(wrong_arguments(app, arguments, error));
  }
  const auto status = action();
  return status ? *status : complain(status.error());
}

}  // namespace warpclock
