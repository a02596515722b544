#include "capture/assemble_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "capture/capture_file.hpp"

namespace warpclock {
namespace {

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The number that is there most often, and of several the last one.
std::optional<std::int64_t> most_often(const std::vector<std::int64_t>& numbers) {
  std::optional<std::int64_t> most;
  std::map<std::int64_t, int> times;
  for (const std::int64_t one : numbers)
    if (++times[one] >= (most ? times[*most] : 0)) most = one;
  return most;
}

CapturedTimes times_of(std::vector<double> ns, std::vector<double> mhz) {
  if (ns.empty()) return {};
  CapturedTimes made{.runs = std::ssize(ns), .total_ns = std::accumulate(ns.begin(), ns.end(), 0.0)};
  made.least_ns = std::ranges::min(ns), made.most_ns = std::ranges::max(ns);
  made.median_ns = median_of(ns), made.sm_mhz = median_of(mhz);
  return made;
}

class Assembler {
 public:
  Assembler(Capture& capture, const CodeSymbols& symbols) : capture_(capture), symbols_(symbols) {}

  void add(const Spooled& seen) {
    const auto process = std::ssize(capture_.processes);
    capture_.processes.push_back(seen.process);
    std::map<std::int64_t, std::int64_t> numbers;  // in the capture, by number in the process
    for (const auto& [id, launch] : seen.launches) {
      const auto function = seen.functions.find(launch.function);
      const auto device = seen.devices.find(launch.device);
      if (function == seen.functions.end() || device == seen.devices.end()) {
        ++unnamed_;
        continue;
      }
      CapturedLaunch made = launch_of(launch);
      made.process = process;
      made.kernel = kernel_of(function->second.symbol, function->second.code, seen);
      made.device = device_of(device->second);
      numbers[id] = std::ssize(capture_.launches);
      capture_.launches.push_back(std::move(made));
    }
    put_in_order(seen, numbers);
    add_others(seen, process);
    lost_ += seen.lost, damaged_ += seen.damaged;
  }

  void note() {
    const auto say = [&](std::int64_t count, std::string_view noun, std::string_view what) {
      if (count > 0) capture_.notes.push_back(fmt::format("{} {}", counted(count, noun), what));
    };
    say(lost_, "activity record", "had no room in CUPTI's buffers: these times are missing");
    say(damaged_, "line", "of what the processes saw could not be read");
    say(unnamed_, "launch", "ended before the name of its kernel or its device was known");
    for (const CapturedProcess& one : capture_.processes) {
      if (!one.wrong.empty())
        capture_.notes.push_back(fmt::format("nothing of process {} was captured: {}", one.pid, one.wrong));
      else if (!one.ended)
        capture_.notes.push_back(
            fmt::format("process {} did not come to its end: its last launches may have no times", one.pid));
    }
  }

 private:
  static CapturedLaunch launch_of(const SpooledLaunch& from) {
    constexpr std::int64_t cooperative = 1, overlaps = 2;
    CapturedLaunch made{.grid = {from.grid.begin(), from.grid.end()},
                        .block = {from.block.begin(), from.block.end()},
                        .shared_bytes = from.shared_bytes,
                        .cooperative = (from.flags & cooperative) != 0,
                        .overlaps = (from.flags & overlaps) != 0,
                        .parameters = from.parameters,
                        .times = times_of(from.ns, from.mhz)};
    if (from.cluster[0] > 0) made.cluster = {from.cluster.begin(), from.cluster.end()};
    if (from.missing == "more")
      made.missing = "the kernel has more launches with other arguments than are kept";
    else if (!from.missing.empty())
      made.missing = "the driver does not say where the arguments are";
    for (const SpooledPointer& one : from.pointers) {
      if (one.parameter >= from.parameters.size()) continue;
      const CapturedParameter& parameter = from.parameters[one.parameter];
      const auto address = address_at(parameter, one.offset);
      if (!address || *address < one.base) continue;
      CapturedPointer pointer{parameter.at + one.offset, *address - one.base, one.bytes, one.base};
      const auto data = std::ranges::find(from.data, *address, &SpooledData::address);
      if (data != from.data.end()) pointer.data_bytes = data->bytes, pointer.data = data->hash;
      pointer.ago = most_often(one.ago);
      made.pointers.push_back(std::move(pointer));
    }
    return made;
  }

