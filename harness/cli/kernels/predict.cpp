#include "predict/predict.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "capture/capture.hpp"
#include "capture/predict_capture.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "inspect/inspect.hpp"
#include "inspect/load.hpp"
#include "predict/counts.hpp"
#include "predict/listing/annotated_listing.hpp"
#include "predict/listing/trace.hpp"
#include "predict/predict_file.hpp"
#include "predict/prediction_output.hpp"
#include "report/page/page.hpp"

namespace warpclock {
namespace {

/// What the command line of `predict` says.
struct PredictCommand {
  std::string file, kernel, launch, counts, page, trace, nvdisasm;
  std::vector<std::string> trips, hits, strides, arguments, buffers, include;
  int warps = 0;
  std::int64_t pick = -1;  ///< the launch of a capture; -1: all
  bool json = false, csv = false;
  PredictOptions what{.limit = 60};
  GpuChoice gpu;
};

/// "132,256", "32x32,32x8,4096".
Expected<void> read_launch(const std::string& text, PredictOptions& what) {
  if (text.empty()) return {};
  const LaunchOption launch = WARPCLOCK_TRY(launch_option(text));
  what.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  what.threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  for (std::size_t i = 0; i < launch.block.size(); ++i) {
    what.shape.block[i] = static_cast<int>(launch.block[i]);
    what.shape.grid[i] = static_cast<int>(std::min<std::int64_t>(launch.grid[i], std::numeric_limits<int>::max()));
  }
  what.dynamic_bytes = launch.dynamic_bytes;
  return {};
}

Expected<void> read_trips(const std::vector<std::string>& texts, PredictOptions& what) {
  constexpr std::int64_t most_loops = 1 << 20;
  for (const std::string& text : option_pieces(texts)) {
    const auto [loop, trips] = WARPCLOCK_TRY(option_halves("--trips", text));
    const auto id = decimal_or_hex(loop.starts_with("loop") ? loop.substr(4) : loop), count = decimal_or_hex(trips);
    if (!id || *id > most_loops || !count || *count > most_trips)
      return fail(
          "option",
          fmt::format("--trips is LOOP=N with a loop's number and at most {} trips, as 0=128 or 0=128,1=4", most_trips),
          text);
    if (!what.trips.emplace(static_cast<int>(*id), *count).second)
      return fail("option", fmt::format("--trips says twice how often loop {} runs", *id), text);
  }
  return {};
}

/// "load=L1" for all accesses, "0x0240=dram" for one.
Expected<void> read_hits(const std::vector<std::string>& texts, PredictOptions& what) {
  for (const std::string& text : option_pieces(texts)) {
    const auto [which, word] = WARPCLOCK_TRY(option_halves("--hit", text));
    const auto level = level_of(word);
    const auto address = which == "load" ? std::optional<std::int64_t>(0) : decimal_or_hex(which);
    if (!level || !address)
      return fail("option", "--hit is load=LEVEL or ADDRESS=LEVEL with L1, L2 or dram, as 0x0240=dram", text);
    if (which == "load")
      what.level = *level, what.level_from = "--hit", what.level_has_room = true;
    else
      what.hits[*address] = *level;
  }
  return {};
}

/// "0x0240=128": so many bytes are between the lanes of an access.
Expected<void> read_strides(const std::vector<std::string>& texts, PredictOptions& what) {
  constexpr std::int64_t most = 1 << 24;
  for (const std::string& text : option_pieces(texts)) {
    const auto [which, word] = WARPCLOCK_TRY(option_halves("--stride", text));
    const auto address = decimal_or_hex(which), stride = decimal_or_hex(word);
    if (!address || !stride || *stride > most)
      return fail("option", "--stride is ADDRESS=BYTES with at most 16777216 bytes, as 0x0240=128", text);
    what.strides[*address] = *stride;
  }
  return {};
}

/// Error "option" if a launch, trips, a level, a stride or an argument cannot be read; those of parse_counts() with the
/// file.
Expected<PredictOptions> options_of(const PredictCommand& command) {
  PredictOptions what = command.what;
  WARPCLOCK_TRY(read_launch(command.launch, what));
  WARPCLOCK_TRY(read_trips(command.trips, what));
  WARPCLOCK_TRY(read_hits(command.hits, what));
  WARPCLOCK_TRY(read_strides(command.strides, what));
  what.given = WARPCLOCK_TRY(argument_options(command.arguments, command.buffers));
  if (!command.counts.empty()) {
    const auto text = WARPCLOCK_TRY(read_file(command.counts, most_record_bytes));
    auto counts = parse_counts(text);
    if (!counts) {
      counts.error().place = command.counts + (counts.error().place.empty() ? "" : ": " + counts.error().place);
      return std::unexpected(counts.error());
    }
    what.executed = *std::move(counts);
  }
  constexpr std::size_t drawn = 2000;
  const bool draws = !command.page.empty() || !command.trace.empty();
  if (draws && what.timeline == 0) what.timeline = drawn;
  constexpr int warp_threads = 32;
  if (command.warps > 0) what.threads = command.warps * warp_threads;
  return what;
}

/// Options that say what a capture has said.
Expected<void> check_options(const PredictCommand& command) {
  const std::vector<std::pair<const char*, bool>> given = {
      {"--launch", !command.launch.empty()},     {"--trips", !command.trips.empty()},
      {"--counts", !command.counts.empty()},     {"--hit", !command.hits.empty()},
      {"--stride", !command.strides.empty()},    {"--arg", !command.arguments.empty()},
      {"--buffer", !command.buffers.empty()},    {"--warps", command.warps > 0},
      {"--window", command.what.window},         {"--page", !command.page.empty()},
      {"--timeline", command.what.timeline > 0}, {"--include", !command.include.empty()},
      {"--trace", !command.trace.empty()}};
  for (const auto& [option, said] : given) {
    if (said)
      return fail("option", std::string(option) + " is not for a capture, which has its launches and arguments",
                  command.file);
  }
  if (command.what.annotate && command.pick < 0)
    return fail("option", "--annotate is of one launch of a capture: give it by --pick N", command.file);
  return {};
}

/// All that is predicted of one launch on each GPU.
Expected<int> print_one(const CaptureToPredict& what, std::size_t index, const std::vector<Machine>& machines,
                        bool json) {
  std::vector<Prediction> all;
  for (const Machine& machine : machines) all.push_back(WARPCLOCK_TRY(predict_launch(what, index, machine)));
  if (json) fmt::print("{}", to_json(all));
  for (const Prediction& one : json ? std::vector<Prediction>{} : all)
    fmt::print("{}, launch {}, costs of {}\n\n{}", one.file, index, one.gpu,
               to_text(annotated_sheet(one), Style(Stream::Out)));
  return std::ranges::all_of(all, [](const Prediction& one) { return one.low.has_value(); }) ? 0 : 1;
}

/// `predict` of a capture. The exit status: 0 if each launch has a number, else 1.
Expected<int> predict_captured(const PredictCommand& command, const std::atomic<bool>& interrupted) {
  constexpr int by_interrupt = 128 + SIGINT;
  WARPCLOCK_TRY(check_options(command));
  const auto folder = capture_folder(command.file);
  const Capture capture = WARPCLOCK_TRY(read_capture(folder));
  auto machines = WARPCLOCK_TRY(load_machines(command.gpu));
  if (capture.launches.empty()) return fail("capture", "it has no launches", folder.string());
  const auto progress = progress_on_terminal("launches predicted");
  const CaptureToPredict what{.capture = capture,
                              .folder = folder,
                              .nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm)),
                              .kernel = command.kernel,
                              .limit = command.what.limit,
                              .annotate = command.what.annotate,
                              .energy = command.what.energy,
                              .stopped = [&] { return interrupted.load(); },
                              .progress =
                                  [&](std::size_t done) {
                                    if (progress) progress(done, capture.launches.size());
                                  }};
  if (command.pick >= 0) return print_one(what, static_cast<std::size_t>(command.pick), machines, command.json);
  const CapturePredictions made = predict_capture(what, std::move(machines));
  clear_progress();
  print(sheet_of(capture, made), {.json = command.json, .csv = command.csv});
  if (interrupted) return by_interrupt;
  const bool all = std::ranges::all_of(made.launches, [](const std::vector<PredictedLaunch>& of_machine) {
    return std::ranges::all_of(of_machine, [](const PredictedLaunch& one) { return one.cause.empty(); });
  });
  return all ? 0 : 1;
}

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// The first Ctrl-C leaves out the kernels that are not begun, the second one ends the program.
void interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

