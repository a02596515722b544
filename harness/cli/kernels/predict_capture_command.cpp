#include "cli/kernels/predict_capture_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "capture/capture_file.hpp"
#include "capture/predict_capture.hpp"
#include "cli/options/options.hpp"
#include "code/toolkit.hpp"
#include "predict/listing/annotated_listing.hpp"
#include "predict/prediction_output.hpp"

namespace warpclock {
namespace {

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

}  // namespace

Expected<int> predict_captured(const PredictCommand& command, const std::atomic<bool>& interrupted) {
  constexpr int by_interrupt = 128 + SIGINT;
  WARPCLOCK_TRY(check_options(command));
  const auto folder = capture_folder(command.file);
  const Capture capture = WARPCLOCK_TRY(read_capture(folder));
  std::vector<Machine> machines;
  for (const std::string& gpu : split(command.gpu.gpu.empty() ? "h200" : command.gpu.gpu, ',')) {
    GpuChoice choice = command.gpu;
    choice.gpu = gpu;
    machines.push_back(WARPCLOCK_TRY(load_machine(choice)));
  }
  if (capture.launches.empty()) return fail("capture", "it has no launches", folder.string());
  const auto progress = progress_on_terminal("launches predicted");
  const CaptureToPredict what{.capture = capture,
                              .folder = folder,
                              .nvdisasm = WARPCLOCK_TRY(find_nvdisasm(command.nvdisasm)),
                              .kernel = command.kernel,
                              .limit = command.what.limit,
                              .annotate = command.what.annotate,
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

}  // namespace warpclock
