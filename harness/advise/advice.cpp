#include "advise/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "predict/prediction_output.hpp"

namespace warpclock {

void describe(auto& a, Like<UsedNumber> auto& v) {
  WARPCLOCK_REQUIRED(name, value, low, high, unit, rows, record, gpu, date, commit);
  WARPCLOCK_OPTIONAL(note);
}

void describe(auto& a, Like<ModelCheck> auto& v) { WARPCLOCK_REQUIRED(of, predictions, mean_absolute, furthest, row); }

void describe(auto& a, Like<StageChoice> auto& v) {
  WARPCLOCK_REQUIRED(stages, shared_bytes, fits);
  WARPCLOCK_OPTIONAL(cycles, share, limit);
}

void describe(auto& a, Like<MeasuredKernel> auto& v) { WARPCLOCK_REQUIRED(row, stages, cycles, share); }

void describe(auto& a, Like<PipelineAdvice> auto& v) {
  WARPCLOCK_REQUIRED(m, n, k, type, from, tiles, multiply, multiplies, step_bytes, warp_groups, accumulators);
  WARPCLOCK_OPTIONAL(tensor, copy, rate, queue, best);
  WARPCLOCK_REQUIRED(choices);
  WARPCLOCK_OPTIONAL(measured);
}

void describe(auto& a, Like<RateTarget> auto& v) {
  WARPCLOCK_REQUIRED(share);
  WARPCLOCK_OPTIONAL(bytes, warps, loads, rate, row, asked_loads, asked_warps, total_bytes);
}

void describe(auto& a, Like<BandwidthAdvice> auto& v) {
  WARPCLOCK_REQUIRED(level, width);
  WARPCLOCK_OPTIONAL(warps, bytes, latency, rate, most_loads, gigabytes, sm_mhz, cycles, reached);
  WARPCLOCK_REQUIRED(targets);
}

void describe(auto& a, Like<LayoutChoice> auto& v) {
  WARPCLOCK_REQUIRED(layout, lanes, pitch, wavefronts, conflicts, checked);
}

void describe(auto& a, Like<SwizzleAdvice> auto& v) { WARPCLOCK_REQUIRED(row_bytes, access, fewest, layouts); }

void describe(auto& a, Like<SoftmaxPart> auto& v) {
  WARPCLOCK_REQUIRED(instruction, pipe, each);
  WARPCLOCK_OPTIONAL(cycles, hidden, row);
}

void describe(auto& a, Like<AttentionAdvice> auto& v) {
  WARPCLOCK_REQUIRED(head, keys, degree, type);
  WARPCLOCK_OPTIONAL(tensor, exponential, ratio, serial, overlapped_low, overlapped_high, both);
  WARPCLOCK_REQUIRED(parts);
  WARPCLOCK_OPTIONAL(softmax, polynomial, softmax_balanced, polynomial_needed);
}

void describe(auto& a, Like<OccupancyStep> auto& v) {
  WARPCLOCK_REQUIRED(what, registers, shared_bytes, blocks, warps);
}

void describe(auto& a, Like<WarpGain> auto& v) {
  WARPCLOCK_REQUIRED(level, loads);
  WARPCLOCK_OPTIONAL(now, next);
}

void describe(auto& a, Like<LoopWarps> auto& v) { WARPCLOCK_REQUIRED(id, chain, issue, warps); }

void describe(auto& a, Like<KernelOccupancy> auto& v) {
  WARPCLOCK_REQUIRED(name, registers, shared_bytes, threads, blocks, warps, limits);
  WARPCLOCK_OPTIONAL(next, gains);
  WARPCLOCK_REQUIRED(loops);
}

void describe(auto& a, Like<OccupancyAdvice> auto& v) { WARPCLOCK_REQUIRED(file, kernels); }

void describe(auto& a, Like<Advice> auto& v) {
  WARPCLOCK_OPTIONAL(pipeline, bandwidth, swizzle, attention, occupancy);
  WARPCLOCK_REQUIRED(gpu, arch, used, checks, unknown);
}

namespace {

constexpr const char* record_name = "advise";

Json advice_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

}  // namespace

std::string to_json(const Advice& advice) {
  return record_text(advice_version(), record_name, JsonWriter::write(advice));
}

std::string advice_schema() {
  return record_schema_text("warpclock advice", {{"const", advice_version()}}, record_name, JsonSchema::of<Advice>());
}

namespace {

constexpr const char* absent = "not measured";

/// What people read of a question, or of a kernel.
class Lines {
 public:
  /// Without a name it goes on with what the line before says.
  void line(const std::string& name, const std::string& text) { table_.rows.push_back({name, text}); }
  Table table(std::string title) && {
    table_.title = std::move(title);
    return std::move(table_);
  }

