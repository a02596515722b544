#include "capture/capture.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sheet/sheet.hpp"
#include "base/terminal.hpp"
#include "capture/capture_program.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"

namespace warpclock {
namespace {

struct CaptureCommand {
  std::string out = "capture", data, show;
  std::vector<std::string> command;
  SheetFormat format;
};

Expected<int> show_capture(const CaptureCommand& command) {
  if (!command.command.empty()) return fail("option", "--show takes no command");
  const Capture capture = WARPCLOCK_TRY(read_capture(capture_folder(command.show)));
  print(capture_sheet(capture), command.format);
  return 0;
}

Expected<int> capture_command(const CaptureCommand& command) {
  if (!command.show.empty()) return show_capture(command);
  if (command.command.empty())
    return fail("option", "give the program to run after --, as in: warpclock capture -- python3 train.py");
  const auto data = command.data.empty() ? std::optional<std::int64_t>(0) : bytes_of_size(command.data);
  if (!data) return fail("option", "--data is a number of bytes, as 65536 or 64KiB", command.data);
  const Capture capture = WARPCLOCK_TRY(capture_program({command.command, command.out, *data}));
  if (command.format.json || command.format.csv)
    print(capture_sheet(capture), command.format);
  else
    fmt::print(stderr, "\n{}", to_text(capture_sheet(capture), Style(Stream::Err)));
  fmt::print(stderr, "warpclock: {} in {}\n", counted(std::ssize(capture.launches), "distinct launch"), command.out);
  return static_cast<int>(capture.exit_status);
}

Expected<int> empty_kernel_command() {
  const Driver driver = WARPCLOCK_TRY(load_driver());
  WARPCLOCK_TRY(launch_empty_kernel(driver));
  return 0;
}

}  // namespace

void add_capture(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "capture", "Runs a program and keeps the kernels that it launches: machine code, launches, arguments and times");
  auto options = std::make_shared<CaptureCommand>();
  add_value(*command, "--out", "DIR", options->out, "Folder of the record (capture)");
  add_value(
      *command, "--data", "LIMIT", options->data,
      "Also keep at most so many bytes of what is behind each pointer, as 64KiB, before a launch is first made; it "
      "waits for its stream then");
  add_value(*command, "--show", "DIR", options->show, "Print what an earlier capture has; runs nothing");
  options->format.add_options(*command, true);
  command->add_option("command", options->command, "The program and its arguments, after --")->type_name("COMMAND");
  command->footer(
      "The program runs unchanged: a library is put into it and the programs that it starts, and nothing is\n"
      "serialized. Distinct launches of a kernel differ in more than the addresses of their buffers. The exit status\n"
      "is that of the program; 2 if it could not be started or the record not be written. Examples:\n"
      "  warpclock capture --out step --data 64KiB -- python3 train.py --steps 10\n"
      "  warpclock predict step --gpu h200\n"
      "`warpclock schema capture` prints the schema of capture.json.gz. docs/capture.md has what is kept.");
  command->callback([options, &action] { action = [options] { return capture_command(*options); }; });
  // Not for users: what a capture starts beside the program.
  app.add_subcommand("empty-kernel")->group("")->callback([&action] { action = empty_kernel_command; });
}

}  // namespace warpclock
