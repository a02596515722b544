#include "answer/claim_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answer/markdown_table.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr const char* measured_arch = "sm_90a";  // what claims_code_test.cpp compiles for

/// The place of a number's row. The relations of machine instructions have no places of their own.
std::string link_of(const ProbeBook& book, std::size_t gpu, const Selector& selector, const Selected& one) {
  const std::string folder = percent_encoded(book.gpus()[gpu].folder), at = "#i=" + percent_encoded(one.name);
  switch (selector.kind) {
    case Selector::Kind::Instruction:
      return folder + "/instructions.html" + at;
    case Selector::Kind::Form:
      return folder + "/machine.html" + (one.name.starts_with('@') ? at : "");
    case Selector::Kind::Kernel:
      return folder + "/cases.html";
    default:
      return book.case_link(gpu, *one.cases.front());
  }
}

std::string number_text(double value, bool ratio) {
  if (ratio) return fmt::format("{:.{}f}", value, value < 10 ? 2 : 1);
  return value >= 1000 ? fixed(value, 0) : fmt::format("{:.3g}", value);
}

}  // namespace

ClaimLimits read_claim_limits(const Node& node) {
  const std::vector<Node> ends = node.items();
  if (ends.empty() || ends.size() > 2) node.reject("is [low, high], or [low]");
  ClaimLimits limits;
  if (!ends.empty()) limits.low = ends.front().number();
  if (ends.size() == 2) limits.high = ends.back().number();
  return limits;
}

void describe(YamlArchive& a, ClaimRow& v, const std::optional<ClaimLimits>& claimed) {
  using Kind = Selector::Kind;
  static const SelectorKeys rows{.kinds = {Kind::Cases, Kind::Half, Kind::Instruction, Kind::Form, Kind::Kernel},
                                 .of_rows = true};
  a.required("says", v.says);
  a.optional("of", v.of, yaml::with(rows));
  a.optional("by", v.by, yaml::with(rows));
  ClaimCode code;
  a.optional("code", code.source);
  a.optional("kernel", code.kernel);
  a.optional("target", code.target);
  a.optional("has", code.has);
  a.optional("times", code.times);
  v.claimed = claimed.value_or(ClaimLimits());
  a.optional("claimed", v.claimed, yaml::custom(read_claim_limits));
  if (!claimed) a.need({"claimed"});
  if (a.has("code")) {
    a.need({"kernel", "has", "times"});
    v.code = code;
  } else {
    a.need({"of"});
  }
}

std::vector<Selected> selected(const ProbeBook& book, std::size_t gpu, const Selector& selector) {
  const ReportedGpu& of = book.gpus()[gpu];
  const auto in = [&](const auto* table) {
    return table == nullptr ? std::vector<Selected>() : selected(*table, selector);
  };
  const auto kernels = of.kernels.find("");
  switch (selector.kind) {
    case Selector::Kind::Instruction:
      return in(of.table);
    case Selector::Kind::Form:
      return in(of.machine);
    case Selector::Kind::Kernel:
      return in(kernels == of.kernels.end() ? nullptr : kernels->second);
    default:
      return in(book.has(selector.probe) ? book.places(selector.probe)[gpu].record : nullptr);
  }
}

std::vector<ClaimValue> claim_values(const ProbeBook& book, std::size_t gpu, const ClaimRow& row) {
  if (row.code) {
    if (book.gpus()[gpu].device().arch != measured_arch) return {};
    return {{row.code->times, "in the machine code", ""}};
  }
  static const Parameters none;
  std::vector<ClaimValue> all;
  for (const Selected& one : selected(book, gpu, *row.of)) {
    const Parameters& parameters = one.parameters != nullptr ? *one.parameters : none;
    all.push_back({one.value, one.unit, link_of(book, gpu, *row.of, one)});
    if (!row.by) continue;
    const auto selector = bound_to(parameters, *row.by);
    const auto by = selector ? selected(book, gpu, *selector) : std::vector<Selected>();
    if (by.size() != 1) return {};
    all.back().value /= by.front().value, all.back().unit = "x";
  }
  return all;
}

ClaimFit fit_of(const std::vector<ClaimValue>& values, const ClaimLimits& claimed) {
  if (values.empty()) return ClaimFit::Missing;
  const auto inside = std::ranges::count_if(
      values, [&](const ClaimValue& one) { return one.value >= claimed.low && one.value <= claimed.high; });
  return inside == std::ssize(values) ? ClaimFit::In : inside == 0 ? ClaimFit::Out : ClaimFit::Mixed;
}

std::string claim_cell(const std::vector<ClaimValue>& values) {
  if (values.empty()) return "not measured yet";
  const auto [least, most] = std::ranges::minmax_element(values, {}, &ClaimValue::value);
  const bool ratio = least->unit == "x";
  std::string text = number_text(least->value, ratio);
  if (const std::string end = number_text(most->value, ratio); end != text) text += " to " + end;
  const std::string unit = least->unit == "count"                   ? ""
                           : text == "1" && least->unit == "cycles" ? "cycle"
                                                                    : unit_text(least->unit);
  text += ratio ? "x" : unit.empty() ? "" : " " + markdown_text(unit);
  return least->link.empty() ? text : fmt::format("[{}](../reports/{})", text, least->link);
}

std::string claim_limits_text(const ClaimRow& row) {
  const bool ratio = row.by.has_value();
  const auto [low_end, high_end] = row.claimed;
  const std::string low = number_text(low_end, ratio), high = number_text(high_end, ratio);
  if (high_end == std::numeric_limits<double>::infinity()) return low + " or more";
  return low == high ? low : low + " to " + high;
}

}  // namespace warpclock
