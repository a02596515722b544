#include "execute/execute.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernels/execute_verify.hpp"
#include "cli/kernels/launch_options.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "execute/execution.hpp"
#include "inspect/inspect.hpp"
#include "inspect/load.hpp"

namespace warpclock {
namespace {

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
