#include "inspect/inspect.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "inspect/difference/code_difference.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/hazards/hazards.hpp"
#include "inspect/inspection_output.hpp"
#include "inspect/load.hpp"
#include "model/measured.hpp"
#include "record/json/record_json.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

struct InspectCommand {
  std::string file, other, arch, page, graph, rewritten, nvdisasm;
  std::vector<std::string> include;
  bool exit_code = false, hazards = false;
  SheetFormat format;
  InspectOptions what;
  GpuChoice gpu;
};

/// The GPU whose latencies are used. Without --gpu, nothing if there are no reports, or none of the usual GPU.
Expected<std::optional<Machine>> machine_for(const InspectCommand& command) {
  const bool asked = !command.gpu.gpu.empty() || !command.gpu.reports.empty();
  if (!asked && !WARPCLOCK_TRY(usual_reports())) return std::nullopt;
  auto machine = load_machine(or_usual(command.gpu));
  if (machine) return std::optional(*std::move(machine));
  if (!asked && machine.error().code == "gpu") return std::nullopt;
  return std::unexpected(machine.error());
}

/// `-`: DOT on standard output.
Expected<void> write_graph(const std::string& path, const Inspection& inspection) {
  const KernelInspection& kernel = inspection.kernels.front();
  if (inspection.kernels.size() > 1)
    return fail(
        "kernel",
        fmt::format(
            "a graph is of one kernel, and {} and {} are among those that are meant: give one with --kernel NAME",
            kernel.readable, inspection.kernels[1].readable),
        inspection.file);
  if (path == "-") return fmt::print("{}", graph_dot(kernel)), Expected<void>();
  const std::string kind = std::filesystem::path(path).extension();
  if (kind == ".dot" || kind == ".gv") return write_named(path, graph_dot(kernel));
  if (kind != ".svg") return fail("graph", "the name of a graph ends in .svg or .dot, or is -, which prints DOT", path);
  const auto picture = WARPCLOCK_TRY(graph_svg(kernel));
  return write_named(path, picture);
}

Expected<LoadedFile> loaded(const std::string& path, const LoadOptions& how) {
  auto file = load_file(path, how);
  if (!file) return std::unexpected(with_file_kind(file.error(), path, "inspect"));
  return file;
}

Expected<int> compare_builds(const InspectCommand& command, const LoadedFile& before, const LoadOptions& how,
                             const InspectOptions& what) {
  if (!command.page.empty() || !command.graph.empty()) return fail("usage", "--page and --graph are of one FILE");
  const auto after = WARPCLOCK_TRY(loaded(command.other, how));
  const auto comparison = WARPCLOCK_TRY(compare_code({command.file, before}, {command.other, after}, what));
  print(difference_sheet(comparison), command.format);
  return command.exit_code && !all_same(comparison) ? 1 : 0;
}

/// Of the GPU of --gpu, or of all in the reports: what machine.json says of them.
Expected<std::vector<Machine>> machines_for(const GpuChoice& choice) {
  std::vector<Machine> machines;
  const auto folders = WARPCLOCK_TRY(answering_folders(choice));
  for (const std::filesystem::path& folder : folders) {
    MeasuredGpu gpu{.folder = folder.filename()};
    gpu.machine = WARPCLOCK_TRY(read_if_there(folder / "machine.json", {{RecordFile::Machine}}));
    if (gpu.machine) machines.emplace_back() = WARPCLOCK_TRY(make_machine(gpu));
  }
  return machines;
}

bool any_hazard(const HazardReport& report) {
  return std::ranges::any_of(report.kernels, [](const KernelHazards& kernel) { return !kernel.hazards.empty(); });
}

/// Writes the cubin without slack, once the hazards of what it is written from its bytes again are none.
Expected<std::string> rewritten(const InspectCommand& command, const LoadedFile& file, const LoadOptions& how,
                                std::span<const Machine> machines, const HazardReport& before) {
  if (any_hazard(before)) return "not written, because of the hazards";
  const auto out = WARPCLOCK_TRY(without_slack(file, before));
  const auto facts = WARPCLOCK_TRY(kernel_facts(out.image));
  const auto read = WARPCLOCK_TRY(load_cubins({command.rewritten, "cubin", {out.image}, {facts}}, how));
  if (any_hazard(WARPCLOCK_TRY(find_hazards(command.rewritten, read, machines, command.what.kernel))))
    return fail("hazard", "lowered stall counts have hazards, and are not written: report this", command.rewritten);
  WARPCLOCK_TRY(write_named(command.rewritten, out.image));
  return fmt::format("{}: {} lowered by {}; read again, no hazards", command.rewritten,
                     counted(out.lowered, "stall count"), counted(out.cycles, "cycle"));
}

