#include "answer/numbers/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "answer/numbers/quantity.hpp"
#include "base/files/embedded.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml.hpp"

namespace warpclock {

std::string page_name(const std::string& folder, const std::string& what) {
  if (what.empty()) return folder.empty() ? "full" : folder;
  return folder.empty() ? what : folder + " " + what;
}

std::string name_of(const DeviceFacts& device) { return device.name.empty() ? "unknown GPU" : device.name; }

std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b) {
  if (a.uuid.empty() || b.uuid.empty()) return "GPU not recorded";
  return a.uuid == b.uuid ? same_gpu_words : "another GPU";
}

std::string board_in_words(const DeviceFacts& device) {
  std::vector<std::string> words;
  if (!device.uuid.empty()) words.push_back(device.uuid);
  if (!device.pci.empty()) words.push_back("PCI " + device.pci);
  if (!device.board.empty()) words.push_back("part " + device.board);
  if (!device.vbios.empty()) words.push_back("VBIOS " + device.vbios);
  return join(words, ", ");
}

std::string clocks_in_words(const DeviceFacts& device) {
  std::vector<std::string> words;
  if (!device.persistence.empty()) words.push_back("persistence " + device.persistence);
  if (device.sm_clock_set_mhz > 0) words.push_back(fmt::format("SM clock set to {:.0f} MHz", device.sm_clock_set_mhz));
  if (device.memory_clock_set_mhz > 0)
    words.push_back(fmt::format("memory clock set to {:.0f} MHz", device.memory_clock_set_mhz));
  if (device.power_limit_w > 0) words.push_back(fmt::format("power limit {:.0f} W", device.power_limit_w));
  return join(words, ", ");
}

namespace {

/// "%globaltimer ran at 0.99999 of the host's clock over 43 s"; empty if they were not compared.
std::string timer_in_words(const TimerRatio& timer) {
  if (!(timer.seconds > 0)) return {};
  return fmt::format("%globaltimer ran at {:.5f} of the host's clock over {:.3g} s", timer.ratio, timer.seconds);
}

}  // namespace

std::string clock_in_words(const Provenance& provenance) {
  std::string text =
      "The SM clock is measured: cycles of %clock64 in a nanosecond of %globaltimer, before and after the launches of "
      "each case.";
  if (const std::string timer = timer_in_words(provenance.timer); !timer.empty()) text += " " + timer + ".";
  return text + " NVML states the clock that is requested; the SMs may run faster.";
}

std::string timer_warning(const TimerRatio& timer) {
  if (!timer.differs()) return {};
  return timer_in_words(timer) +
         ": every SM clock is wrong by as much, and so are GB/s, TFLOP/s and ns; numbers in cycles are not";
}

std::string measured_clocks(const Record& record) {
  SmClock all;
  for (const Row& row : record.rows) {
    const SmClock one = sm_clock(row.clock);
    if (!(one.mhz > 0)) continue;
    all.low = all.low > 0 ? std::min(all.low, one.low) : one.low;
    all.high = std::max(all.high, one.high);
  }
  if (!(all.high > 0)) return {};
  const std::string least = fmt::format("{:.0f}", all.low), most = fmt::format("{:.0f}", all.high);
  return (least == most ? most : least + " to " + most) + " MHz";
}

int decimals(std::span<const double> values) {
  double largest = 0;
  bool whole = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    largest = std::max(largest, std::abs(value));
    whole = whole && std::floor(value) == value;
  }
  return whole || largest >= 1e5 ? 0 : largest >= 1000 ? 1 : largest >= 10 ? 2 : 3;
}

int decimals(const ProbeOutline& probe, const std::string& name) {
  std::vector<double> values;
  bool fitted = false;
  for (const Row* row : probe.cases) {
    const Estimate* estimate = published(*row, name);
    if (!estimate) continue;
    values.insert(values.end(), {estimate->value, estimate->low, estimate->high});
    fitted = fitted || estimate->method == "slope" || estimate->method == "rate";
  }
  const int places = decimals(values);
  const bool small = std::all_of(values.begin(), values.end(), [](double value) { return std::abs(value) < 1000; });
  return fitted && places == 0 && small ? 2 : places;
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "\xE2\x80\x93";
  std::string text = std::abs(value) >= 1e15 ? fmt::format("{:.3e}", std::abs(value))
                                             : fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0 && !zero ? "\xE2\x88\x92" + text : text;
}

