#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "advise/advisers.hpp"

namespace warpclock {
namespace {

constexpr const char* in_flight = "bandwidth/in_flight";

/// Rows of one level: loads of `bytes`, `depth` in flight of a thread, `warps` of an SM.
std::vector<RecordRow> rows_of_level(const AdviceSource& from, MemoryLevel level) {
  std::vector<RecordRow> rows = rows_of(from.gpu, in_flight, "rate");
  std::erase_if(rows, [&](const RecordRow& at) {
    return (whole(*at.row, "footprint") <= from.machine.stated.l2_bytes) != (level == MemoryLevel::L2);
  });
  return rows;
}

std::int64_t bytes_of(const Row& row) {
  return lanes_in_warp * whole(row, "bytes") * whole(row, "depth") * whole(row, "warps");
}

std::int64_t rounded_up(double value) { return std::max<std::int64_t>(1, std::llround(std::ceil(value))); }

/// The row with the fewest bytes in flight, then the fewest warps, that reaches the share of the highest rate.
const RecordRow* first_that_reaches(const std::vector<RecordRow>& rows, double share) {
  if (rows.empty()) return nullptr;
  const double highest =
      std::ranges::max(rows, {}, [](const RecordRow& at) { return at.estimate->value; }).estimate->value;
  const RecordRow* best = nullptr;
  for (const RecordRow& at : rows) {
    if (at.estimate->value < share * highest) continue;
    const auto key = [](const RecordRow& one) { return std::pair(bytes_of(*one.row), whole(*one.row, "warps")); };
    if (best == nullptr || key(at) < key(*best)) best = &at;
  }
  return best;
}

RateTarget target_of(Citations& cite, const std::vector<RecordRow>& rows, const BandwidthQuestion& question,
                     const BandwidthAdvice& out, double share) {
  RateTarget target{.share = share};
  if (const RecordRow* at = first_that_reaches(rows, share)) {
    cite.row(at->record, *at->row, *at->estimate);
    target.bytes = bytes_of(*at->row);
    target.warps = whole(*at->row, "warps");
    target.loads = whole(*at->row, "depth");
    target.rate = at->estimate->value;
    target.row = at->row->id;
  }
  if (target.bytes) {
    const double of_warp = static_cast<double>(lanes_in_warp * out.width), bytes = static_cast<double>(*target.bytes);
    target.asked_warps = rounded_up(bytes / (of_warp * static_cast<double>(out.most_loads.value_or(1))));
    if (question.warps && *question.warps >= *target.asked_warps)
      target.asked_loads = rounded_up(bytes / (of_warp * static_cast<double>(*question.warps)));
  }
  // One latency in which nothing has arrived yet.
  if (!out.latency || !out.rate) return target;
  const auto sms = static_cast<double>(cite.from().machine.stated.sms);
  if (sms > 0) target.total_bytes = share / (1 - share) * *out.latency * *out.rate * sms;
  return target;
}

/// Loads in flight of a thread beyond which one warp is not a tenth faster.
std::optional<std::int64_t> most_loads(const std::vector<RecordRow>& rows) {
  std::map<std::int64_t, double> of_one_warp;
  for (const RecordRow& at : rows)
    if (whole(*at.row, "warps") == 1) of_one_warp[whole(*at.row, "depth")] = at.estimate->value;
  constexpr double faster = 1.1;
  std::optional<std::int64_t> most;
  double before = 0;
  for (const auto& [loads, rate] : of_one_warp) {
    if (rate > faster * before) most = loads;
    before = std::max(before, rate);
  }
  return most;
}

/// Rows with the same bytes in flight: the rate with the fewest loads of a thread predicts the others.
std::optional<ModelCheck> bytes_check(const std::vector<RecordRow>& rows, const BandwidthAdvice& out) {
  if (!out.most_loads) return std::nullopt;
  std::map<std::int64_t, std::map<std::int64_t, RecordRow>> by_bytes;
  for (const RecordRow& at : rows)
    if (whole(*at.row, "depth") <= *out.most_loads) by_bytes[bytes_of(*at.row)].emplace(whole(*at.row, "depth"), at);
  ErrorSum all(
      fmt::format("rate from {} by bytes in flight alone, up to {} loads of a thread", out.level, *out.most_loads));
  for (const auto& [bytes, same] : by_bytes) {
    const double first = same.begin()->second.estimate->value;
    for (auto other = std::next(same.begin()); other != same.end(); ++other)
      all.add(first, other->second.estimate->value, other->second.row->id);
  }
  return all.result();
}

}  // namespace

std::optional<double> reading_cycles(const AdviceSource& from, MemoryLevel level, std::int64_t bytes) {
  const std::string entry = "transfers/" + path_word(level) + ".load/";
  const Leaf* latency = find_leaf(from.machine, entry + "latency");
  const Leaf* rate = find_leaf(from.machine, entry + "rate.all_sms");
  const auto sms = static_cast<double>(from.machine.stated.sms);
  if (latency == nullptr || rate == nullptr || !(rate->value > 0) || !(sms > 0)) return std::nullopt;
  return static_cast<double>(bytes) / (rate->value * sms) + latency->value;
}

Advice advise_bandwidth(const AdviceSource& from, const BandwidthQuestion& question) {
  constexpr std::int64_t widest = 16;
  Advice answer{.gpu = from.machine.gpu, .arch = from.machine.arch};
  Citations cite(from, answer);
  BandwidthAdvice out{.level = to_string(question.level), .width = question.width.value_or(widest)};
  out.warps = question.warps;
  out.bytes = question.bytes;
  const std::string entry = "transfers/" + path_word(question.level) + ".load/";
  out.latency = cite.leaf(entry + "latency");
  out.rate = cite.leaf(entry + "rate.all_sms");
  const auto sms = static_cast<double>(from.machine.stated.sms);
  const Leaf* rate = find_leaf(from.machine, entry + "rate.all_sms");
  // Memory has a clock of its own: bytes per clock become bytes per second by the SM clock of the same row.
  if (rate != nullptr && rate->sm_mhz > 0 && sms > 0) {
    out.sm_mhz = rate->sm_mhz;
    out.gigabytes = rate->value * sms * rate->sm_mhz * 1e6 / 1e9;
  }
  if (question.bytes) out.cycles = reading_cycles(from, question.level, *question.bytes);
  if (out.cycles) out.reached = 1 - *out.latency / *out.cycles;
  const std::vector<RecordRow> rows = rows_of_level(from, question.level);
  if (rows.empty()) cite.unknown(fmt::format("not measured: {} from {}", in_flight, out.level));
  out.most_loads = most_loads(rows);
  for (const double share : {0.9, 0.99}) out.targets.push_back(target_of(cite, rows, question, out, share));
  if (const auto check = bytes_check(rows, out)) answer.checks.push_back(*check);
  if (const auto check = reading_check(from, question.level)) answer.checks.push_back(*check);
  if (out.width != widest)
    cite.unknown("no row has loads of other widths than 16 bytes: they are taken to need as many bytes in flight");
  if (question.level == MemoryLevel::L2 && question.bytes && from.machine.stated.l2_bytes > 0 &&
      *question.bytes > from.machine.stated.l2_bytes)
    cite.unknown(fmt::format("the bytes are more than the {} of L2 that the driver states: they are read from DRAM",
                             from.machine.stated.l2_bytes));
  if (question.bytes) cite.unknown("a launch and what a kernel does with the bytes add to the cycles");
  answer.bandwidth = std::move(out);
  return answer;
}

}  // namespace warpclock