/// Prints what is predicted as it comes; what --json, --page and --trace need is kept until the end.
class PredictionPrinter {
 public:
  PredictionPrinter(const PredictCommand& command, std::string head, std::size_t total)
      : command_(command), head_(std::move(head)), total_(total) {
    if (progress_) progress_(0, total);
  }

  void take(PredictedKernel one, std::size_t done) {
    done_ = done;
    clear_progress();
    if (!one.prediction)
      fail_with(one.kernel, one.prediction.error());
    else
      succeed(*std::move(one.prediction));
    if (progress_) progress_(done, total_);
  }

  /// The exit status.
  Expected<int> finish() {
    constexpr int by_interrupt = 128 + SIGINT;
    clear_progress();
    const bool left_out = interrupted && done_ < total_;
    if (predicted_ == 0 && !left_out) return std::unexpected(*first_);
    if (!command_.page.empty()) WARPCLOCK_TRY(write_named(command_.page, render_predictions(kept_)));
    if (!command_.trace.empty()) WARPCLOCK_TRY(write_named(command_.trace, trace_text(kept_)));
    if (command_.json) fmt::print("{}", to_json(kept_, failed_));
    if (!failed_.empty())
      fmt::print(stderr, "warpclock: {}: {} of {} could not be predicted\n", printable(command_.file),
                 done_ - predicted_, counted(static_cast<std::int64_t>(total_), "kernel"));
    if (without_number_ > 0)
      fmt::print(stderr, "warpclock: {}: {} of {} without a number of cycles; the lines `unknown` say why\n",
                 printable(command_.file), without_number_, counted(static_cast<std::int64_t>(total_), "kernel"));
    if (left_out)
      fmt::print(stderr, "warpclock: {}: interrupted after {} of {}\n", printable(command_.file), done_,
                 counted(static_cast<std::int64_t>(total_), "kernel"));
    return left_out ? by_interrupt : failed_.empty() && without_number_ == 0 ? 0 : 1;
  }