Expected<int> check_hazards(const InspectCommand& command, const LoadedFile& file, const LoadOptions& how) {
  if (!command.other.empty() || !command.page.empty() || !command.graph.empty())
    return fail("usage", "--hazards is of one FILE, and has no --page and no --graph");
  const auto machines = WARPCLOCK_TRY(machines_for(command.gpu));
  const auto report = WARPCLOCK_TRY(find_hazards(command.file, file, machines, command.what.kernel));
  Sheet sheet = hazard_sheet(report);
  if (!command.rewritten.empty())
    sheet.facts.push_back({"rewritten", "rewritten", WARPCLOCK_TRY(rewritten(command, file, how, machines, report))});
  print(sheet, command.format);
  return any_hazard(report) ? 1 : 0;
}

Expected<int> inspect_file(const InspectCommand& command) {
  constexpr const char* usual_arch = "sm_90a";
  const auto machine = WARPCLOCK_TRY(machine_for(command));
  LoadOptions how;
  how.arch_given = !command.arch.empty() || !command.gpu.gpu.empty();
  how.arch = WARPCLOCK_TRY(named_arch(!command.arch.empty() ? command.arch : machine ? machine->arch : usual_arch));
  how.include = command.include;
  how.kernel = command.what.kernel;
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  const auto file = WARPCLOCK_TRY(loaded(command.file, how));
  if (command.hazards) return check_hazards(command, file, how);
  InspectOptions what = command.what;
  what.machine = machine ? &*machine : nullptr;
  if (!command.other.empty()) return compare_builds(command, file, how, what);
  const auto inspection = WARPCLOCK_TRY(inspect(command.file, file, what));
  if (!command.page.empty()) WARPCLOCK_TRY(write_named(command.page, render_inspection(inspection)));
  if (!command.graph.empty()) WARPCLOCK_TRY(write_graph(command.graph, inspection));
  if (command.graph != "-")
    fmt::print("{}",
               command.format.json ? to_json(inspection) : to_text(inspection_sheet(inspection), Style(Stream::Out)));
  return 0;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "inspect", "What a kernel's machine code is made of: what it needs of an SM, its loops, and one trip of each");
  auto options = std::make_shared<InspectCommand>();
  add_value(*command, "file", "FILE", options->file,
            "A cubin, a fat binary, a program, library or object with fat binaries, PTX, or CUDA C++ (.cu)")
      ->required();
  add_value(*command, "other", "FILE", options->other, "Another build of the same kernels: what differs in it");
  add_value(*command, "--kernel", "NAME", options->what.kernel,
            "Only kernels with this name, or with it in their name");
  add_value(*command, "--block", "THREADS", options->what.threads, "Threads of a block, for blocks per SM")
      ->check(CLI::Range(1, 1024));
  add_value(*command, "--shared", "BYTES", options->what.dynamic_bytes, "Shared memory that the launch adds")
      ->check(CLI::Range(0, 1 << 20));
  add_arch_option(*command, options->arch,
                  "What to compile for, and the machine code to take of several; without it that of the GPU")
      ->type_name("ARCH");
  options->gpu.add_options(*command);
  add_include_option(*command, options->include);
  add_nvdisasm_option(*command, options->nvdisasm);
  options->format.add_options(*command);
  command->add_flag("--exit-code", options->exit_code, "End with 1 if a kernel of the two files differs");
  command->add_flag("--hazards", options->hazards,
                    "Check the control fields against the measured minimum stall counts (without --gpu: of all GPUs of "
                    "the architecture), and end with 1 if an instruction issues too early");
  add_value(*command, "--rewrite", "FILE", options->rewritten,
            "With --hazards, also write the cubin with each stall count lowered to what readers of results need")
      ->needs("--hazards");
  add_value(*command, "--page", "FILE", options->page, "Also write a page with the listing, its loops marked");
  add_value(*command, "--graph", "FILE", options->graph,
            "Also draw the control flow of the kernel: FILE.svg or FILE.dot; - prints DOT alone");
  command->footer(
      "Nothing is run. Latencies are those measured on the GPU (without --gpu: h200). Examples:\n"
      "  warpclock inspect gemm.cubin --block 256\n"
      "  warpclock inspect a.out --kernel softmax --gpu h100\n"
      "  warpclock inspect a.out --kernel softmax --graph softmax.svg\n"
      "  warpclock inspect ptxas-12.9.cubin ptxas-13.0.cubin\n"
      "  warpclock inspect patched.cubin --hazards\n"
      "  warpclock inspect gemm.cubin --hazards --rewrite faster.cubin\n"
      "  warpclock inspect kernel.cu --include ~/cutlass/include --json | jq '.kernels[].loops[].issue_cycles'\n"
      "`warpclock schema inspect` prints the schema of the JSON.");
  command->callback([options, &action] { action = [options] { return inspect_file(*options); }; });
}

}  // namespace warpclock
