#include "predict/predict.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/paths.hpp"
#include "base/parallel.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/answers/gpu_choice.hpp"
#include "cli/command.hpp"
#include "cli/options/named_file.hpp"
#include "code/nvdisasm.hpp"
#include "inspect/inspect.hpp"
#include "inspect/load.hpp"
#include "predict/counts.hpp"
#include "predict/prediction_json.hpp"
#include "predict/prediction_text.hpp"
#include "report/html/prediction_html.hpp"

namespace warpclock {
namespace {

struct PredictCommand {
  std::string file, kernel, launch, counts, page, nvdisasm;
  std::vector<std::string> trips, hits, strides, include;
  int warps = 0;
  bool json = false;
  PredictOptions what;
  GpuChoice gpu;
};

std::optional<std::int64_t> number_of(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "256" or "32x8x1": what is along x, y and z.
std::optional<std::array<std::int64_t, 3>> extents_of(std::string_view text, std::int64_t most) {
  std::array<std::int64_t, 3> extents = {1, 1, 1};
  const std::vector<std::string> words = split(text, 'x');
  if (words.size() > extents.size()) return std::nullopt;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    extents[i] = number_of(words[i]).value_or(0);
    if (extents[i] < 1 || extents[i] > most / all) return std::nullopt;
    all *= extents[i];
  }
  return extents;
}

/// "132,256", "32x32,32x8,4096".
Expected<void> read_launch(const std::string& text, PredictOptions& what) {
  if (text.empty()) return {};
  constexpr std::int64_t most_threads = 1024, most_shared = 1 << 20, most_blocks = std::int64_t{1} << 40;
  const std::vector<std::string> words = split(text, ',');
  const bool few = words.size() == 2 || words.size() == 3;
  const auto grid = few ? extents_of(words[0], most_blocks) : std::nullopt;
  const auto block = few ? extents_of(words[1], most_threads) : std::nullopt;
  const auto shared = words.size() == 3 ? number_of(words[2]) : std::optional<std::int64_t>(0);
  if (!grid || !block || !shared || *shared < 0 || *shared > most_shared)
    return fail("option", "--launch is GRID,BLOCK or GRID,BLOCK,SHARED, as 1056,256,49152 or 32x32,32x8", text);
  what.blocks = (*grid)[0] * (*grid)[1] * (*grid)[2];
  what.threads = static_cast<int>((*block)[0] * (*block)[1] * (*block)[2]);
  for (std::size_t i = 0; i < block->size(); ++i) {
    what.shape.block[i] = static_cast<int>((*block)[i]);
    what.shape.grid[i] = static_cast<int>(std::min<std::int64_t>((*grid)[i], std::numeric_limits<int>::max()));
  }
  what.dynamic_bytes = *shared;
  return {};
}

Expected<std::pair<std::string, std::string>> halves(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return fail("option", option + " is WHAT=VALUE", text);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Expected<void> read_trips(const std::vector<std::string>& texts, PredictOptions& what) {
  for (const std::string& text : texts) {
    const auto [loop, trips] = WARPCLOCK_TRY(halves("--trips", text));
    const auto id = number_of(loop.starts_with("loop") ? loop.substr(4) : loop), count = number_of(trips);
    if (!id || *id < 0 || !count || *count < 1)
      return fail("option", "--trips is LOOP=N with a loop's number and at least one trip, as 0=128", text);
    what.trips[static_cast<int>(*id)] = *count;
  }
  return {};
}

/// "load=L1" for all accesses, "0x0240=dram" for one.
Expected<void> read_hits(const std::vector<std::string>& texts, PredictOptions& what) {
  for (const std::string& text : texts) {
    const auto [which, word] = WARPCLOCK_TRY(halves("--hit", text));
    const auto level = level_of(word);
    const auto address = which == "load" ? std::optional<std::int64_t>(0) : number_of(which);
    if (!level || !address)
      return fail("option", "--hit is load=LEVEL or ADDRESS=LEVEL with L1, L2 or dram, as 0x0240=dram", text);
    if (which == "load")
      what.level = *level;
    else
      what.hits[*address] = *level;
  }
  return {};
}

/// "0x0240=128": so many bytes are between the lanes of an access.
Expected<void> read_strides(const std::vector<std::string>& texts, PredictOptions& what) {
  constexpr std::int64_t most = 1 << 24;
  for (const std::string& text : texts) {
    const auto [which, word] = WARPCLOCK_TRY(halves("--stride", text));
    const auto address = number_of(which), stride = number_of(word);
    if (!address || *address < 0 || !stride || *stride < 0 || *stride > most)
      return fail("option", "--stride is ADDRESS=BYTES with at most 16777216 bytes, as 0x0240=128", text);
    what.strides[*address] = *stride;
  }
  return {};
}

Expected<PredictOptions> options_of(const PredictCommand& command) {
  PredictOptions what = command.what;
  WARPCLOCK_TRY(read_launch(command.launch, what));
  WARPCLOCK_TRY(read_trips(command.trips, what));
  WARPCLOCK_TRY(read_hits(command.hits, what));
  WARPCLOCK_TRY(read_strides(command.strides, what));
  if (!command.counts.empty()) {
    const auto text = WARPCLOCK_TRY(read_file(command.counts));
    auto counts = parse_counts(text);
    if (!counts) {
      counts.error().place = command.counts + (counts.error().place.empty() ? "" : ": " + counts.error().place);
      return std::unexpected(counts.error());
    }
    what.executed = *std::move(counts);
  }
  constexpr std::size_t drawn = 2000;
  if (!command.page.empty() && what.timeline == 0) what.timeline = drawn;
  constexpr int warp_threads = 32;
  if (command.warps > 0) what.threads = command.warps * warp_threads;
  return what;
}

struct Predicted {
  std::vector<Prediction> kernels;
  std::vector<Error> failed;
};

Predicted predict_kernels(const PredictCommand& command, const std::vector<const LoadedKernel*>& kernels,
                          const Machine& machine, const PredictOptions& what) {
  std::vector<std::optional<Expected<Prediction>>> each(kernels.size());
  for_each_at_once(kernels.size(), [&](std::size_t i) { each[i] = predict(*kernels[i], machine, what); });
  Predicted all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto& prediction = *each[i];
    if (prediction) {
      prediction->file = command.file;
      all.kernels.push_back(*std::move(prediction));
    } else {
      prediction.error().place = command.file + ": " + readable_name(kernels[i]->listing.kernel);
      all.failed.push_back(std::move(prediction.error()));
    }
  }
  return all;
}

Expected<std::vector<const LoadedKernel*>> kernels_of(const LoadedFile& file, const PredictCommand& command) {
  std::vector<const LoadedKernel*> kernels;
  std::vector<std::string> names;
  for (const LoadedKernel& kernel : file.kernels) {
    if (!kernel.facts.entry) continue;
    names.push_back(readable_name(kernel.listing.kernel));
    if (is_meant(kernel.listing.kernel, command.kernel)) kernels.push_back(&kernel);
  }
  if (names.empty())
    return fail("no-kernel", "there are only functions in it, and no kernel that calls them", command.file);
  if (kernels.empty()) return std::unexpected(no_such_kernel(command.kernel, names, command.file));
  return kernels;
}

Expected<int> predict_file(const PredictCommand& command) {
  const PredictOptions what = WARPCLOCK_TRY(options_of(command));
  GpuChoice choice = command.gpu;
  if (choice.gpu.empty()) choice.gpu = "h200";
  const auto machine = WARPCLOCK_TRY(load_machine(choice));
  LoadOptions how;
  how.arch_given = true;
  how.arch = WARPCLOCK_TRY(parse_arch(machine.arch));
  how.include = command.include;
  how.kernel = command.kernel;
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  const auto file = WARPCLOCK_TRY(load_file(command.file, how));
  const auto kernels = WARPCLOCK_TRY(kernels_of(file, command));
  const auto [all, failed] = predict_kernels(command, kernels, machine, what);
  if (all.empty()) return std::unexpected(failed.front());
  if (!command.page.empty()) WARPCLOCK_TRY(write_named(command.page, render_predictions(all)));
  for (const Error& error : failed) fmt::print(stderr, "warpclock: {}\n", error.message());
  const int status = failed.empty() ? 0 : 1;
  if (command.json) {
    fmt::print("{}", to_json(all));
    return status;
  }
  fmt::print("{}: {}, costs of {}\n", command.file, file.kind, machine.gpu);
  for (const Prediction& one : all) fmt::print("\n{}", prediction_text(one, Style(Stream::Out)));
  return status;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "predict", "How many cycles a kernel and each of its loops take, what limits them, and where warps wait");
  auto options = std::make_shared<PredictCommand>();
  command->add_option("file", options->file, "What `warpclock inspect` reads: a cubin, a program, PTX, CUDA C++ (.cu)")
      ->required()
      ->type_name("FILE");
  command->add_option("--kernel", options->kernel, "Only kernels with this name, or with it in their name")
      ->type_name("NAME");
  command
      ->add_option("--launch", options->launch,
                   "Blocks, threads of a block (each a number, or 32x8 along x and y), and shared memory that the "
                   "launch adds; without it all SMs are full")
      ->type_name("GRID,BLOCK,SHARED");
  command->add_option("--trips", options->trips, "How often a loop runs each time that it is entered, as 0=128")
      ->type_name("LOOP=N");
  command
      ->add_option("--counts", options->counts,
                   "Trips from executed instructions: the source page of Nsight Compute (ncu --page source --csv)")
      ->type_name("FILE");
  command
      ->add_option("--hit", options->hits,
                   "The level that answers: load=L1 for all accesses to global memory, 0x0240=dram for one (L2)")
      ->type_name("LOAD=LEVEL");
  command
      ->add_option("--stride", options->strides,
                   "Bytes between the lanes of an access whose addresses cannot be deduced, as 0x0240=128")
      ->type_name("ADDRESS=BYTES");
  command->add_option("--warps", options->warps, "Another number of warps of a block")
      ->check(CLI::Range(1, 32))
      ->type_name("N");
  command->add_flag("--window", options->what.window, "From the first clock read of the kernel to the last");
  options->gpu.add_options(*command);
  command->add_option("--include", options->include, "A folder of headers for CUDA C++")->type_name("DIR");
  command->add_option("--nvdisasm", options->nvdisasm, "The disassembler to use")->type_name("PATH");
  command
      ->add_option("--timeline", options->what.timeline,
                   "With --json and --page, how many issues are kept (--page: 2000)")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  command->add_flag("--json", options->json, "Machine-readable");
  command->add_option("--page", options->page, "Also write a page with a timeline: warps over cycles, pipes below")
      ->type_name("FILE");
  command->footer(
      "Nothing is run: the kernel's machine code is simulated with the measured costs of the GPU (without --gpu:\n"
      "h200). A number is a range where the GPU has no row for an instruction. docs/predict.md has what is modelled\n"
      "and the measured error. Examples:\n"
      "  warpclock predict gemm.cubin --launch 1056,256,49152 --trips 0=128\n"
      "  warpclock predict kernel.cu --kernel softmax --hit load=dram --gpu h100\n"
      "  warpclock predict a.out --counts source.csv --json | jq '.kernels[].loops'\n"
      "`warpclock schema predict` prints the schema of the JSON.");
  command->callback([options, &action] { action = [options] { return predict_file(*options); }; });
}

}  // namespace warpclock
