#include "answer/sections/tensor_table.hpp"

#include <algorithm>
#include <tuple>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/arch.hpp"
#include "plan/config/scope.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

constexpr const char* fma_rate = "FMA/clk/SM";

const SelectorKeys of_cases_of_tensors{{Selector::Kind::Cases}};

}  // namespace

void describe(YamlArchive& a, TensorKind& v) {
  WARPCLOCK_REQUIRED(instruction, shape, inputs, accumulator);
  WARPCLOCK_OPTIONAL(source, operand, dense);
  for (std::size_t i = 0; i < tensor_columns; ++i)
    a.optional(tensor_column_names.at(i), v.from.at(i), yaml::one_or_list(yaml::with(of_cases_of_tensors)));
}

void describe(YamlArchive& a, TensorPeaks& v) {
  Arch arch;
  a.required("arch", arch, yaml::arch());
  v.sm = arch.sm;
  WARPCLOCK_REQUIRED(source);
  a.required("rates", v.rates, yaml::entries_of(yaml::positive()));
}

void describe(YamlArchive& a, TensorTable& v) {
  a.required("rows", v.kinds);
  WARPCLOCK_REQUIRED(peaks);
}

namespace {

/// Rate and unit distinguish a number of this table from another estimate of that name.
const Estimate* estimate_of(const Row& row, const Selector& from, std::size_t column) {
  const Estimate* estimate = published(row, from.name);
  const bool rate = column >= static_cast<std::size_t>(TensorColumn::Random);
  return estimate != nullptr && estimate->unit == (rate ? fma_rate : "cycles") ? estimate : nullptr;
}

/// The instructions between the clock reads that do the multiplication.
std::string multiply_of(const Row& row) {
  if (!row.window.label.empty()) return row.window.label;
  for (const auto& [opcode, count] : row.window.opcodes) {
    if (opcode.find("MMA") != std::string::npos) return opcode;
  }
  return {};
}

/// The highest rate is the one with the highest lower bound, because the highest value of many is biased upwards.
void take(std::optional<TensorNumber>& best, const Estimate& estimate, const Row& row, bool highest) {
  if (best && !(highest ? estimate.low > best->low : estimate.value < best->value)) return;
  best = TensorNumber{estimate.value, &row, estimate.low};
}

void add_latency(TensorLine& line, const std::string& operand, double value, const Row& row) {
  TensorNumber& least = find_or_add(line.latency, operand);
  if (least.row == nullptr || value < least.value) least = {value, &row};
}

class Reader {
 public:
  explicit Reader(std::vector<TensorGroup>& groups) : groups_(groups) {}

  void read(const TensorKind& kind, const Record& record) {
    for (const Row& row : record.rows) {
      TensorLine* line = nullptr;
      for (std::size_t i = 0; i < tensor_columns; ++i) {
        const auto is_of = [&](const Selector& each) { return means(each, row, record.device); };
        const auto from = std::ranges::find_if(kind.from.at(i), is_of);
        if (from == kind.from.at(i).end()) continue;
        if (line == nullptr) line = line_of(kind, row);
        if (line != nullptr) add(kind, row, *from, i, *line);
      }
    }
  }

 private:
  static void add(const TensorKind& kind, const Row& row, const Selector& from, std::size_t column, TensorLine& line) {
    if (row.outcome != Outcome::Measured) {
      if (line.missing.empty() || line.missing.back() != &row) line.missing.push_back(&row);
      return;
    }
    if (line.becomes.empty()) line.becomes = multiply_of(row);
    const Estimate* estimate = estimate_of(row, from, column);
    if (estimate == nullptr) return;
    if (column == static_cast<std::size_t>(TensorColumn::Latency)) {
      const Value* operand = kind.operand.empty() ? nullptr : find(row.parameters, kind.operand);
      add_latency(line, operand == nullptr ? "" : to_string(*operand), estimate->value, row);
    } else {
      take(line.number.at(column), *estimate, row, from.take == Selector::Take::Highest);
      if (column == static_cast<std::size_t>(TensorColumn::Random)) line.random.push_back({estimate->value, &row});
    }
  }

