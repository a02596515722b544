#include "capture/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/json/json_reader.hpp"
#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "capture/capture_program.hpp"
#include "execute/launch.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {

void describe(auto& a, Like<CapturedDevice> auto& v) { WARPCLOCK_REQUIRED(name, uuid, arch, sms, most_mhz); }

void describe(auto& a, Like<CapturedParameter> auto& v) { WARPCLOCK_REQUIRED(at, bytes); }

void describe(auto& a, Like<UsedBelow> auto& v) { WARPCLOCK_REQUIRED(bytes, ago); }

void describe(auto& a, Like<CapturedPointer> auto& v) {
  WARPCLOCK_REQUIRED(at, offset, buffer_bytes, buffer);
  WARPCLOCK_OPTIONAL(data_bytes, data, ago, below);
}

void describe(auto& a, Like<CapturedTimes> auto& v) {
  WARPCLOCK_REQUIRED(runs, total_ns, least_ns, median_ns, most_ns);
  WARPCLOCK_OPTIONAL(sm_mhz);
}

void describe(auto& a, Like<CapturedLaunch> auto& v) {
  WARPCLOCK_REQUIRED(kernel, device, process, grid, block);
  WARPCLOCK_OPTIONAL(cluster, shared_bytes, cooperative, overlaps, missing, after, parameters, pointers);
  WARPCLOCK_REQUIRED(times);
}

void describe(auto& a, Like<CapturedKernel> auto& v) {
  WARPCLOCK_REQUIRED(symbol);
  WARPCLOCK_OPTIONAL(code, missing);
}

void describe(auto& a, Like<CapturedProcess> auto& v) {
  WARPCLOCK_REQUIRED(pid, parent);
  WARPCLOCK_OPTIONAL(driver, cupti, ended, wrong);
}

void describe(auto& a, Like<Capture> auto& v) {
  WARPCLOCK_REQUIRED(program, command, exit_status, seconds, processes, devices, kernels, launches);
  WARPCLOCK_OPTIONAL(notes);
}

namespace {

constexpr int major = 1;

struct CaptureVersion {
  int major = warpclock::major, minor = 0, patch = 0;
};

void describe(auto& a, Like<CaptureVersion> auto& v) { WARPCLOCK_REQUIRED(major, minor, patch); }

/// What a capture.json is: a record as record_text() makes them, on one line.
struct CaptureRecord {
  CaptureVersion schema;
  std::string record = "capture";
  Capture capture;
};

void describe(auto& a, Like<CaptureRecord> auto& v) {
  WARPCLOCK_REQUIRED(schema, record);
  describe(a, v.capture);
}

std::optional<LaunchExtents> extents_of(const std::vector<std::int64_t>& numbers) {
  LaunchExtents made{};
  if (numbers.size() != made.size()) return std::nullopt;
  for (std::size_t axis = 0; axis < made.size(); ++axis) {
    if (numbers[axis] <= 0 || !std::in_range<std::uint32_t>(numbers[axis])) return std::nullopt;
    made[axis] = static_cast<std::uint32_t>(numbers[axis]);
  }
  return made;
}

/// What is wrong with its grid, block and cluster; empty if nothing is.
std::string wrong_with_extents(const CapturedLaunch& one) {
  const auto grid = extents_of(one.grid), block = extents_of(one.block),
             cluster = one.cluster.empty() ? LaunchExtents{1, 1, 1} : extents_of(one.cluster);
  if (!grid || !block || !cluster) return "a grid, a block and a cluster have three extents above 0";
  const auto checked = check_extents(*grid, *block, *cluster);
  return checked ? "" : checked.error().text;
}

}  // namespace

