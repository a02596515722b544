#include "predict/memory_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "code/modifiers.hpp"
#include "inspect/access.hpp"

namespace warpclock {
namespace {

constexpr double lanes = 32, sector = 32;

std::string lower(MemoryLevel level) {
  constexpr std::array<const char*, 3> names{"l1", "l2", "dram"};
  return names[static_cast<std::size_t>(level)];
}

}  // namespace

std::optional<double> MemoryCosts::leaf(const std::string& path) const {
  const Leaf* found = find_leaf(machine_, path);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

Bounds MemoryCosts::over(double bytes, const std::string& rate) const {
  const auto known = leaf(rate);
  if (!known || !(*known > 0)) return {};
  return {bytes / *known, bytes / *known};
}

double MemoryCosts::queued(const std::string& entry) const {
  const auto bytes = leaf(entry + "in_flight"), rate = leaf(entry + "rate.all_sms"), idle = leaf(entry + "latency");
  return bytes && rate && idle && *rate > 0 ? queue_cycles(*bytes, *rate, *idle) : 0;
}

MemoryCost MemoryCosts::load(double bytes, MemoryLevel level) const {
  MemoryCost cost;
  if (level == MemoryLevel::L1) return cost;
  const std::string entry = "transfers/" + lower(level) + ".load/";
  if (const auto latency = leaf(entry + "latency")) cost.latency = {*latency, *latency};
  cost.name = to_string(level);
  cost.queued = queued(entry);
  cost.busy = over(bytes, entry + "rate.all_sms");
  // The rows of latencies load one sector; the last bytes of a wider access come later.
  if (cost.latency && bytes > sector) {
    const double later = over(bytes - sector, entry + "rate.all_sms").low;
    cost.latency = {cost.latency->low + later, cost.latency->high + later};
  }
  return cost;
}

/// Rows of copies contain their commit and wait (`async_copy/latency`): the wait issues when the data are there, and
/// its own stall count is the rest.
MemoryCost MemoryCosts::copy(const Instruction& instruction, int bytes, MemoryLevel level) const {
  MemoryCost cost = load(lanes * bytes, level);
  const char* cache = has_modifier(instruction, "BYPASS") ? "cg" : "ca";
  const auto latency = leaf(fmt::format("transfers/cp_async.{}.{}.{}/latency", cache, bytes, lower(level)));
  cost.latency.reset();
  if (latency) cost.latency = {*latency - CommitCost::wait, *latency - CommitCost::wait};
  return cost;
}

std::optional<MemoryCost> MemoryCosts::of(const Instruction& instruction, MemoryLevel level) const {
  const auto access = access_of(instruction);
  if (!access || access->bytes <= 0) return std::nullopt;
  const bool global = access->memory == "global" || access->memory == "global to shared";
  if (!global || (access->kind != "load" && access->kind != "store" && access->kind != "copy")) return std::nullopt;
  MemoryCost cost;
  if (access->kind == "load") cost = load(lanes * access->bytes, level);
  if (access->kind == "copy") cost = copy(instruction, access->bytes, level);
  if (access->kind == "store") {
    const MemoryLevel where = std::max(level, MemoryLevel::L2);
    cost.name = to_string(where);
    cost.busy = over(lanes * access->bytes, "transfers/" + lower(where) + ".store/rate.all_sms");
  }
  cost.assumed = fmt::format(
      "{} answers accesses to global memory, lanes are next to each other, and all SMs access it", to_string(level));
  return cost;
}

double queue_cycles(double bytes, double rate, double idle) {
  constexpr double reached = 0.9;
  return std::max(0.0, (bytes / (reached * rate) - idle) * (1 - reached) / reached);
}

CommitCost commit_cost(const Machine& machine) {
  CommitCost cost;
  // A pair takes the stall count of the commit, the wait, and the stall count of the wait.
  if (const Leaf* pair = find_leaf(machine, "synchronization/cp_async.commit_wait/cycles"))
    cost.commit = pair->value - CommitCost::wait;
  return cost;
}

}  // namespace warpclock
