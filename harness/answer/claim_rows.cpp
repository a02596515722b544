#include "answer/claim_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/markdown_table.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr const char* measured_arch = "sm_90a";  // what claims_code_test.cpp compiles for

using Values = std::vector<ClaimValue>;

void add_cases(const ProbeBook& book, std::size_t gpu, const std::string& id, const std::string& name, Values& all) {
  const std::string probe = id.substr(0, id.find('['));
  const Record* record = book.has(probe) ? book.places(probe)[gpu].record : nullptr;
  if (record == nullptr) return;
  for (const CaseRecord& row : record->cases) {
    const Estimate* estimate = is_id(id, row.id) ? published(row, name) : nullptr;
    if (estimate != nullptr)
      all.push_back({estimate->value, estimate->unit, book.case_link(gpu, row), &row.parameters});
  }
}

void add_kernels(const ReportedGpu& gpu, const std::string& id, const std::string& name, Values& all) {
  const auto own = gpu.kernels.find("");
  if (own == gpu.kernels.end()) return;
  const std::string link = percent_encoded(gpu.folder) + "/cases.html";
  for (const KernelRow& row : own->second->rows) {
    if (!is_id(id, row.id) || !row.measurement) continue;
    if (name == "cycles")
      all.push_back({row.measurement->cycles, "cycles", link, &row.parameters});
    else if (name == "cublas" && row.library && row.library->missing.empty())
      all.push_back({100 * row.library->share, "% of cuBLAS", link, &row.parameters});
  }
}

/// The estimates of tables of instructions, whose rows have no parameters.
class TableValues {
 public:
  TableValues(const ReportedGpu& gpu, const std::string& id, const std::string& name, Values& all)
      : gpu_(gpu), id_(id), name_(name), all_(all) {}

  void add_instructions() {
    if (gpu_.table == nullptr) return;
    for (const InstructionRecord& row : gpu_.table->rows) {
      const Estimate* estimate = is_id(id_, row.id) ? published(row, name_) : nullptr;
      if (estimate != nullptr) add("instructions.html" + at(row.id), estimate->value, estimate->unit);
    }
  }
  void add_machine() {
    if (gpu_.machine == nullptr) return;
    for (const MachineRow& row : gpu_.machine->rows) {
      if (!is_id(id_, row.key)) continue;
      add_interval(at(row.key), row.interval);
      for (const DependencyLatency& latency : row.latencies) add_latency(at(row.key), latency);
    }
    for (const ProducerConsumer& row : gpu_.machine->dependences)
      if (is_id(id_, row.id)) add_latency("", row.latency);
    for (const auto* studies :
         {&gpu_.machine->pairs, &gpu_.machine->banks, &gpu_.machine->with_multiplies, &gpu_.machine->between_warps})
      for (const IssueStudy& row : *studies)
        if (is_id(id_, row.id)) add_interval("", row.interval);
  }

 private:
  /// The place of a row on a page. The relations of machine instructions have no places of their own.
  static std::string at(const std::string& row) { return "#i=" + percent_encoded(row); }
  void add(const std::string& place, double value, const std::string& unit) {
    static const Parameters none;
    all_.push_back({value, unit, percent_encoded(gpu_.folder) + "/" + place, &none});
  }
  void add_interval(const std::string& place, const std::optional<Estimate>& interval) {
    if (interval && name_ == interval->name) add("machine.html" + place, interval->value, interval->unit);
  }
  void add_latency(const std::string& place, const DependencyLatency& latency) {
    if (latency.cycles && name_ == latency.cycles->name)
      add("machine.html" + place, latency.cycles->value, latency.cycles->unit);
    if (latency.least_right && name_ == "minimum_stall." + std::to_string(latency.source))
      add("machine.html" + place, *latency.least_right, "cycles");
  }

  const ReportedGpu& gpu_;
  const std::string &id_, &name_;
  Values& all_;
};

/// All numbers of one GPU that an id and the name of an estimate mean.
Values numbers_of(const ProbeBook& book, std::size_t gpu, const std::string& id, const std::string& name) {
  Values all;
  const ReportedGpu& of = book.gpus()[gpu];
  add_cases(book, gpu, id, name, all);
  TableValues tables(of, id, name, all);
  tables.add_instructions();
  tables.add_machine();
  add_kernels(of, id, name, all);
  return all;
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
  ClaimCode code;
  a.required("says", v.says);
  a.optional("of", v.numbers.of);
  a.optional("estimate", v.numbers.of_estimate);
  a.optional("by", v.numbers.by);
  v.numbers.by_estimate = v.numbers.of_estimate;
  a.optional("with", v.numbers.by_estimate);
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
    a.need({"of", "estimate"});
  }
}

std::vector<ClaimValue> claim_values(const ProbeBook& book, std::size_t gpu, const ClaimRow& row) {
  if (row.code) {
    if (book.gpus()[gpu].device().arch != measured_arch) return {};
    return {{row.code->times, "in the machine code", "", nullptr}};
  }
  const SecondMethod& numbers = row.numbers;
  Values all = numbers_of(book, gpu, numbers.of, numbers.of_estimate);
  if (numbers.by.empty()) return all;
  for (ClaimValue& one : all) {
    const auto id = substitute(numbers.by, *one.parameters);
    const auto by = id ? numbers_of(book, gpu, *id, numbers.by_estimate) : Values();
    if (by.size() != 1) return {};
    one.value /= by.front().value, one.unit = "x";
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
  const bool ratio = !row.numbers.by.empty();
  const auto [low_end, high_end] = row.claimed;
  const std::string low = number_text(low_end, ratio), high = number_text(high_end, ratio);
  if (high_end == std::numeric_limits<double>::infinity()) return low + " or more";
  return low == high ? low : low + " to " + high;
}

}  // namespace warpclock