bool is_hash(const std::string& name) {
  constexpr std::size_t digits = 32;
  return name.size() == digits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

std::string wrong_with(const CapturedLaunch& one, const Capture& capture) {
  constexpr std::int64_t most_parameters = 1 << 16;
  const auto within = [](std::int64_t number, const auto& list) { return number >= 0 && number < std::ssize(list); };
  if (!within(one.kernel, capture.kernels)) return "there is no such kernel";
  if (!within(one.device, capture.devices)) return "there is no such device";
  if (!within(one.process, capture.processes)) return "there is no such process";
  if (one.after && !within(*one.after, capture.launches)) return "there is no launch after which it began";
  if (std::string wrong = wrong_with_extents(one); !wrong.empty()) return wrong;
  for (const CapturedParameter& parameter : one.parameters) {
    if (parameter.at < 0 || parameter.at > most_parameters || parameter.bytes.size() > 2 * most_parameters ||
        !bytes_of_hex(parameter.bytes))
      return "a parameter is no bytes";
  }
  for (const CapturedPointer& pointer : one.pointers) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (pointer.buffer <= 0 || pointer.offset < 0 || pointer.buffer_bytes <= pointer.offset ||
        pointer.buffer_bytes > most - pointer.buffer)
      return "a pointer is not in its buffer";
    if (pointer.ago.value_or(0) < 0) return "a pointer was used after its launch";
    if (pointer.below && (pointer.below->ago <= 0 || pointer.below->bytes <= 0))
      return "a place below a pointer is above it, or was used after its launch";
    if (!pointer.data.empty() && !is_hash(pointer.data)) return "the name of a file of data is no hash";
  }
  return {};
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

std::string to_json(const Capture& capture) { return JsonLine::of(CaptureRecord{.capture = capture}) + "\n"; }

Expected<Capture> parse_capture(std::string_view text, const std::string& place) {
  auto document = JsonDocument::parse(text);
  if (!document) {
    document.error().place = place;
    return std::unexpected(document.error());
  }
  JsonReader reader;
  CaptureRecord made;
  reader.read(document->root(), made);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  if (made.record != "capture") return fail("record", "it is no capture", place);
  if (made.schema.major != major)
    return fail("record-version",
                fmt::format("schema {}.x.x is not {}.x.x, which this program reads", made.schema.major, major), place);
  for (const CapturedKernel& kernel : made.capture.kernels) {
    if (!kernel.code.empty() && !is_hash(kernel.code)) return fail("record", "the name of a cubin is no hash", place);
  }
  for (std::size_t i = 0; i < made.capture.launches.size(); ++i) {
    const std::string wrong = wrong_with(made.capture.launches[i], made.capture);
    if (!wrong.empty()) return fail("record", fmt::format("launches[{}]: {}", i, wrong), place);
  }
  return std::move(made.capture);
}

std::string capture_schema() {
  return record_schema_text("warpclock capture", JsonSchema::of<CaptureVersion>(), "capture",
                            JsonSchema::of<Capture>());
}

namespace fs = std::filesystem;

fs::path capture_folder(const fs::path& path) {
  return path.filename() == capture_record || path.filename() == without_gz(capture_record)
             ? path.parent_path().empty() ? fs::path(".") : path.parent_path()
             : path;
}

bool is_beside(const Capture& capture, const CapturedLaunch& launch) {
  return capture.kernels[static_cast<std::size_t>(launch.kernel)].symbol == empty_kernel;
}

bool is_capture(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(capture_folder(path), ignored) && has_packed_file(capture_folder(path) / capture_record);
}

Expected<Capture> read_capture(const fs::path& folder) {
  const fs::path path = packed_path(folder / capture_record);
  return parse_capture(WARPCLOCK_TRY(read_packed_file(path)), path.string());
}

Expected<std::string> read_kept(const fs::path& folder, const char* part, const std::string& hash) {
  const fs::path path = packed_path(folder / part / hash);
  std::string bytes = WARPCLOCK_TRY(read_packed_file(path, most_file_bytes));
  if (hash_hex(bytes) != hash) return fail("record", "the file is not what its name says", path.string());
  return bytes;
}

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
