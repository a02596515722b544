#include "execute/execute.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/json/json_writer.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/instructions/catalogue.hpp"
#include "cli/measuring.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "code/toolkit.hpp"
#include "compile/ptxas.hpp"
#include "execute/execution.hpp"
#include "fields/form_table.hpp"
#include "gpu/worker/worker.hpp"
#include "inspect/inspect.hpp"
#include "inspect/load.hpp"
#include "measure/machine/holes.hpp"
#include "plan/plan.hpp"
#include "prove/prove.hpp"

namespace warpclock {
namespace {

/// `warpclock execute --verify`.
struct FormCheckOptions {
  std::vector<std::string> patterns;  ///< of forms; none: all
  GpuChoice gpu;
  std::string out, cache, nvdisasm;
  bool json = false, quiet = false, exclusive = false;
};

constexpr std::array<std::string_view, 5> proof_names{"verified", "differs", "not followed", "not composed", "not run"};
std::string_view name_of(Proof proof) { return proof_names.at(static_cast<std::size_t>(proof)); }

std::string why(const ProvedForm& form) {
  if (!form.difference.empty()) return form.difference;
  return form.reason ? form.reason->text : std::string();
}

std::string json_of(const DeviceFacts& device, const std::vector<ProvedForm>& forms) {
  std::string text = fmt::format(
      "{{\"schema\":{{\"major\":1,\"minor\":0,\"patch\":0}},\"record\":\"verified-semantics\",\"gpu\":{},\n\"rows\":[",
      JsonLine::of(device.slug));
  for (std::size_t i = 0; i < forms.size(); ++i)
    text += fmt::format("{}\n{{\"id\":{},\"proof\":{},\"sets\":{},\"digest\":{},\"why\":{}}}", i > 0 ? "," : "",
                        JsonLine::of(forms[i].key), JsonLine::of(std::string(name_of(forms[i].proof))), forms[i].sets,
                        JsonLine::of(forms[i].digest), JsonLine::of(why(forms[i])));
  return text + "\n]}\n";
}

void print_forms(const std::vector<ProvedForm>& forms, double seconds) {
  constexpr std::size_t few = 20;
  const Style style(Stream::Out);
  std::map<Proof, std::ptrdiff_t> counts;
  std::int64_t sets = 0;
  for (const ProvedForm& form : forms) {
    ++counts[form.proof];
    if (form.proof == Proof::Verified) sets += form.sets;
    if (forms.size() > few && form.proof != Proof::Differs) continue;
    const std::string_view name = name_of(form.proof);
    const std::string shown =
        form.proof == Proof::Differs ? style.red(fmt::format("{:<12}", name)) : fmt::format("{:<12}", name);
    fmt::print("{} {}{}{}\n", shown, form.key, why(form).empty() ? "" : ": ", why(form));
  }
  std::vector<std::string> parts;
  for (const auto& [proof, count] : counts) parts.push_back(fmt::format("{} {}", count, name_of(proof)));
  fmt::print("{}: {}; {} sets of operands, {:.1f} s\n", counted(std::ssize(forms), "form"), join(parts, ", "), sets,
             seconds);
}

Expected<int> compare_all(const FormCheckOptions& options, std::optional<Worker> worker,
                          const std::optional<ProofTable>& recorded) {
  const auto started = Time::now();
  const DeviceFacts device = worker ? worker->device() : recorded->device;
  const Arch arch = WARPCLOCK_TRY(parse_arch(device.arch));
  const std::vector<WordForm> forms = chosen_forms(forms_of(arch), options.patterns);
  if (forms.empty())
    return fail("filter", "no machine instruction matches; `warpclock catalogue --sass --list` shows them");
  const std::string nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  Holes holes(arch, nvdisasm, options.cache);
  const Hole& hole = WARPCLOCK_TRY(holes.get(HoleKind::Operands));
  const ProofFrame frame = WARPCLOCK_TRY(proof_frame(arch, nvdisasm, hole));
  const auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  ProveOptions how{
      .frame = &frame, .forms = forms, .folder = folder.path(), .desk = {}, .recorded = {}, .progress = {}};
  if (worker)
    how.desk = {[&](const Job& job) { worker->post(job); }, [&] { return worker->take(); }};
  else
    how.recorded = digests_of(*recorded);
  if (!options.quiet) how.progress = progress_on_terminal("machine instructions");
  const auto proved = WARPCLOCK_TRY(prove_forms(how));
  clear_progress();
  if (!options.out.empty()) {
    ProofTable table{.provenance = gather_provenance(nvdisasm, device.driver, worker->counters_missing()),
                     .device = device,
                     .operands = operands_digest(),
                     .rows = rows_of(proved)};
    note_ptxas(table.provenance);
    table.provenance.duration_s = seconds_since(started);
    note_worker(table.provenance, *worker);
    WARPCLOCK_TRY(write_all(options.out, {{std::string(proof_file) + ".gz", to_json(table)}}));
  }
  if (options.json)
    fmt::print("{}", json_of(device, proved));
  else
    print_forms(proved, seconds_since(started));
  const auto differs = [](const ProvedForm& form) { return form.proof == Proof::Differs; };
  return std::ranges::any_of(proved, differs) ? 1 : 0;
}

/// --verify, and the options that only it has.
void add_form_check_options(CLI::App& command, bool& verify, FormCheckOptions& options) {
  command.add_flag("--verify", verify,
                   "Instead of a kernel, execute every form of a machine instruction with thousands of operands, and "
                   "compare with what a GPU does, bit for bit");
  options.gpu.add_options(command);
  add_value(command, "--out", "DIR", options.out, "With --verify: keep digests of the GPU's results in this folder");
  add_value(command, "--cache", "DIR", options.cache, "Folder for compiled code");
  command.add_flag("--exclusive", options.exclusive, "With --verify: exit with 2 where another process is on the GPU");
  command.add_flag("-q,--quiet", options.quiet, "No progress");
}

/// Compares what the executor computes of each form with what a GPU did: the GPU of this machine, or the record of the
/// chosen one. Returns the exit status: 1 if one differs.
Expected<int> check_forms(const FormCheckOptions& options) {
  const GpuChoice choice = WARPCLOCK_TRY(with_device(options.gpu));
  if (!choice.gpu.empty() && !choice.here) {
    if (!options.out.empty()) return fail("usage", "--out keeps the results of a GPU of this machine");
    const auto folders = WARPCLOCK_TRY(answering_folders(choice));
    auto table = WARPCLOCK_TRY(read_proofs(folders.front()));
    return compare_all(options, std::nullopt, std::move(table));
  }
  if (!options.out.empty() && !options.patterns.empty())
    return fail("usage", "--out keeps the results of all forms: give no pattern with it");
  auto worker = Worker::start({.counters = false});
  if (!worker)
    return fail(worker.error().code,
                worker.error().text + "; with --gpu h200 the recorded results of that GPU are compared",
                worker.error().place);
  WARPCLOCK_TRY(warn_of_others(*worker, options.exclusive));
  return compare_all(options, *std::move(worker), std::nullopt);
}

struct ExecuteCommand {
  std::string file, kernel, launch, arch, nvdisasm, blocks = "64";
  std::vector<std::string> arguments, buffers, include;
  bool json = false, verify = false;
  FormCheckOptions verification;
};

/// "all", or a number.
Expected<std::uint64_t> blocks_option(const std::string& text) {
  if (text == "all") return std::numeric_limits<std::uint64_t>::max();
  const auto number = decimal_or_hex(text);
  if (!number || *number < 1) return fail("option", "--blocks is all or a number, as 64", text);
  return static_cast<std::uint64_t>(*number);
}

/// The one kernel that is meant.
Expected<const LoadedKernel*> kernel_meant(const LoadedFile& file, const std::string& word, const std::string& path) {
  const LoadedKernel* found = nullptr;
  std::vector<std::string> names;
  for (const LoadedKernel& one : file.kernels) {
    if (!one.facts.entry) continue;
    names.push_back(readable_name(one.listing.kernel));
    if (!is_meant(one.listing.kernel, word)) continue;
    if (found != nullptr)
      return fail("kernel",
                  fmt::format("several kernels are meant, {} and {} among them: give one with --kernel NAME",
                              readable_name(found->listing.kernel), names.back()),
                  path);
    found = &one;
  }
  if (found == nullptr) return std::unexpected(no_such_kernel(word, names, path));
  return found;
}

Expected<int> execute_command(const ExecuteCommand& command) {
  if (command.verify) {
    FormCheckOptions options = command.verification;
    if (!command.file.empty()) options.patterns.push_back(command.file);
    options.json = command.json, options.nvdisasm = command.nvdisasm;
    return check_forms(options);
  }
  if (command.file.empty()) return fail("usage", "name a file, or give --verify");
  if (command.launch.empty()) return fail("usage", "--launch GRID,BLOCK,SHARED is needed");
  constexpr std::int64_t most_extent = std::numeric_limits<std::uint32_t>::max();
  const LaunchOption launch = WARPCLOCK_TRY(launch_option(command.launch));
  for (const std::int64_t extent : launch.grid) {
    if (extent > most_extent) return fail("option", "--launch has more blocks than a grid", command.launch);
  }
  const GivenArguments given = WARPCLOCK_TRY(argument_options(command.arguments, command.buffers));
  const std::uint64_t blocks = WARPCLOCK_TRY(blocks_option(command.blocks));
  LoadOptions how;
  how.arch_given = !command.arch.empty();
  how.arch = WARPCLOCK_TRY(named_arch(command.arch.empty() ? "sm_90a" : command.arch));
  how.include = command.include;
  how.kernel = command.kernel;
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  const auto file = load_file(command.file, how);
  if (!file) return std::unexpected(with_file_kind(file.error(), command.file, "execute"));
  const LoadedKernel& kernel = *WARPCLOCK_TRY(kernel_meant(*file, command.kernel, command.file));
  const auto extents = [](const std::array<std::int64_t, 3>& of) {
    return std::array{static_cast<std::uint32_t>(of[0]), static_cast<std::uint32_t>(of[1]),
                      static_cast<std::uint32_t>(of[2])};
  };
  const auto arguments = WARPCLOCK_TRY(given_arguments(given, kernel.facts));
  const std::string target = kernel.listing.target.empty() ? to_string(file->arch) : kernel.listing.target;
  const auto launched = WARPCLOCK_TRY(executed_launch(kernel.facts, target, extents(launch.grid), extents(launch.block),
                                                      launch.dynamic_bytes, arguments));
  auto execution = execution_of(kernel, launched, blocks);
  if (!execution) {
    execution.error().place = command.file + ": " + readable_name(kernel.listing.kernel);
    return std::unexpected(std::move(execution.error()));
  }
  execution->file = command.file;
  if (execution->arch.empty()) execution->arch = target;
  fmt::print("{}", command.json ? to_json({*execution}) : to_text(execution_sheet(*execution), Style(Stream::Out)));
  return 0;
}

}  // namespace

void add_execute(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "execute", "Which instructions the warps of a kernel execute and which addresses they access, on the CPU");
  auto options = std::make_shared<ExecuteCommand>();
  add_value(
      *command, "file", "FILE", options->file,
      "What `warpclock inspect` reads: a cubin, a program, PTX, CUDA C++ (.cu); with --verify, a pattern of forms");
  add_value(*command, "--kernel", "NAME", options->kernel, "The kernel with this name, or with it in its name");
  add_value(
      *command, "--launch", "GRID,BLOCK,SHARED", options->launch,
      "Blocks, threads of a block (each a number, or 32x8 along x and y), and shared memory that the launch adds");
  add_value(*command, "--arg", "N=VALUE", options->arguments,
            "The value of an argument by its number from 0, as 3=4096 or 4=0.5");
  add_value(
      *command, "--buffer", "N=SIZE:HOLDS", options->buffers,
      "The bytes of the buffer behind an argument, as 0=64MiB, and what it holds if that decides something: zeros, "
      "ones, iota, random (32-bit integers, or as random:f32), or the name of a file");
  add_value(*command, "--blocks", "N", options->blocks,
            "How many blocks are executed at most, at equal distances (64), or all");
  add_value(*command, "--arch", "ARCH", options->arch,
            "The architecture to compile for, and whose machine code is taken");
  add_include_option(*command, options->include);
  add_nvdisasm_option(*command, options->nvdisasm);
  command->add_flag("--json", options->json, "Machine-readable");
  add_form_check_options(*command, options->verify, options->verification);
  command->footer(
      "Nothing is assumed: if a jump, an address or a barrier depends on what is not given, the error says what to\n"
      "give. Values that decide nothing are not computed. Exit status: 0 executed; 2 not. Examples:\n"
      "  warpclock execute gemm.cubin --launch 32x32,256,49152 --arg 3=4096 --buffer 0=32MiB,1=32MiB,2=64MiB\n"
      "  warpclock execute gather.cu --launch 132,256 --buffer 0=64MiB,1=1MiB:indices.bin,2=1MiB --json\n"
      "`warpclock schema execute` prints the schema of the JSON.");
  command->callback([options, &action] { action = [options] { return execute_command(*options); }; });
}

}  // namespace warpclock
