#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "advise/advice_output.hpp"
#include "base/text.hpp"
#include "predict/prediction_output.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

constexpr const char* absent = "not measured";

std::string line(const std::string& name, const std::string& text) { return fmt::format("  {:<16} {}\n", name, text); }

std::string number(double value) { return human_number(value, 4); }

std::string or_absent(std::optional<double> value, const std::string& unit) {
  return value ? number(*value) + " " + unit : absent;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string fine_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string bytes_text(std::int64_t bytes) {
  return human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
}

std::string text_of(const PipelineAdvice& one) {
  std::string out = fmt::format("a step of {}x{}x{}, {}, from {}\n", one.m, one.n, one.k, one.type, one.from);
  const StageChoice* best = nullptr;
  for (const StageChoice& choice : one.choices) {
    if (one.best && choice.stages == *one.best) best = &choice;
  }
  if (best == nullptr) {
    out += line("stages", std::string(absent) + ", so none is advised");
  } else {
    out += line("stages", fmt::format("{} of {}, {} of shared memory", best->stages, bytes_text(one.step_bytes),
                                      bytes_text(best->shared_bytes)));
    out +=
        line("share of peak", best->share ? fmt::format("{}, by the {}", percent(*best->share), best->limit) : absent);
  }
  for (const MeasuredKernel& kernel : one.measured) {
    out += line("measured", fmt::format("{} of peak with {}, start and end included: {}", percent(kernel.share),
                                        counted(kernel.stages, "stage"), kernel.row));
  }
  out += line("tiles", one.tiles == "shared" ? "shared by the SMs of a row and of a column, as in a product of matrices"
                                             : "each SM reads its own");
  out += line("warps", fmt::format("{} for the multiplies ({} registers of sums a thread), and a warp that copies",
                                   counted(one.warp_groups, "warp group"), one.accumulators));
  out += line("tensor cores", fmt::format("{}: {} {}", or_absent(one.tensor, "cycles"), one.multiplies, one.multiply));
  out += line("copy", or_absent(one.copy, "cycles until it has arrived, and its buffer was handed back"));
  out += line("rate of " + one.from, or_absent(one.rate, "cycles while all SMs copy"));
  out += "\n  stages  shared memory  cycles a step  share of peak  limit\n";
  for (const StageChoice& choice : one.choices) {
    out += fmt::format(
        "  {:>6}  {:>13}  {:>13}  {:>13}{}\n", choice.stages, bytes_text(choice.shared_bytes),
        choice.cycles ? number(*choice.cycles) : absent, choice.share ? percent(*choice.share) : absent,
        choice.fits ? (choice.limit.empty() ? "" : "  " + choice.limit) : "  does not fit into shared memory");
  }
  return out;
}

std::string target_text(const BandwidthAdvice& of, const RateTarget& target) {
  std::string out;
  const std::string name = percent(target.share);
  out +=
      line(name, target.bytes ? fmt::format("{} in flight an SM: {} warps, {} loads of 16 B a thread ({} B/clk/SM, {})",
                                            bytes_text(*target.bytes), *target.warps, *target.loads,
                                            number(*target.rate), target.row)
                              : absent);
  if (target.asked_loads)
    out += line("", fmt::format("with {} warps: {} of {} B a thread", *of.warps, counted(*target.asked_loads, "load"),
                                of.width));
  else if (target.asked_warps)
    out += line("", fmt::format("{}at least {} warps, with {} of {} B a thread",
                                of.warps ? fmt::format("not with {} warps: ", *of.warps) : "", *target.asked_warps,
                                counted(of.most_loads.value_or(1), "load"), of.width));
  if (target.total_bytes)
    out += line("", fmt::format("with fewer than {} in all, one latency takes more than {} of the time",
                                bytes_text(std::llround(*target.total_bytes)), percent(1 - target.share)));
  return out;
}

std::string text_of(const BandwidthAdvice& one) {
  std::string out = fmt::format("reading from {}\n", one.level);
  out += line(
      "rate",
      or_absent(one.rate, "B/clk/SM while all SMs read") +
          (one.gigabytes ? fmt::format(", {:.0f} GB/s at {:.0f} MHz", *one.gigabytes, one.sm_mhz.value_or(0)) : ""));
  out += line("latency", or_absent(one.latency, "cycles"));
  if (one.bytes)
    out += line(
        bytes_text(*one.bytes),
        one.cycles ? fmt::format("{} cycles, {} of the rate", number(*one.cycles), percent(*one.reached)) : absent);
  for (const RateTarget& target : one.targets) out += target_text(one, target);
  return out;
}

std::string text_of(const SwizzleAdvice& one) {
  std::string out =
      fmt::format("{} on rows of {} B: {} at the least\n", one.access, one.row_bytes, counted(one.fewest, "wavefront"));
  out += "\n  layout        pitch  wavefronts  conflicts  lanes\n";
  for (const LayoutChoice& each : one.layouts) {
    out += fmt::format("  {:<12} {:>6}  {:>10}  {:>9}  {}{}\n", each.layout, each.pitch, each.wavefronts,
                       each.conflicts, each.lanes, each.checked ? "" : " (layout not measured)");
  }
  return out;
}

std::string parts_text(const AttentionAdvice& one) {
  std::string out = "\n  softmax               a score  cycles a tile  hidden behind wgmma\n";
  for (const SoftmaxPart& part : one.parts) {
    out += fmt::format("  {:<20} {:>8}  {:>13}  {:>19}\n", part.instruction, number(part.each),
                       part.cycles ? number(*part.cycles) : absent, part.hidden ? percent(*part.hidden) : absent);
  }
  return out;
}

std::string text_of(const AttentionAdvice& one) {
  std::string out = fmt::format("64 queries, {} keys, head of {}, {}\n", one.keys, one.head, one.type);
  out += line("tensor cores", or_absent(one.tensor, "cycles for both products"));
  out += line("exponentials", or_absent(one.exponential, "cycles on MUFU") +
                                  (one.ratio ? fmt::format(", {} of the products", percent(*one.ratio)) : ""));
  out += line("both", or_absent(one.both, "cycles, with what hides"));
  out += line("with softmax", one.overlapped_low
                                  ? fmt::format("{} cycles with what hides, {} one after the other, {} if all hid",
                                                range_text(*one.overlapped_low, *one.overlapped_high),
                                                number(*one.serial), number(std::max(*one.tensor, *one.softmax)))
                                  : absent);
  if (one.polynomial_needed)
    out += line("polynomial", *one.polynomial_needed > 0
                                  ? fmt::format("{} of the exponentials, so that MUFU takes as long as the products",
                                                percent(*one.polynomial_needed))
                                  : "none is needed: MUFU takes no longer than the products");
  if (one.polynomial)
    out += line("",
                fmt::format("{} of them by a polynomial of degree {} make softmax shortest: {} instead of {} cycles",
                            percent(*one.polynomial), one.degree, number(*one.softmax_balanced), number(*one.softmax)));
  return out + parts_text(one);
}

std::string gain_text(const KernelOccupancy& one, const WarpGain& gain) {
  const std::string what = fmt::format("{}, {} in flight", gain.level, counted(gain.loads, "load"));
  if (!gain.now || !gain.next) return line("", fmt::format("{}: {}", what, absent));
  return line("", fmt::format("{}: {} to {} B/clk/SM with {} to {} warps, {:.2f}x", what, number(*gain.now),
                              number(*gain.next), one.warps, one.next->warps, *gain.next / *gain.now));
}

std::string text_of(const KernelOccupancy& one) {
  std::string out = fmt::format("{}, {} threads\n", one.name, one.threads);
  out += line("needs",
              fmt::format("{}, {} of shared memory", counted(one.registers, "register"), bytes_text(one.shared_bytes)));
  out += line("on an SM", fmt::format("{}, {} ({})", counted(one.blocks, "block"), counted(one.warps, "warp"),
                                      join(one.limits, ", ")));
  if (!one.next) out += line("next step", "none: fewer registers or less shared memory add no block");
  if (one.next) {
    out += line("next step", fmt::format("{} with at most {} and {} of shared memory ({})",
                                         counted(one.next->blocks, "block"), counted(one.next->registers, "register"),
                                         bytes_text(one.next->shared_bytes), one.next->what));
    for (const WarpGain& gain : one.gains) out += gain_text(one, gain);
  }
  for (const LoopWarps& loop : one.loops)
    out += line(fmt::format("loop {}", loop.id),
                fmt::format("{} cycles a trip alone, {} issue slots: faster up to {} warps", number(loop.chain),
                            number(loop.issue), loop.warps));
  return out;
}

/// Rows of one probe are one line.
std::string used_text(const Advice& advice) {
  std::string out;
  std::vector<std::string> seen;
  for (const UsedNumber& used : advice.used) {
    if (std::ranges::find(seen, used.name) != seen.end()) continue;
    seen.push_back(used.name);
    const auto same = std::ranges::count(advice.used, used.name, &UsedNumber::name);
    const std::size_t rows = used.rows.size() + static_cast<std::size_t>(same) - 1;
    const std::string value = same > 1 ? "" : number(used.value) + (used.unit == "1" ? "" : " " + used.unit) + ": ";
    out += fmt::format("    {}: {}{}{} ({}, {})\n", used.name, value, used.rows.front(),
                       rows > 1 ? fmt::format(" and {} more", rows - 1) : "", used.record,
                       used.date.substr(0, used.date.find('T')));
  }
  return out;
}

}  // namespace

std::string advice_text(const Advice& advice, const Style& style) {
  std::string out = style.bold(advice.gpu) + ": ";
  if (advice.pipeline) out += text_of(*advice.pipeline);
  if (advice.bandwidth) out += text_of(*advice.bandwidth);
  if (advice.swizzle) out += text_of(*advice.swizzle);
  if (advice.attention) out += text_of(*advice.attention);
  if (advice.occupancy) {
    out += advice.occupancy->file + "\n";
    for (const KernelOccupancy& kernel : advice.occupancy->kernels) out += "\n" + text_of(kernel);
  }
  if (!advice.used.empty()) out += "\n  rows\n" + used_text(advice);
  if (!advice.checks.empty()) out += "\n  errors of the model\n";
  for (const ModelCheck& check : advice.checks) {
    out += fmt::format("    {}: mean absolute {} over {}, the furthest {} ({})\n", check.of,
                       fine_percent(check.mean_absolute), counted(check.predictions, "prediction"),
                       signed_percent(check.furthest), check.row);
  }
  if (!advice.unknown.empty()) out += "\n  not known\n";
  for (const std::string& sentence : advice.unknown) out += "    " + sentence + "\n";
  return out;
}

}  // namespace warpclock