  static std::optional<std::int64_t> address_at(const CapturedParameter& parameter, std::int64_t offset) {
    constexpr std::size_t size = sizeof(std::int64_t);
    const auto bytes = bytes_of_hex(parameter.bytes);
    if (!bytes || offset < 0 || static_cast<std::size_t>(offset) + size > bytes->size()) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k)
      value |= std::uint64_t{static_cast<unsigned char>((*bytes)[static_cast<std::size_t>(offset) + k])} << 8 * k;
    return static_cast<std::int64_t>(value);
  }

  void put_in_order(const Spooled& seen, const std::map<std::int64_t, std::int64_t>& numbers) {
    std::map<std::int64_t, std::int64_t> most;
    for (const auto& [pair, times] : seen.after) {
      const auto launch = numbers.find(pair.first), before = numbers.find(pair.second);
      if (launch == numbers.end() || before == numbers.end() || times <= most[pair.first]) continue;
      most[pair.first] = times;
      capture_.launches[static_cast<std::size_t>(launch->second)].after = before->second;
    }
  }

  void add_others(const Spooled& seen, std::int64_t process) {
    using Key =
        std::tuple<std::string, std::int64_t, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>, std::int64_t>;
    std::map<Key, std::vector<double>> times;
    for (const SpooledOther& one : seen.others)
      times[{one.symbol, one.device, one.grid, one.block, one.shared_bytes}].push_back(one.ns);
    for (auto& [key, ns] : times) {
      const auto& [symbol, number, grid, block, shared] = key;
      const auto device = seen.devices.find(number);
      capture_.launches.push_back(
          {.kernel = kernel_of(symbol, "", seen),
           .device = device_of(device == seen.devices.end() ? CapturedDevice{} : device->second),
           .process = process,
           .grid = {grid.begin(), grid.end()},
           .block = {block.begin(), block.end()},
           .shared_bytes = shared,
           .missing = "its launch was not seen: a kernel or the device launched it",
           .times = times_of(std::move(ns), {})});
    }
  }

  std::int64_t kernel_of(const std::string& symbol, std::string code, const Spooled& seen) {
    std::string missing;
    if (code.empty()) std::tie(code, missing) = code_of(symbol, seen);
    const auto [at, added] = kernels_.try_emplace({symbol, code}, std::ssize(capture_.kernels));
    if (added) capture_.kernels.push_back({symbol, code, missing});
    return at->second;
  }

  /// The cubin that has a kernel of this name, or why it is not known.
  [[nodiscard]] std::pair<std::string, std::string> code_of(const std::string& symbol, const Spooled& seen) const {
    std::map<std::string, std::string> found;  // a cubin, by the hash of the kernel's code
    for (const std::string& hash : seen.code) {
      const auto names = symbols_.find(hash);
      const auto* const code = names == symbols_.end() ? nullptr : value_at(names->second, symbol);
      if (code != nullptr) found.emplace(*code, hash);
    }
    if (found.size() == 1) return {found.begin()->second, ""};
    return {"", found.empty() ? "no module with it was seen when it was loaded"
                              : fmt::format("modules have {} different kernels of this name", found.size())};
  }

  std::int64_t device_of(const CapturedDevice& device) {
    const auto found = std::ranges::find(capture_.devices, device.uuid, &CapturedDevice::uuid);
    if (found != capture_.devices.end()) return found - capture_.devices.begin();
    capture_.devices.push_back(device);
    return std::ssize(capture_.devices) - 1;
  }

  Capture& capture_;
  const CodeSymbols& symbols_;
  std::map<std::pair<std::string, std::string>, std::int64_t> kernels_;
  std::int64_t lost_ = 0, damaged_ = 0, unnamed_ = 0;
};

}  // namespace

void assemble(Capture& capture, const std::vector<Spooled>& processes, const CodeSymbols& symbols) {
  Assembler assembler(capture, symbols);
  for (const Spooled& one : processes) assembler.add(one);
  assembler.note();
}

}  // namespace warpclock
