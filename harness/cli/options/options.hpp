#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "execute/given_arguments.hpp"
#include "measure/inputs.hpp"
#include "model/machine.hpp"
#include "plan/arch.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What is wrong with the text of an option as a number: it is larger than 64 bits hold, or infinite, or NaN. Empty if
/// nothing is, or if it is no number. CLI11 takes the largest number for one that is too large, and NaN for a number in
/// every range.
[[nodiscard]] std::string wrong_number(const std::string& given);

/// An option with a value, which the help calls `shown`: "FILE".
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& names, const char* shown, T& value,
                       const std::string& text) {
  auto* option = command.add_option(names, value, text)->type_name(shown);
  if constexpr (std::is_arithmetic_v<T>) option->check(wrong_number);
  return option;
}

/// --nvdisasm: the path of the program.
inline void add_nvdisasm_option(CLI::App& command, std::string& value) {
  add_value(command, "--nvdisasm", "PATH", value, "The disassembler to use");
}

/// --include, once for each folder.
inline void add_include_option(CLI::App& command, std::vector<std::string>& folders) {
  add_value(command, "--include", "DIR", folders,
            "A folder of headers for CUDA C++, beside its own and the CUDA Toolkit's; may be repeated");
}

/// --cache and --nvdisasm, of commands that compile.
inline void add_build_options(CLI::App& command, std::string& cache, std::string& nvdisasm) {
  add_value(command, "--cache", "DIR", cache, "Folder for compiled code");
  add_nvdisasm_option(command, nvdisasm);
}

/// FILTER, --suite, --probes and --configs, of commands that take probes.
inline void add_selection(CLI::App& command, Selection& selection) {
  add_value(command, "filter", "PATTERN", selection.patterns, "Cases to take: part of an id, or a pattern with *");
  add_value(command, "--suite", "SUITE,...", selection.suite,
            "smoke, full, memory, quick (the memory suite in short), kernels (tensor cores, copies, clusters, "
            "synchronization), energy (joules, a minute or two), some of them, or all")
      ->capture_default_str();
  add_value(command, "--probes", "DIR", selection.probes_dir, "Folder of .cu files instead of the ones built in");
  add_value(command, "--configs", "DIR", selection.configs_dir, "Folder of .yaml files instead of the ones built in");
}

/// How a command measures.
struct MeasuringOptions {
  bool no_counters = false, exclusive = false, quiet = false, replace = false;
};

/// --no-counters, --exclusive, --replace and --quiet, of commands that measure all of something into a record.
inline void add_measuring_options(CLI::App& command, MeasuringOptions& how) {
  command.add_flag("--no-counters", how.no_counters, "Read no hardware counters");
  command.add_flag("--exclusive", how.exclusive,
                   "Exit with status 2 where another process is on the GPU, before anything is measured; or where one "
                   "was busy there during a row");
  command.add_flag("--replace", how.replace,
                   "Replace a record with more measured rows even if rows fail for reasons of this machine");
  command.add_flag("-q,--quiet", how.quiet, "No progress and no header; only what is not measured, and the counts");
}

/// --arch; an empty one is refused.
CLI::Option* add_arch_option(CLI::App& command, std::string& value, const std::string& text);

/// An architecture as people name it: "sm_90a", "90a", "compute_90", or a GPU, "H100". Error "usage" if the compiler of
/// this program does not know it, with those that it knows.
[[nodiscard]] Expected<Arch> named_arch(std::string_view text);

/// Those of "sm_80,H100", each once, or of "all": all_archs().
[[nodiscard]] Expected<std::vector<Arch>> named_archs(std::string_view text);

/// Whether `--gpu WORD` means a GPU of this machine: its number, or its UUID.
[[nodiscard]] bool is_device(const std::string& word);

/// The value of CUDA_VISIBLE_DEVICES that leaves this GPU alone. Numbers count what `before`, the present value, leaves
/// visible: a scheduler or container sets it. Error "usage".
[[nodiscard]] Expected<std::string> visible_devices(const std::string& word, const std::string& before);