 private:
  Table table_{.key = "facts", .columns = columns({"name", "text"}), .headed = false};
};

std::string number(double value) { return human_number(value, 4); }

std::string or_absent(std::optional<double> value, const std::string& unit) {
  return value ? number(*value) + " " + unit : absent;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string fine_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string bytes_text(std::int64_t bytes) {
  return human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
}

void add(Sheet& sheet, const PipelineAdvice& one) {
  Lines lines;
  const StageChoice* best = nullptr;
  for (const StageChoice& choice : one.choices) {
    if (one.best && choice.stages == *one.best) best = &choice;
  }
  if (best == nullptr) {
    lines.line("stages", std::string(absent) + ", so none is advised");
  } else {
    lines.line("stages", fmt::format("{} of {}, {} of shared memory", best->stages, bytes_text(one.step_bytes),
                                     bytes_text(best->shared_bytes)));
    lines.line("share of peak",
               best->share ? fmt::format("{}, by the {}", percent(*best->share), best->limit) : absent);
  }
  for (const MeasuredKernel& kernel : one.measured) {
    lines.line("measured", fmt::format("{} of peak with {}, start and end included: {}", percent(kernel.share),
                                       counted(kernel.stages, "stage"), kernel.row));
  }
  lines.line("tiles", one.tiles == "shared" ? "shared by the SMs of a row and of a column, as in a product of matrices"
                                            : "each SM reads its own");
  lines.line("warps", fmt::format("{} for the multiplies ({} registers of sums a thread), and a warp that copies",
                                  counted(one.warp_groups, "warp group"), one.accumulators));
  lines.line("tensor cores", fmt::format("{}: {} {}", or_absent(one.tensor, "cycles"), one.multiplies, one.multiply));
  lines.line("copy", or_absent(one.copy, "cycles until it has arrived, and its buffer was handed back"));
  lines.line("rate of " + one.from, or_absent(one.rate, "cycles while all SMs copy"));
  sheet.tables.push_back(
      std::move(lines).table(fmt::format("a step of {}x{}x{}, {}, from {}", one.m, one.n, one.k, one.type, one.from)));
  Table table{.key = "choices",
              .title = "by stages",
              .columns = columns({"#stages|stages", "#shared_bytes|shared memory", "#cycles|cycles a step",
                                  "#share|share of peak", "limit"})};
  for (const StageChoice& choice : one.choices)
    table.rows.push_back({std::to_string(choice.stages), bytes_text(choice.shared_bytes),
                          choice.cycles ? number(*choice.cycles) : absent,
                          choice.share ? percent(*choice.share) : absent,
                          choice.fits ? choice.limit : "does not fit into shared memory"});
  sheet.tables.push_back(std::move(table));
}

void add_target(Lines& lines, const BandwidthAdvice& of, const RateTarget& target) {
  const std::string name = percent(target.share);
  lines.line(
      name, target.bytes
                ? fmt::format("{} in flight an SM: {} warps, {} loads of 16 B a thread ({} B/clk/SM, {})",
                              bytes_text(*target.bytes), *target.warps, *target.loads, number(*target.rate), target.row)
                : absent);
  if (target.asked_loads)
    lines.line("", fmt::format("with {} warps: {} of {} B a thread", *of.warps, counted(*target.asked_loads, "load"),
                               of.width));
  else if (target.asked_warps)
    lines.line("", fmt::format("{}at least {} warps, with {} of {} B a thread",
                               of.warps ? fmt::format("not with {} warps: ", *of.warps) : "", *target.asked_warps,
                               counted(of.most_loads.value_or(1), "load"), of.width));
  if (target.total_bytes)
    lines.line("", fmt::format("below {} in all, start-up latency costs over {}",
                               bytes_text(std::llround(*target.total_bytes)), percent(1 - target.share)));
}

void add(Sheet& sheet, const BandwidthAdvice& one) {
  Lines lines;
  lines.line(
      "rate",
      or_absent(one.rate, "B/clk/SM while all SMs read") +
          (one.gigabytes ? fmt::format(", {:.0f} GB/s at {:.0f} MHz", *one.gigabytes, one.sm_mhz.value_or(0)) : ""));
  lines.line("latency", or_absent(one.latency, "cycles"));
  if (one.bytes)
    lines.line(
        bytes_text(*one.bytes),
        one.cycles ? fmt::format("{} cycles, {} of the rate", number(*one.cycles), percent(*one.reached)) : absent);
  for (const RateTarget& target : one.targets) add_target(lines, one, target);
  sheet.tables.push_back(std::move(lines).table("reading from " + one.level));
}

void add(Sheet& sheet, const SwizzleAdvice& one) {
  Table table{.key = "layouts",
              .title = fmt::format("{} on rows of {} B: {} at the least", one.access, one.row_bytes,
                                   counted(one.fewest, "wavefront")),
              .columns = columns({"layout", "#pitch", "#wavefronts", "#conflicts", "lanes"})};
  for (const LayoutChoice& each : one.layouts)
    table.rows.push_back({each.layout, std::to_string(each.pitch), std::to_string(each.wavefronts),
                          std::to_string(each.conflicts), each.lanes + (each.checked ? "" : " (layout not measured)")});
  sheet.tables.push_back(std::move(table));
}

Table parts_table(const AttentionAdvice& one) {
  Table table{
      .key = "parts",
      .title = "softmax",
      .columns = columns({"instruction", "#each|a score", "#cycles|cycles a tile", "#hidden|hidden behind wgmma"})};
  for (const SoftmaxPart& part : one.parts)
    table.rows.push_back({part.instruction, number(part.each), part.cycles ? number(*part.cycles) : absent,
                          part.hidden ? percent(*part.hidden) : absent});
  return table;
}

void add(Sheet& sheet, const AttentionAdvice& one) {
  Lines lines;
  lines.line("tensor cores", or_absent(one.tensor, "cycles for both products"));
  lines.line("exponentials", or_absent(one.exponential, "cycles on MUFU") +
                                 (one.ratio ? fmt::format(", {} of the products", percent(*one.ratio)) : ""));
  lines.line("both", or_absent(one.both, "cycles, with what hides"));
  lines.line("with softmax", one.overlapped_low
                                 ? fmt::format("{} cycles with what hides, {} one after the other, {} if all hid",
                                               range_text(*one.overlapped_low, *one.overlapped_high),
                                               number(*one.serial), number(std::max(*one.tensor, *one.softmax)))
                                 : absent);
  if (one.polynomial_needed)
    lines.line("polynomial", *one.polynomial_needed > 0
                                 ? fmt::format("{} of the exponentials, so that MUFU takes as long as the products",
                                               percent(*one.polynomial_needed))
                                 : "none is needed: MUFU takes no longer than the products");
  if (one.polynomial)
    lines.line("",
               fmt::format("{} of them by a polynomial of degree {} make softmax shortest: {} instead of {} cycles",
                           percent(*one.polynomial), one.degree, number(*one.softmax_balanced), number(*one.softmax)));
  sheet.tables.push_back(
      std::move(lines).table(fmt::format("64 queries, {} keys, head of {}, {}", one.keys, one.head, one.type)));
  sheet.tables.push_back(parts_table(one));
}

std::string gain_text(const KernelOccupancy& one, const WarpGain& gain) {
  const std::string what = fmt::format("{}, {} in flight", gain.level, counted(gain.loads, "load"));
  if (!gain.now || !gain.next) return fmt::format("{}: {}", what, absent);
  return fmt::format("{}: {} to {} B/clk/SM with {} to {} warps, {:.2f}x", what, number(*gain.now), number(*gain.next),
                     one.warps, one.next->warps, *gain.next / *gain.now);
}

void add(Sheet& sheet, const KernelOccupancy& one) {
  Lines lines;
  lines.line("needs",
             fmt::format("{}, {} of shared memory", counted(one.registers, "register"), bytes_text(one.shared_bytes)));
  lines.line("on an SM", fmt::format("{}, {} ({})", counted(one.blocks, "block"), counted(one.warps, "warp"),
                                     join(one.limits, ", ")));
  if (!one.next) lines.line("next step", "none: fewer registers or less shared memory add no block");
  if (one.next) {
    lines.line("next step", fmt::format("{} with at most {} and {} of shared memory ({})",
                                        counted(one.next->blocks, "block"), counted(one.next->registers, "register"),
                                        bytes_text(one.next->shared_bytes), one.next->what));
    for (const WarpGain& gain : one.gains) lines.line("", gain_text(one, gain));
  }
  for (const LoopWarps& loop : one.loops)
    lines.line(fmt::format("loop {}", loop.id),
               fmt::format("{} cycles a trip alone, {} issue slots: faster up to {} warps", number(loop.chain),
                           number(loop.issue), loop.warps));
  sheet.tables.push_back(std::move(lines).table(fmt::format("{}, {} threads", one.name, one.threads)));
}

/// Lines below a title, for people; none if there are no lines.
void add_list(Sheet& sheet, const std::string& title, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  Table table{.key = title, .title = title, .columns = columns({"text"}), .headed = false};
  for (const std::string& text : texts) table.rows.push_back({text});
  sheet.tables.push_back(std::move(table));
}

/// Rows of one probe are one line.
std::vector<std::string> used_texts(const Advice& advice) {
  std::vector<std::string> out, seen;
  for (const UsedNumber& used : advice.used) {
    if (contains(seen, used.name)) continue;
    seen.push_back(used.name);
    const auto same = std::ranges::count(advice.used, used.name, &UsedNumber::name);
    const std::size_t rows = used.rows.size() + static_cast<std::size_t>(same) - 1;
    const std::string value = same > 1 ? "" : number(used.value) + (used.unit == "1" ? "" : " " + used.unit) + ": ";
    out.push_back(fmt::format("{}: {}{}{} ({}, {})", used.name, value, used.rows.front(),
                              rows > 1 ? fmt::format(" and {} more", rows - 1) : "", used.record,
                              used.date.substr(0, used.date.find('T'))));
  }
  return out;
}

std::string check_text(const ModelCheck& check) {
  return fmt::format("{}: mean absolute {} over {}, the furthest {} ({})", check.of, fine_percent(check.mean_absolute),
                     counted(check.predictions, "prediction"), signed_percent(check.furthest), check.row);
}

}  // namespace

Sheet advice_sheet(const Advice& advice) {
  Sheet sheet{.title = advice.gpu};
  if (advice.pipeline) add(sheet, *advice.pipeline);
  if (advice.bandwidth) add(sheet, *advice.bandwidth);
  if (advice.swizzle) add(sheet, *advice.swizzle);
  if (advice.attention) add(sheet, *advice.attention);
  if (advice.occupancy) {
    sheet.title += ": " + advice.occupancy->file;
    for (const KernelOccupancy& kernel : advice.occupancy->kernels) add(sheet, kernel);
  }
  add_list(sheet, "rows", used_texts(advice));
  add_list(sheet, "errors of the model", mapped(advice.checks, check_text));
  add_list(sheet, "not known", advice.unknown);
  return sheet;
}

}  // namespace warpclock
