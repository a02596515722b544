#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {
namespace {

std::string rate_line(std::string_view name, std::string_view text) { return fmt::format("  {:<16} {}\n", name, text); }

std::string interval_of(const Estimate& estimate) {
  return estimate.high - estimate.low < 0.05 ? "" : fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
}

/// "32 warps x 4 independent copies" of the note "32 warps x 4".
std::string copies_of(const Estimate& rate) {
  const bool counted = !rate.note.empty() && std::isdigit(static_cast<unsigned char>(rate.note.back())) != 0;
  return "(" + rate.note + (counted ? " independent copies)" : ")");
}

/// Multiply-adds of one result: 2 of "fma.rn.f16x2 {d}, {a}, {b}, {c}"; 0 of what is no multiply-add.
int packed_products(const std::string& ptx) {
  const std::vector<std::string> parts = split(ptx.substr(0, ptx.find(' ')), '.');
  if (parts.front() != "fma" && parts.front() != "mad") return 0;
  return std::ranges::any_of(parts, [](const std::string& part) { return part.ends_with("x2"); }) ? 2 : 1;
}

}  // namespace

std::string rates_text(const InstructionRecord& row, const std::string& counted, const Style& style) {
  const Estimate* rate = published(row, "throughput");
  if (rate == nullptr) return {};
  std::string text =
      rate_line("throughput", fmt::format("{} {}/clk/SM{}  {}", style.bold(fmt::format("{:.1f}", rate->value)), counted,
                                          interval_of(*rate), style.dim(copies_of(*rate))));
  if (const auto products = multiply_adds(row))
    text += rate_line("multiply-adds", human_number(*products, 4) + " FMA/clk/SM");
  else if (const int each = packed_products(row.ptx); each > 1)
    text += rate_line("multiply-adds",
                      fmt::format("{} FMA/clk/SM, {} a result", human_number(each * rate->value, 4), each));
  if (const Estimate* interval = published(row, "interval"))
    text += rate_line("interval", fmt::format("one warp instruction every {:.2f} cycles per sub-partition", interval->value));
  if (const Estimate* issue = published(row, "issue"))
    text += rate_line("issue", fmt::format("{:.2f} cycles between independent instructions of one warp", issue->value));
  return text;
}

}  // namespace warpclock
