#include "check/limit_counters.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

/// Below this no resource is called the limiter. NVIDIA's Nsight Compute calls a kernel with less than 60 % of the peak
/// of every unit bound by latency (Kernel Profiling Guide, "Speed Of Light").
constexpr double enough = 0.6;

struct PercentCounter {
  std::string_view resource, counter;
};

/// In percent of the peak while the SM has a warp. The four sub-partitions share one ADU. The LSU takes one request in
/// a cycle and does one turn of the banks; cp.async is two requests.
constexpr std::array<PercentCounter, 12> percent_counters = {
    {{"issue", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
     {"unit adu", "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active"},
     {"pipe alu", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"},
     {"pipe fma", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
     {"pipe fp64", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"},
     {"pipe lsu", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"},
     {"unit lsu", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"},
     {"unit lsu", "l1tex__lsuin_requests.avg.pct_of_peak_sustained_active"},
     {"pipe tensor", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
     {"pipe tex", "sm__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active"},
     {"pipe uniform", "sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active"},
     {"pipe xu", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"}}};

struct ByteCounter {
  std::string_view resource, counter, rate;
  double bytes = 1;  ///< of one count
};

/// Bytes that a warp asks for of a line of its own each (`bandwidth/coalesce_stride` with 32 words).
constexpr double asked = 4;

/// What all SMs move, and the leaf with the bytes that each SM can have of it in a cycle while all do. A line that
/// several SMs ask for leaves L2 less often than it arrives at them, and L2 answers so many requests in a cycle whether
/// they are for one sector of a line or for four; so each of them is looked at.
constexpr std::array<ByteCounter, 7> byte_counters = {
    {{"L2", "lts__t_sectors_srcunit_tex_op_read.sum", "transfers/l2.load/rate.all_sms", 32},
     {"L2", "l1tex__m_xbar2l1tex_read_bytes.sum", "transfers/l2.load/rate.all_sms.same_lines"},
     {"L2", "lts__t_requests_srcunit_tex_op_read.sum", "transfers/l2.load/rate.all_sms.own_lines", asked},
     {"L2", "l1tex__m_l1tex2xbar_write_bytes.sum", "transfers/l2.store/rate.all_sms"},
     {"L2", "lts__t_requests_srcunit_tex_op_write.sum", "transfers/l2.store/rate.all_sms.own_lines", asked},
     {"DRAM", "dram__bytes_read.sum", "transfers/dram.load/rate.all_sms"},
     {"DRAM", "dram__bytes_write.sum", "transfers/dram.store/rate.all_sms"}}};

const double* value_of(const std::map<std::string, double>& counted, std::string_view counter) {
  return value_at(counted, std::string(counter));
}

/// The largest of several shares of one resource is the resource's. But reads and writes of DRAM share its bus.
void add_share(std::vector<ResourceShare>& shares, std::string_view resource, const std::string& counter,
               double share) {
  const auto same = std::ranges::find(shares, resource, &ResourceShare::name);
  if (same == shares.end()) {
    shares.push_back({std::string(resource), counter, share});
  } else if (resource == "DRAM") {
    same->share += share;
    same->counter += " + " + counter;
  } else if (share > same->share) {
    *same = {std::string(resource), counter, share};
  }
}

}  // namespace

const std::vector<std::string>& limit_counters() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {cycles_counter};
    for (const PercentCounter& one : percent_counters) all.emplace_back(one.counter);
    for (const ByteCounter& one : byte_counters) all.emplace_back(one.counter);
    return all;
  }();
  return names;
}

std::vector<ResourceShare> resource_shares(const std::map<std::string, double>& counted, const Machine& machine) {
  constexpr double percent = 100;
  std::vector<ResourceShare> shares;
  for (const PercentCounter& one : percent_counters) {
    if (const auto value = value_of(counted, one.counter); value && *value > 0)
      add_share(shares, one.resource, std::string(one.counter), *value / percent);
  }
  const auto cycles = value_of(counted, cycles_counter);
  for (const ByteCounter& one : byte_counters) {
    const auto count = value_of(counted, one.counter);
    const Leaf* rate = find_leaf(machine, one.rate);
    if (!count || !cycles || !(*cycles > 0) || rate == nullptr || machine.stated.sms == 0) continue;
    add_share(shares, one.resource, std::string(one.counter),
              *count * one.bytes / (*cycles * machine.stated.sms * rate->value));
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &ResourceShare::share);
  return shares;
}

std::string limiter_of(const std::vector<ResourceShare>& shares) {
  if (shares.empty()) return "";
  return shares.front().share < enough ? "one warp alone" : shares.front().name;
}

}  // namespace warpclock