/// Hides all other GPUs from the worker, and with them from probes that need a second one. Nothing for an empty word.
[[nodiscard]] Expected<void> use_gpu(const std::string& word);

/// `--gpu` of commands that measure.
CLI::Option* add_device_option(CLI::App& command, std::string& word);

/// "a cubin, library or program, which `warpclock inspect` reads": what a file is and who reads it; empty if unknown.
[[nodiscard]] std::string file_kind(std::string_view bytes);

/// The error of a command that could not read a file, with what the file is, unless `command` reads that.
[[nodiscard]] Error with_file_kind(Error error, const std::string& path, std::string_view command);

/// Writes a file that a person named, as write_marked() does. Error "write" if its folder does not exist: a misspelt
/// path makes no folders.
[[nodiscard]] Expected<void> write_named(const std::string& path, std::string_view text);

/// "12/260 instructions" on standard error, on a line that is cleared at the end; nothing if that is no terminal.
[[nodiscard]] std::function<void(std::size_t done, std::size_t total)> progress_on_terminal(const std::string& noun);

/// Clears that line, before something else is printed.
void clear_progress();

/// How a sheet is printed.
struct SheetFormat {
  bool json = false, csv = false;

  /// --json, and --csv where tables are what the command prints.
  void add_options(CLI::App& command, bool tables = false);
};

/// On standard output.
void print(const Sheet& sheet, const SheetFormat& format);

struct LaunchOption {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t dynamic_bytes = 0;
};

/// "132,256", "32x32,32x8,4096". Error "option".
[[nodiscard]] Expected<LaunchOption> launch_option(const std::string& text);

/// Bytes: "4096", "0x4000000", "64MiB"; nothing if it says no number above 0, or more than a TiB.
[[nodiscard]] std::optional<std::int64_t> bytes_of_size(std::string_view text);

/// What --arg and --buffer say: "3=4096", "0=64MiB", "0=64MiB:iota". Error "option".
[[nodiscard]] Expected<GivenArguments> argument_options(const std::vector<std::string>& values,
                                                        const std::vector<std::string>& buffers);

/// Both sides of "WHAT=VALUE". Error "option".
[[nodiscard]] Expected<std::pair<std::string, std::string>> option_halves(const std::string& option,
                                                                          const std::string& text);

/// The words of all options of one name: each may hold several, "0=256,1=4".
[[nodiscard]] std::vector<std::string> option_pieces(const std::vector<std::string>& texts);

/// Which measured GPU a command answers for. An empty `gpu` means the GPU of this machine.
struct GpuChoice {
  std::string gpu, reports;
  bool here = false;  ///< a GPU of this machine was named, and no record may answer for it

  /// Returns --gpu.
  CLI::Option* add_options(CLI::App& command);
};

/// A number or UUID in `gpu` makes that the GPU of this machine.
[[nodiscard]] Expected<GpuChoice> with_device(GpuChoice choice);

/// The folder of the chosen GPU in `reports`. Error "gpu" also if none is named and this machine has none.
[[nodiscard]] Expected<std::string> chosen_folder(const std::filesystem::path& reports, const GpuChoice& choice);

/// The folders of reports that answer without a GPU: of the chosen one, or of all measured ones. None if there are no
/// reports and none is chosen.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> answering_folders(const GpuChoice& choice);

/// "H200"
[[nodiscard]] std::string short_name(const DeviceFacts& device);

/// "H200, measured 2026-11-23"
[[nodiscard]] std::string measured_when(const DeviceFacts& device, const Provenance& provenance);

/// The same, or the H200 if none is named.
[[nodiscard]] GpuChoice or_usual(GpuChoice choice);

/// The model of the chosen GPU.
[[nodiscard]] Expected<Machine> load_machine(const GpuChoice& choice);

/// Those of `--gpu h100,h200`; of the H200 if none is named.
[[nodiscard]] Expected<std::vector<Machine>> load_machines(const GpuChoice& choice);

}  // namespace warpclock
