#include "capture/capture_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "capture/capture_file.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

constexpr double ns_of_ms = 1e6, ns_of_us = 1e3;

struct KernelTime {
  std::int64_t launches = 0, runs = 0, unknown = 0;
  double ns = 0;
};

std::vector<std::string> devices_of(const Capture& capture) {
  std::vector<std::string> names;
  for (const CapturedDevice& one : capture.devices)
    names.push_back(fmt::format("{} ({}, {} SMs)", one.name.empty() ? "unknown" : one.name, one.arch, one.sms));
  return names;
}

std::string command_of(const Capture& capture) {
  std::string text;
  for (const std::string& word : capture.command) text += (text.empty() ? "" : " ") + word;
  return text;
}

Table times_table(const Capture& capture, const std::vector<KernelTime>& times, double total) {
  Table table{.key = "kernels",
              .columns = {{"ms", "ms", true},
                          {"share", "%", true},
                          {"runs", "runs", true},
                          {"launches", "distinct", true},
                          {"mean_us", "mean us", true},
                          {"kernel", "kernel"}}};
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return times[a].ns > times[b].ns; });
  for (const std::size_t at : order) {
    const KernelTime& one = times[at];
    if (one.launches == 0) continue;
    const CapturedKernel& kernel = capture.kernels[at];
    const double runs = std::max<double>(1, static_cast<double>(one.runs));
    std::string name = readable_name(kernel.symbol);
    if (!kernel.missing.empty()) name += fmt::format("  [no machine code: {}]", kernel.missing);
    table.rows.push_back(
        {{fmt::format("{:.3f}", one.ns / ns_of_ms), Json(one.ns / ns_of_ms)},
         {fmt::format("{:.1f}", total > 0 ? 100 * one.ns / total : 0), Json(total > 0 ? one.ns / total : 0)},
         {fmt::format("{}", one.runs), Json(one.runs)},
         {fmt::format("{}", one.launches), Json(one.launches)},
         {fmt::format("{:.2f}", one.ns / runs / ns_of_us), Json(one.ns / runs / ns_of_us)},
         {name}});
  }
  return table;
}

}  // namespace

Sheet capture_sheet(const Capture& capture) {
  std::vector<KernelTime> times(capture.kernels.size());
  KernelTime all;
  for (const CapturedLaunch& one : capture.launches) {
    if (is_beside(capture, one)) continue;
    for (KernelTime* const time : {&times[static_cast<std::size_t>(one.kernel)], &all}) {
      ++time->launches, time->runs += one.times.runs, time->ns += one.times.total_ns;
      time->unknown += one.missing.empty() ? 0 : 1;
    }
  }
  Sheet sheet{.title = command_of(capture)};
  sheet.facts.push_back(
      {"exit_status", "exit status", {fmt::format("{}", capture.exit_status), Json(capture.exit_status)}});
  sheet.facts.push_back({"seconds", "ran for", {fmt::format("{:.2f} s", capture.seconds), Json(capture.seconds)}});
  const std::vector<std::string> devices = devices_of(capture);
  sheet.facts.push_back({"gpus", "GPU", {join(devices, "\n"), Json(devices)}});
  sheet.facts.push_back({"gpu_ms",
                         "GPU time",
                         {fmt::format("{:.3f} ms in {} of {}", all.ns / ns_of_ms, counted(all.runs, "run"),
                                      counted(all.launches, "distinct launch")),
                          Json(all.ns / ns_of_ms)}});
  sheet.tables.push_back(times_table(capture, times, all.ns));
  sheet.notes = capture.notes;
  if (all.unknown > 0)
    sheet.notes.push_back(fmt::format("{} without arguments: {}", all.unknown, "no prediction of these is possible"));
  sheet.notes.emplace_back("times are nanoseconds of CUPTI's activity records, from the begin of a kernel to its end");
  return sheet;
}

}  // namespace warpclock