std::string known_bytes(std::int64_t count) {
  return count > 0 ? human_bytes(static_cast<std::uint64_t>(count)) : std::string();
}

std::string requested_clock(const DeviceFacts& device) {
  const std::string most = known_megahertz(device.sm_clock_max_mhz);
  return most.empty() ? most : "up to " + most + " requested";
}

std::string known_megahertz(double value) { return value > 0 ? fixed(value, 0) + " MHz" : std::string(); }

std::string signed_percent(double share) {
  const std::string text = fixed(100 * share, 1);
  return (share > 0 && text != "0.0" ? "+" : "") + text + " %";
}

std::string interval(const Estimate& estimate, int decimals) {
  const double below = estimate.value - estimate.low, above = estimate.high - estimate.value;
  const bool exact = estimate.method == "fact" || estimate.method == "counter" || estimate.method == "encoded";
  if (exact || !std::isfinite(below) || !std::isfinite(above) || below < 0 || above < 0) return {};
  return "\xC2\xB1" + fixed(std::max(below, above), decimals);
}

std::vector<Headline> headlines(const ProbeOutline& probe) {
  std::vector<Headline> out;
  for (const std::string& name : probe.estimates) {
    std::vector<double> values;
    const Estimate* top = nullptr;
    const Row* top_row = nullptr;
    for (const Row* row : probe.cases) {
      const Estimate* estimate = published(*row, name);
      if (!estimate || !std::isfinite(estimate->value)) continue;
      values.push_back(estimate->value);
      if (!top || estimate->value > top->value) top = estimate, top_row = row;
    }
    if (!top) continue;
    const int places = decimals(probe, name);
    const bool bytes = top->unit == "B";
    const auto text = [&](double value) { return bytes ? bytes_text(value) : fixed(value, places); };
    const auto [least, most] = std::ranges::minmax(values);
    Headline headline{.name = name, .value = text(top->value), .low = least, .high = most, .unit = top->unit};
    if (values.size() == 1 || top->method == "rate")
      headline = {name, headline.value, top->value, top->low, top->high, top->unit, {}, {}, top_row->id, name};
    if (const auto rate = gigabytes_per_second(probe, *top_row, *top)) headline.all_sms = gigabytes_text(*rate);
    if (top->method == "rate" && values.size() > 1) {
      headline.detail =
          "highest of " + std::to_string(values.size()) + ", at " + parameters_text(*top_row, probe.varying);
    } else {
      const std::string low = text(least);
      if (low != headline.value) headline.value = low + " \xE2\x80\x93 " + headline.value;
      headline.detail = counted(std::ssize(values), "case");
    }
    out.push_back(std::move(headline));
    if (out.size() == 4) break;
  }
  return out;
}

ClockedNumber at_clock(double at_a_megahertz, const SmClock& clock) {
  return {at_a_megahertz * clock.mhz, at_a_megahertz * clock.low, at_a_megahertz * clock.high, clock.moved()};
}

std::string clocked_text(const ClockedNumber& number, int decimals) {
  std::string value = fixed(number.value, decimals);
  if (!number.moved) return value;
  return fmt::format("{} ({} to {})", value, fixed(number.low, decimals), fixed(number.high, decimals));
}

std::string clock_text(const SmClock& clock) {
  if (!(clock.mhz > 0)) return "\xE2\x80\x93";
  return clock.moved() ? fixed(clock.low, 0) + " to " + fixed(clock.high, 0) : fixed(clock.mhz, 0);
}

std::optional<ClockedNumber> gigabytes_per_second(double rate, const std::string& unit, int sms, const SmClock& clock) {
  if (unit != rate_unit || sms <= 0 || !(clock.mhz > 0)) return std::nullopt;
  return at_clock(rate * sms / 1e3, clock);
}

std::optional<ClockedNumber> gigabytes_per_second(const ProbeOutline& probe, const Row& row, const Estimate& estimate) {
  return gigabytes_per_second(estimate.value, estimate.unit, probe.sms, sm_clock(row.clock));
}

bool has_gigabytes(const ProbeOutline& probe, const std::string& name) {
  return std::ranges::any_of(probe.cases, [&](const Row* row) {
    const Estimate* estimate = published(*row, name);
    return estimate != nullptr && gigabytes_per_second(probe, *row, *estimate).has_value();
  });
}

