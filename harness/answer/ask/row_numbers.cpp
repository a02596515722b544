#include <fmt/format.h>

#include <algorithm>

#include "answer/ask/hits.hpp"
#include "answer/instructions/instruction_cells.hpp"
#include "answer/instructions/machine_parts.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/lookup.hpp"

namespace warpclock {
namespace {

std::string link_of(const ReportedGpu& gpu, const char* page, const std::string& id) {
  return percent_encoded(gpu.folder) + "/" + page + "#i=" + percent_encoded(id);
}

/// The rate first if that is what is asked for.
std::vector<AskedNumber> in_order(std::vector<AskedNumber> times, std::vector<AskedNumber> rates, bool rate) {
  if (rate) std::swap(times, rates);
  std::ranges::move(rates, std::back_inserter(times));
  return times;
}

}  // namespace

std::vector<AskedNumber> instruction_numbers(const ReportedGpu& gpu, const InstructionRecord& row,
                                             const AskedWords& question) {
  const std::string name = row.id.substr(row.id.find('/') + 1), link = link_of(gpu, "instructions.html", row.id);
  std::vector<AskedNumber> times, rates;
  const std::vector<OperandLatency> all = latencies(row);
  const auto measured = std::ranges::find_if(all, [](const OperandLatency& one) { return one.measured != nullptr; });
  if (measured != all.end()) {
    times.push_back({name + ", latency", latency_groups(row), "cycles", row.id, measured->measured->name,
                     measured->measured->value, link});
  } else if (const Estimate* issue = published(row, "issue")) {
    times.push_back({name + ", one warp", fixed(issue->value, 1), "cycles each", row.id, "issue", issue->value, link});
  }
  if (const Estimate* rate = published(row, "throughput")) {
    std::string unit = "/clk/SM";
    if (const auto products = multiply_adds(row)) unit += fmt::format(" ({} FMA/clk/SM)", fixed(*products, 0));
    rates.push_back({name + ", throughput", fixed(rate->value, 1), unit, row.id, "throughput", rate->value, link});
  }
  return in_order(std::move(times), std::move(rates), question.rate);
}

std::vector<AskedNumber> form_numbers(const ReportedGpu& gpu, const MachineRow& row, const AskedWords& question) {
  const std::string link = link_of(gpu, "machine.html", row.key);
  std::vector<AskedNumber> times, rates;
  const auto timed =
      std::ranges::find_if(row.latencies, [](const DependencyLatency& one) { return one.cycles.has_value(); });
  if (timed != row.latencies.end())
    times.push_back({row.key + ", latency", machine_latencies(row), "cycles", row.key, timed->cycles->name,
                     timed->cycles->value, link});
  if (row.interval)
    rates.push_back({row.key + ", issue interval", issue_interval_text(row), "cycles per sub-partition", row.key,
                     row.interval->name, row.interval->value, link});
  return in_order(std::move(times), std::move(rates), question.rate);
}

}  // namespace warpclock