 private:
  void succeed(Prediction one) {
    ++predicted_;
    without_number_ += one.low ? 0U : 1U;
    if (!command_.json) print(to_text(annotated_sheet(one), Style(Stream::Out)));
    if (command_.json || !command_.page.empty() || !command_.trace.empty()) kept_.push_back(std::move(one));
  }

  void fail_with(const std::string& symbol, const Error& error) {
    if (!first_) first_ = error;
    failed_.push_back({symbol, symbol.empty() ? "" : readable_name(symbol), error.text});
    if (!command_.json) print(to_text(failure_sheet(failed_.back()), Style(Stream::Out)));
  }

  /// If no kernel can be predicted, the first error says it all.
  void print(const std::string& text) {
    held_ += "\n" + text;
    if (predicted_ == 0) return;
    if (!head_.empty()) fmt::print("{}", std::exchange(head_, {}));
    fmt::print("{}", std::exchange(held_, {}));
    std::fflush(stdout);
  }

  const PredictCommand& command_;
  std::string head_, held_;  ///< not printed yet
  std::size_t total_;
  std::function<void(std::size_t, std::size_t)> progress_ = progress_on_terminal("kernels predicted");
  std::size_t done_ = 0, predicted_ = 0, without_number_ = 0;
  std::optional<Error> first_;
  std::vector<Prediction> kept_;
  std::vector<FailedPrediction> failed_;
};

Expected<int> predict_command(const PredictCommand& command) {
  std::signal(SIGINT, interrupt);
  if (is_capture(command.file)) return predict_captured(command, interrupted);
  if (command.csv || command.pick >= 0) return fail("option", "--csv and --pick are for captures");
  const PredictOptions what = WARPCLOCK_TRY(options_of(command));
  const auto machine = WARPCLOCK_TRY(load_machine(or_usual(command.gpu)));
  LoadOptions how;
  how.arch_given = true;
  how.arch = WARPCLOCK_TRY(parse_arch(machine.arch));
  how.include = command.include;
  how.kernel = command.kernel;
  how.nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm));
  const auto file = WARPCLOCK_TRY(open_file(command.file, how));
  PredictionPrinter printer(command,
                            fmt::format("{}: {}, costs of {}\n", printable(command.file), file.kind, machine.gpu),
                            kernels_meant(file, command.kernel));
  const auto use = [&](PredictedKernel one, std::size_t done) { printer.take(std::move(one), done); };
  WARPCLOCK_TRY(predict_file({file, how, machine, what, [] { return interrupted.load(); }}, use));
  return printer.finish();
}

