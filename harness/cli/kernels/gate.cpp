#include "gate/gate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/marked.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"

namespace warpclock {
namespace {

struct GateCommand {
  std::string most = "3%", format = "text";
  std::vector<std::string> out;
  bool json = false, csv = false, unknown_passes = false;
  GpuChoice gpu;
  GateInput what;
};

/// "3%", "0.5".
Expected<double> share_of(std::string_view text) {
  constexpr double percent = 100, most = 1000;
  const std::string_view number = trim(text.ends_with('%') ? text.substr(0, text.size() - 1) : text);
  const auto value = whole_number<double>(number);
  if (!value || !(*value >= 0) || *value > most)
    return fail("option", "--max is a percentage from 0 to 1000, as 3%", std::string(text));
  return *value / percent;
}

/// The text in a format.
std::string written(const Gate& gate, const GateCommand& command, const std::string& format) {
  if (format == "markdown") return gate_markdown(gate);
  if (format == "sarif") return gate_sarif(gate);
  return gate_junit(gate, command.unknown_passes);
}

/// What the name of a file says of its format.
Expected<std::string> format_of(const std::string& path) {
  if (path.ends_with(".sarif") || path.ends_with(".sarif.json")) return "sarif";
  if (path.ends_with(".xml")) return "junit";
  if (path.ends_with(".md")) return "markdown";
  return fail("option", "the name of --out ends in .md (Markdown), .sarif (SARIF) or .xml (JUnit)", path);
}

Expected<int> gate_builds(GateCommand command) {
  command.what.most = WARPCLOCK_TRY(share_of(command.most));
  std::vector<std::string> formats;
  for (const std::string& path : command.out) {
    formats.push_back(WARPCLOCK_TRY(format_of(path)));
    WARPCLOCK_TRY(may_replace(path));
  }
  const auto machines = WARPCLOCK_TRY(load_machines(command.gpu));
  command.what.how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.what.how.nvdisasm));
  command.what.how.cache = command.what.cache;
  command.what.progress = progress_on_terminal("kernels predicted");
  const auto gate = run_gate(command.what, machines);
  clear_progress();
  if (!gate) return std::unexpected(gate.error());
  for (std::size_t i = 0; i < command.out.size(); ++i)
    WARPCLOCK_TRY(write_named(command.out[i], written(*gate, command, formats[i])));
  if (command.json || command.csv || command.format == "json" || command.format == "text")
    print(gate_sheet(*gate), {.json = command.json || command.format == "json", .csv = command.csv});
  else
    fmt::print("{}", written(*gate, command, command.format));
  return status_of(*gate, command.unknown_passes);
}

}  // namespace

void add_gate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "gate", "Whether a kernel of a build became slower than in the build before, by predictions; needs no GPU");
  auto options = std::make_shared<GateCommand>();
  GateInput& what = options->what;
  add_value(*command, "before", "BASE", what.before,
            "The build before: what `warpclock predict` reads, a folder of sources or of cubins, or a capture")
      ->required();
  add_value(*command, "after", "HEAD", what.after, "The build after, of any of these kinds")->required();
  add_value(*command, "pattern", "CASE", what.patterns,
            "Only cases whose id matches: a part of it, or all of it with *; of a capture, parts of kernels' names");
  add_value(*command, "--launches", "FILE", what.launches,
            "How the kernels are launched: YAML with `kernels:` as for `warpclock check`, or a capture; without it, "
            "as the captures launch them");
  add_value(*command, "--max", "PERCENT", options->most, "How much slower a kernel may be (3%)");
  add_value(*command, "--format", "FORMAT", options->format, "What is printed: text, json, markdown, sarif or junit")
      ->check(CLI::IsMember({"text", "json", "markdown", "sarif", "junit"}));
  add_value(*command, "--out", "FILE", options->out,
            "Also write FILE.md (Markdown), FILE.sarif (SARIF) or FILE.xml (JUnit); may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--allow-unknown", options->unknown_passes,
                    "Kernels that cannot be judged are named, and do not change the exit status");
  options->gpu.add_options(*command);
  add_include_option(*command, what.how.include);
  add_build_options(*command, what.cache, what.how.nvdisasm);
  add_value(*command, "--limit", "SECONDS", what.limit,
            "Seconds after which the simulation of a kernel is given up; then the answer depends on the machine")
      ->check(CLI::PositiveNumber);
  auto* json = command->add_flag("--json", options->json, "Machine-readable");
  command->add_flag("--csv", options->csv, "The rows as a table for other programs")->excludes(json);
  command->footer(
      "Both builds are predicted with the measured costs of the GPU (without --gpu: h200), with the same launches. A\n"
      "kernel is slower if its cycles grow by more than --max at both ends of their range. docs/gate.md says what "
      "this\n"
      "can know and what it cannot. Exit status: 0 no kernel is slower; 1 one is; 2 one has no number or its range\n"
      "does not say, or the command could not be carried out. Examples:\n"
      "  warpclock gate base.cubin head.cubin --launches kernels.yaml\n"
      "  warpclock gate base head --launches head/kernels.yaml --gpu h200,h100 --max 5%   # folders of sources\n"
      "  warpclock gate step ~/.triton/cache                       # a capture, and cubins for its launches\n"
      "  warpclock gate base.cubin head.cubin --launches kernels.yaml --out gate.sarif --out gate.xml --out gate.md");
  command->callback([options, &action] { action = [options] { return gate_builds(*options); }; });
}

}  // namespace warpclock
