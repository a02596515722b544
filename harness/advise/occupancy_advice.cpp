#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "advise/advisers.hpp"
#include "inspect/occupancy.hpp"
#include "predict/program/costs.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t register_step = 8, shared_step = 128;
constexpr int least_registers = 16;

/// The first of ever smaller needs with which an SM holds more blocks.
std::optional<OccupancyStep> first_step(const SmLimits& limits, const BlockNeeds& needs, const std::string& what,
                                        const std::function<bool(BlockNeeds&)>& less) {
  const int now = occupancy(limits, needs).blocks;
  for (BlockNeeds fewer = needs; less(fewer);) {
    const Occupancy then = occupancy(limits, fewer);
    if (then.blocks > now)
      return OccupancyStep{what, fewer.registers, fewer.static_bytes + fewer.dynamic_bytes, then.blocks, then.warps};
  }
  return std::nullopt;
}

bool fewer_registers(BlockNeeds& needs) {
  needs.registers = static_cast<int>((needs.registers - 1) / register_step * register_step);
  return needs.registers >= least_registers;
}

/// What the launch adds counts with what the kernel declares.
bool less_shared(BlockNeeds& needs) {
  const std::int64_t all = needs.static_bytes + needs.dynamic_bytes;
  needs.static_bytes = (all - 1) / shared_step * shared_step;
  needs.dynamic_bytes = 0;
  return all > 0;
}

/// Registers or shared memory, whichever is the limit; both only if neither alone is enough.
std::optional<OccupancyStep> next_step(const SmLimits& limits, const BlockNeeds& needs) {
  if (auto step = first_step(limits, needs, "registers", fewer_registers)) return step;
  if (auto step = first_step(limits, needs, "shared memory", less_shared)) return step;
  BlockNeeds fewer = needs;
  while (fewer_registers(fewer)) {
    if (auto step = first_step(limits, fewer, "registers and shared memory", less_shared)) return step;
  }
  return std::nullopt;
}

/// Rows over warps: loads of 16 bytes a thread, so many in flight.
using Curve = std::map<std::int64_t, RecordRow>;

/// Between two rows on a line.
std::optional<double> rate_at(Citations& cite, const Curve& curve, std::int64_t warps) {
  const auto above = curve.lower_bound(warps);
  if (above == curve.end() || warps < curve.begin()->first) return std::nullopt;
  const auto rate = [&](const RecordRow& at) {
    cite.row(at.record, *at.row, *at.estimate);
    return at.estimate->value;
  };
  if (above->first == warps) return rate(above->second);
  const auto below = std::prev(above);
  const double part = static_cast<double>(warps - below->first) / static_cast<double>(above->first - below->first);
  const double low = rate(below->second);
  return low + part * (rate(above->second) - low);
}

std::map<std::pair<MemoryLevel, std::int64_t>, Curve> curves(const AdviceSource& from) {
  std::map<std::pair<MemoryLevel, std::int64_t>, Curve> all;
  for (const RecordRow& at : rows_of(from.gpu, "bandwidth/in_flight", "rate")) {
    const bool in_l2 = whole(*at.row, "footprint") <= from.machine.stated.l2_bytes;
    all[{in_l2 ? MemoryLevel::L2 : MemoryLevel::Dram, whole(*at.row, "depth")}][whole(*at.row, "warps")] = at;
  }
  return all;
}

std::vector<LoopWarps> loops_of(const KernelInspection& kernel) {
  std::vector<LoopWarps> all;
  for (const LoopFacts& loop : kernel.loops) {
    const bool whole_chain = loop.carried && loop.carried->unknown.empty() && loop.carried->cycles > 0;
    if (!loop.innermost || !whole_chain || loop.mix.instructions <= 0) continue;
    LoopWarps one{.id = loop.id, .issue = static_cast<double>(loop.mix.instructions)};
    one.chain = std::max(loop.carried->cycles, static_cast<double>(loop.issue_cycles));
    one.warps = std::llround(std::ceil(one.chain / one.issue)) * static_cast<std::int64_t>(sub_partitions);
    all.push_back(one);
  }
  return all;
}

KernelOccupancy kernel_occupancy(Citations& cite, const SmLimits& limits, const KernelInspection& kernel,
                                 const Occupancy& now) {
  const BlockNeeds needs{.threads = now.threads,
                         .registers = kernel.registers,
                         .barriers = kernel.barriers,
                         .static_bytes = kernel.shared_bytes,
                         .dynamic_bytes = now.dynamic_bytes};
  KernelOccupancy out{.name = kernel.readable, .registers = kernel.registers};
  out.shared_bytes = kernel.shared_bytes + now.dynamic_bytes;
  out.threads = now.threads;
  out.blocks = now.blocks;
  out.warps = now.warps;
  out.limits = now.limits;
  out.next = next_step(limits, needs);
  out.loops = loops_of(kernel);
  if (!out.next) return out;
  for (const auto& [at, curve] : curves(cite.from())) {
    constexpr std::int64_t shown = 4;  // eight loads in flight are no faster: a warp has no more
    if (at.second > shown) continue;
    out.gains.push_back(
        {to_string(at.first), at.second, rate_at(cite, curve, out.warps), rate_at(cite, curve, out.next->warps)});
  }
  return out;
}

}  // namespace

Expected<Advice> advise_occupancy(const AdviceSource& from, const Inspection& inspection) {
  const auto limits = sm_limits(WARPCLOCK_TRY(parse_arch(inspection.arch)));
  if (!limits)
    return fail("unsupported-arch", "the limits of an SM of " + inspection.arch + " are not known", inspection.file);
  Advice answer{.gpu = from.machine.gpu, .arch = from.machine.arch};
  Citations cite(from, answer);
  OccupancyAdvice out{.file = inspection.file};
  for (const KernelInspection& kernel : inspection.kernels) {
    for (const Occupancy& now : kernel.occupancy) out.kernels.push_back(kernel_occupancy(cite, *limits, kernel, now));
  }
  if (out.kernels.empty()) return fail("kernel", "there is no kernel that is launched", inspection.file);
  if (rows_of(from.gpu, "bandwidth/in_flight", "rate").empty())
    cite.unknown("not measured: bandwidth/in_flight, the rate over warps");
  const bool beyond = std::ranges::any_of(out.kernels, [](const KernelOccupancy& one) {
    return std::ranges::any_of(one.gains, [](const WarpGain& gain) { return !gain.now || !gain.next; });
  });
  if (beyond) cite.unknown("not measured: the rate of more than 32 warps of an SM");
  cite.unknown(
      "blocks per SM are computed from the limits of the architecture; a test compares them with cuda_occupancy.h of "
      "the CUDA Toolkit, and no row measures them");
  cite.unknown(
      "rates are those of loads alone, 16 bytes a thread; between two measured numbers of warps they are on a line. "
      "`warpclock predict --launch` asks for a whole kernel");
  answer.occupancy = std::move(out);
  return answer;
}

}  // namespace warpclock