  /// Null for a case that lacks a parameter of the row.
  TensorLine* line_of(const TensorKind& kind, const Row& row) {
    const auto shape = substitute(kind.shape, row.parameters), source = substitute(kind.source, row.parameters);
    const Value *inputs = find(row.parameters, kind.inputs), *accumulator = find(row.parameters, kind.accumulator);
    if (!shape || !source || inputs == nullptr || accumulator == nullptr) return nullptr;
    const std::tuple key{kind.instruction, to_string(*inputs), to_string(*accumulator)};
    auto group = std::ranges::find_if(groups_, [&](const TensorGroup& each) {
      return std::tie(each.instruction, each.inputs, each.accumulator) == key;
    });
    if (group == groups_.end()) {
      group = groups_.insert(group,
                             TensorGroup{kind.instruction, std::get<1>(key), std::get<2>(key), kind.dense, 0, "", {}});
    }
    const auto line = std::ranges::find_if(
        group->lines, [&](const TensorLine& each) { return each.shape == *shape && each.source == *source; });
    if (line != group->lines.end()) return &*line;
    TensorLine& fresh = group->lines.emplace_back();
    fresh.shape = *shape;
    fresh.source = *source;
    return &fresh;
  }

  std::vector<TensorGroup>& groups_;
};

double best_dense(const std::vector<TensorGroup>& groups, const std::string& inputs) {
  double best = 0;
  for (const TensorGroup& group : groups) {
    if (!group.dense || group.inputs != inputs) continue;
    for (const TensorLine& line : group.lines) best = std::max(best, line.rate().value_or(0));
  }
  return best;
}

void add_peaks(const TensorTable& table, const Record& record, std::vector<TensorGroup>& groups) {
  const Expected<Arch> arch = parse_arch(record.device.arch);
  const auto peaks =
      std::ranges::find_if(table.peaks, [&](const TensorPeaks& each) { return arch && each.sm == arch->sm; });
  for (TensorGroup& group : groups) {
    if (peaks != table.peaks.end()) {
      if (const auto at = peaks->rates.find(group.inputs); at != peaks->rates.end()) {
        group.peak = at->second;
        group.peak_source = peaks->source;
        continue;
      }
    }
    group.peak = best_dense(groups, group.inputs);
    if (group.peak > 0) group.peak_source = "the best dense rate that was measured";
  }
}

}  // namespace

Expected<TensorTable> parse_tensor(const std::string& file, std::string_view text) {
  return read_yaml<TensorTable>(file, text);
}

const Expected<TensorTable>& known_tensor() {
  static const Expected<TensorTable> known = parse_tensor("tensor.yaml", embedded_assets().at("tensor.yaml"));
  return known;
}

std::optional<ClockedNumber> TensorNumber::teraops(int sms) const {
  constexpr double operations = 2;
  if (sms <= 0 || row == nullptr || !row->clock.in_window || !(row->clock.sm_mhz > 0)) return std::nullopt;
  return at_clock(operations * value * sms / 1e6, sm_clock(row->clock));
}

const TensorNumber* TensorLine::random_of_zeros() const {
  const auto& zeros = at(TensorColumn::Zeros);
  if (!zeros) return nullptr;
  const auto same = std::ranges::find_if(
      random, [&](const TensorNumber& each) { return each.row->parameters == zeros->row->parameters; });
  const bool shown = same == random.end() || same->row == at(TensorColumn::Random)->row;
  return shown ? nullptr : &*same;
}

std::optional<double> TensorLine::rate() const {
  std::optional<double> best;
  for (const TensorColumn column :
       {TensorColumn::Random, TensorColumn::Zeros, TensorColumn::Sustained, TensorColumn::SustainedZeros}) {
    if (const auto& each = at(column)) best = std::max(best.value_or(0), each->value);
  }
  return best;
}

std::vector<TensorGroup> tensor_groups(const TensorTable& table, const Record& record) {
  std::vector<TensorGroup> groups;
  for (const TensorKind& kind : table.kinds) Reader(groups).read(kind, record);
  add_peaks(table, record, groups);
  return groups;
}

std::string conditions_text(const TensorNumber& number) {
  const auto power = mean_power_w(number.row->clock);
  return clock_text(sm_clock(number.row->clock)) + " MHz" + (power ? ", " + fixed(*power, 0) + " W" : "");
}

std::string peak_text(const TensorGroup& group, const TensorLine& line) {
  const auto rate = line.rate();
  return rate && group.peak > 0 ? fixed(100 * *rate / group.peak, 1) + " %" : std::string();
}

}  // namespace warpclock