std::optional<double> memory_peak(const DeviceFacts& device) {
  if (device.memory_bus_bits <= 0 || !(device.memory_clock_max_mhz > 0)) return std::nullopt;
  constexpr double transfers = 2;
  return device.memory_bus_bits / 8.0 * device.memory_clock_max_mhz * transfers / 1e3;
}

void with_memory_limits(std::vector<Case>& cases, const DeviceFacts& device) {
  // Of data of a few times its size L2 holds a part from one pass to the next; of much larger data nothing.
  constexpr double least_sizes = 2, much_larger = 8, bytes_per_us = 1e3;  // bytes per microsecond in one GB/s
  const auto peak = memory_peak(device);
  if (!peak || device.sms <= 0 || device.l2_bytes <= 0) return;
  for (Case& one : cases) {
    const double held = static_cast<double>(device.l2_bytes) / static_cast<double>(one.data.bytes);
    if (held * least_sizes > 1 || one.data.peer) continue;
    for (Measure& measure : one.measures) {
      const double from_memory = held * much_larger > 1 ? 1 - held : 1;
      if (measure.limit.per_us) measure.limit.value = *peak * bytes_per_us / device.sms / from_memory;
    }
  }
}

std::string gigabytes_text(const ClockedNumber& number) {
  constexpr double whole = 1000;
  return clocked_text(number, number.value < whole ? 1 : 0) + " GB/s";
}

namespace {

struct ByteParameter {
  std::string name, shown;
  std::int64_t unit = 1;  ///< bytes
};

void describe(YamlArchive& a, ByteParameter& v) {
  a.required("parameter", v.name);
  a.optional("unit", v.unit, yaml::Whole{1, 1 << 30});
  v.shown = v.name;
  WARPCLOCK_OPTIONAL(shown);
}

/// The parameters whose values are bytes. A file of the program that cannot be read leaves the numbers as they are;
/// the test of this file reads it.
const std::map<std::string, ByteParameter, std::less<>>& byte_parameters() {
  static const std::map<std::string, ByteParameter, std::less<>> known = [] {
    std::map<std::string, ByteParameter, std::less<>> all;
    const auto read = read_yaml<std::vector<ByteParameter>>("parameters.yaml", embedded_assets().at("parameters.yaml"),
                                                            yaml::under("bytes"));
    for (const ByteParameter& one : read.value_or(std::vector<ByteParameter>())) all[one.name] = one;
    return all;
  }();
  return known;
}

}  // namespace

std::string parameter_text(std::string_view name, const Value& value) {
  constexpr double kibi = 1024;
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto known = byte_parameters().find(name);
  if (number == nullptr || known == byte_parameters().end() || *number < 0) return to_string(value);
  auto bytes = static_cast<double>(*number) * static_cast<double>(known->second.unit);
  if (bytes < kibi) return known->second.unit > 1 ? fmt::format("{:g} B", bytes) : to_string(value);
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t at = 0;
  for (; bytes >= kibi && at + 1 < std::size(units); ++at) bytes /= kibi;
  return fmt::format("{} {}", human_number(bytes, 4), units[at]);
}

std::int64_t bytes_of_parameter(std::string_view name) {
  const auto known = byte_parameters().find(name);
  return known == byte_parameters().end() ? 0 : known->second.unit;
}

std::string parameter_name(const std::string& name) {
  const auto known = byte_parameters().find(name);
  return known == byte_parameters().end() ? name : known->second.shown;
}

std::string parameters_text(const Row& row, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const Value* value = find(row.parameters, name);
    if (value == nullptr) continue;
    if (!out.empty()) out += ' ';
    out += parameter_name(name) + "=" + parameter_text(name, *value);
  }
  return out;
}

std::string unit_text(const Headline& headline) { return headline.unit == "B" ? "" : unit_text(headline.unit); }

std::string text_of(const Headline& headline) {
  const std::string unit = unit_text(headline);
  return headline.value + (unit.empty() ? "" : " " + unit);
}

std::string unit_text(const std::string& unit) {
  if (unit == "1") return {};
  return unit.starts_with("1/") ? unit.substr(1) : unit;
}

}  // namespace warpclock