constexpr const char* predict_footer =
    "Nothing is run: the kernel's machine code is simulated with the measured costs of the GPU (without --gpu:\n"
    "h200). A number is a range where the GPU has no row for an instruction, or where nothing says which level of\n"
    "memory answers. Where the path of the kernel or its cost is not known, there is no number, but the cause and\n"
    "what to give. Of a capture, each launch is predicted beside its measured time, on each GPU of --gpu h100,h200.\n"
    "docs/predict.md has what is modelled and the measured error. Exit status: 0 every kernel has a\n"
    "number; 1 one has none; 2 nothing could be predicted, or the options are wrong. Examples:\n"
    "  warpclock predict gemm.cubin --launch 1056,256,49152 --trips 0=128 --hit load=L2\n"
    "  warpclock predict kernel.cu --kernel softmax --launch 4096,256 --arg 2=4096 --buffer 0=64MiB,1=64MiB\n"
    "  warpclock predict gemm.cubin --launch 1056,256,49152 --annotate --trace gemm.trace.json\n"
    "  warpclock predict kernel.cu --launch 4096,256 --energy --json | jq '.kernels[].energy'\n"
    "  warpclock predict a.out --counts source.csv --json | jq '.kernels[].loops'\n"
    "  warpclock capture --out step -- python3 train.py && warpclock predict step --gpu h100,h200\n"
    "`warpclock schema predict` prints the schema of the JSON.";

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "predict", "How many cycles a kernel and each of its loops take, what limits them, and where warps wait");
  auto options = std::make_shared<PredictCommand>();
  add_value(*command, "file", "FILE", options->file,
            "What `warpclock inspect` reads: a cubin, a program, PTX, CUDA C++ (.cu); or a capture")
      ->required();
  add_value(*command, "--kernel", "NAME", options->kernel, "Only kernels with this name, or with it in their name");
  add_value(*command, "--launch", "GRID,BLOCK,SHARED", options->launch,
            "Blocks, threads of a block (each a number, or 32x8 along x and y), and shared memory that the "
            "launch adds; without it, as many blocks as all SMs hold at once are assumed");
  add_value(*command, "--trips", "LOOP=N", options->trips,
            "How often loops run each time that they are entered, as 0=128 or 0=128,1=0");
  add_value(*command, "--counts", "FILE", options->counts,
            "Trips from executed instructions: the source page of Nsight Compute (ncu --page source --csv)");
  add_value(*command, "--hit", "LOAD=LEVEL", options->hits,
            "The level that answers: load=L1 for all accesses to global memory, 0x0240=dram for one; without it, the "
            "cycles are a range from L2 to DRAM");
  add_value(*command, "--stride", "ADDRESS=BYTES", options->strides,
            "Bytes between the lanes of an access whose addresses cannot be deduced, as 0x0240=128");
  add_value(*command, "--arg", "N=VALUE", options->arguments,
            "The value of an argument by its number from 0, as 3=4096 or 4=0.5: trips, jumps and addresses follow");
  add_value(*command, "--buffer", "N=SIZE", options->buffers,
            "The bytes of the buffer behind an argument, as 0=64MiB: which level answers follows");
  add_value(*command, "--warps", "N", options->warps, "Another number of warps of a block")->check(CLI::Range(1, 32));
  command->add_flag("--annotate", options->what.annotate,
                    "Also the listing, with the executions, cycles, waits and sectors of each instruction");
  command->add_flag("--energy", options->what.energy,
                    "Also the joules of a launch, of the whole board, and what they are for");
  command->add_flag("--window", options->what.window, "From the first clock read of the kernel to the last");
  add_value(*command, "--pick", "N", options->pick,
            "Of a capture, all that is predicted of the launch with this number")
      ->check(CLI::NonNegativeNumber);
  options->gpu.add_options(*command);
  add_include_option(*command, options->include);
  add_nvdisasm_option(*command, options->nvdisasm);
  add_value(*command, "--timeline", "N", options->what.timeline,
            "With --json, --page and --trace, how many issues are kept (--page, --trace: 2000)")
      ->check(CLI::Range(0, 1000000));
  add_value(*command, "--limit", "SECONDS", options->what.limit,
            "Seconds after which the simulation of a kernel is given up (60)")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "Machine-readable");
  command->add_flag("--csv", options->csv, "The tables of a capture as CSV");
  add_value(*command, "--page", "FILE", options->page,
            "Also write a page with a timeline: warps over cycles, pipes below");
  add_value(*command, "--trace", "FILE", options->trace,
            "Also write the timeline as a trace for Perfetto (ui.perfetto.dev): a track for each warp, pipe and path");
  command->footer(predict_footer);
  command->callback([options, &action] { action = [options] { return predict_command(*options); }; });
}

}  // namespace warpclock
