#include "answer/sections/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "answer/numbers/figures.hpp"
#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "record/outline.hpp"
#include "record/selector.hpp"

namespace warpclock {
namespace {

const SelectorKeys of_half{{Selector::Kind::Half}}, of_cases{{Selector::Kind::Cases}};

}  // namespace

void describe(YamlArchive& a, HandoffSource& v) {
  a.required("within", v.within);
  a.required("from", v.from, yaml::with(of_half));
  a.required("by", v.by);
}

void describe(YamlArchive& a, CopySource& v, const Quantities& quantities) {
  const auto quantity = yaml::entry_of(quantities, "quantity");
  a.required("source", v.source);
  a.required("tiles", v.tiles, yaml::one_or_list(yaml::with(of_cases)));
  a.required("issue", v.issue, quantity);
  a.required("latency", v.latency, quantity);
  a.required("rate", v.rate, quantity);
}

void describe(YamlArchive& a, PipelineSource& v, const Quantities& quantities) {
  WARPCLOCK_REQUIRED(stages, work, tile);
  a.required("bytes", v.bytes.factors);
  a.required("alone", v.alone, yaml::with(of_cases));
  a.required("sources", v.sources, yaml::list_of(yaml::with(quantities)));
}

void describe(YamlArchive& a, KernelDesign& v, const Quantities& quantities) {
  WARPCLOCK_REQUIRED(handoffs);
  a.required("pipelines", v.pipelines, yaml::with(quantities));
}

Expected<KernelDesign> parse_kernel_design(const std::string& file, std::string_view text,
                                           const Quantities& quantities) {
  return read_yaml<KernelDesign>(file, text, yaml::with(quantities));
}

const Expected<KernelDesign>& known_kernel_design() {
  static const Expected<KernelDesign> known = []() -> Expected<KernelDesign> {
    const Expected<Quantities>& quantities = known_quantities();
    if (!quantities) return std::unexpected(quantities.error());
    return parse_kernel_design("kernels.yaml", embedded_assets().at("kernels.yaml"), *quantities);
  }();
  return known;
}

namespace {

void add(Handoffs& all, const HandoffSource& source, const std::string& by, const Selected& one) {
  const Row* row = one.cases.front();
  const auto at = std::ranges::find_if(
      all.measured, [&](const Handoff& each) { return each.within == source.within && each.by == by; });
  if (at == all.measured.end()) {
    all.measured.push_back({source.within, by, one.value, one.value, row, 1});
    return;
  }
  ++at->cases;
  at->longest = std::max(at->longest, one.value);
  if (one.value >= at->cycles) return;
  at->cycles = one.value;
  at->row = row;
}

}  // namespace

Handoffs handoffs(const std::vector<HandoffSource>& sources, const Record& record) {
  Handoffs all;
  for (const HandoffSource& source : sources) {
    for (const Selected& one : selected(record, source.from))
      if (const auto by = substitute(source.by, one.cases.front()->parameters)) add(all, source, *by, one);
    for (const Row& row : record.rows) {
      if (!means(source.from, row, record.device) || published(row, source.from.name) != nullptr) continue;
      const auto by = substitute(source.by, row.parameters);
      if (!by) continue;
      const Row*& first = find_or_add(all.missing, *by + ", " + source.within);
      if (first == nullptr) first = &row;
    }
  }
  std::erase_if(all.missing, [&](const auto& missing) {
    return std::ranges::any_of(all.measured,
                               [&](const Handoff& each) { return each.by + ", " + each.within == missing.first; });
  });
  const auto place = [&](const Handoff& each) {
    return std::ranges::find(sources, each.within, &HandoffSource::within) - sources.begin();
  };
  std::ranges::stable_sort(all.measured, {}, [&](const Handoff& each) { return std::pair(place(each), each.cycles); });
  return all;
}

namespace {

constexpr double hidden = 1.05;           // factor over the computation
constexpr std::int64_t most_stages = 64;  // shared memory suffices for no more

std::string work_of(const Row& row, const std::string& name) {
  const Value* value = find(row.parameters, name);
  return value == nullptr ? row.probe : name + "=" + to_string(*value);
}

void read(const PipelineSource& source, const CopySource& from, const Record& record, std::vector<Pipeline>& lines) {
  for (const Row& row : record.rows) {
    const auto tile =
        std::ranges::find_if(from.tiles, [&](const Selector& each) { return means(each, row, record.device); });
    if (tile == from.tiles.end()) continue;
    const std::int64_t* stages = find_as<std::int64_t>(row.parameters, source.stages);
    if (stages == nullptr || *stages < 1 || *stages > most_stages) continue;
    Pipeline& line = find_or_add(lines, work_of(row, source.work), &Pipeline::work);
    if (const auto bytes = source.bytes.evaluate(row.parameters)) line.bytes = static_cast<double>(*bytes);
    line.points.push_back({*stages, &row, published(row, tile->name)});
  }
  for (Pipeline& line : lines) std::ranges::stable_sort(line.points, {}, &PipelinePoint::stages);
}

/// The time of the computation in the probe without copies, if the record has it for that work.
std::optional<double> measured_alone(const PipelineSource& source, const Record& record, const std::string& work) {
  for (const Selected& one : selected(record, source.alone))
    if (work_of(*one.cases.front(), source.work) == work) return one.value;
  return std::nullopt;
}

/// The shortest time of a tile, over all sources, at the largest number of stages.
std::optional<double> with_most_stages(const std::vector<Pipelines>& all, const std::string& work) {
  std::optional<double> shortest;
  for (const Pipelines& each : all) {
    for (const Pipeline& line : each.lines) {
      if (line.work != work) continue;
      const auto last = std::find_if(line.points.rbegin(), line.points.rend(),
                                     [](const PipelinePoint& point) { return point.tile != nullptr; });
      if (last != line.points.rend()) shortest = std::min(shortest.value_or(last->tile->value), last->tile->value);
    }
  }
  return shortest;
}

/// The time t between `copies` that are in flight together: copies * t = latency + queue * load / (1 - load), where the
/// load is bandwidth / t. Without a queue it is the longer of latency / copies and bandwidth.
double turn(double latency, double copies, double bandwidth, double queue) {
  const double sum = copies * bandwidth + latency;
  const double difference = copies * bandwidth - latency;
  return (sum + std::sqrt(difference * difference + 4 * copies * bandwidth * queue)) / (2 * copies);
}

}  // namespace

std::optional<double> Pipeline::predicted(std::int64_t stages) const {
  if (!latency || stages < 1) return std::nullopt;
  const double bandwidth = rate && *rate > 0 ? bytes / *rate : 0;
  if (stages == 1) return turn(alone + *latency, 1, bandwidth, queue);
  return std::max(alone + issue.value_or(0), turn(*latency, static_cast<double>(stages - 1), bandwidth, queue));
}

std::optional<double> Pipeline::error(const PipelinePoint& point) const {
  const auto model = predicted(point.stages);
  if (!model || point.tile == nullptr || !(point.tile->value > 0)) return std::nullopt;
  return *model / point.tile->value - 1;
}

std::optional<std::int64_t> Pipeline::predicted_to_hide() const {
  for (std::int64_t stages = 1; stages <= most_stages; ++stages) {
    const auto tile = predicted(stages);
    if (tile && *tile <= hidden * alone) return stages;
  }
  return std::nullopt;
}

std::vector<Pipelines> pipelines(const PipelineSource& source, const Record& record) {
  std::vector<Pipelines> all;
  for (const CopySource& from : source.sources) {
    Pipelines each{from.source,
                   find_quantity(record, *from.issue),
                   find_quantity(record, *from.latency),
                   find_quantity(record, *from.rate),
                   {}};
    read(source, from, record, each.lines);
    if (!each.lines.empty()) all.push_back(std::move(each));
  }
  for (Pipelines& each : all) {
    for (Pipeline& line : each.lines) {
      const auto measured = measured_alone(source, record, line.work);
      line.alone_measured = measured.has_value();
      line.alone = measured ? *measured : with_most_stages(all, line.work).value_or(0);
      if (each.issue && each.issue->value > 0) line.issue = each.issue->value;
      if (each.latency && each.latency->value > 0) line.latency = each.latency->value;
      if (each.rate && each.rate->value > 0) line.rate = each.rate->value;
    }
    std::erase_if(each.lines, [](const Pipeline& line) { return !(line.alone > 0) || !std::isfinite(line.alone); });
    std::ranges::stable_sort(each.lines, {}, &Pipeline::alone);
  }
  std::erase_if(all, [](const Pipelines& each) { return each.lines.empty(); });
  return all;
}

ModelError model_error(const std::vector<Pipelines>& all) {
  ModelError errors;
  for (const Pipelines& each : all) {
    for (const Pipeline& line : each.lines) {
      for (const PipelinePoint& point : line.points) {
        const auto error = line.error(point);
        if (!error) continue;
        ++errors.predictions;
        errors.sum += std::abs(*error);
        if (errors.furthest != nullptr && std::abs(*error) <= std::abs(errors.worst)) continue;
        errors.worst = *error;
        errors.furthest = point.row;
      }
    }
  }
  return errors;
}

std::string tile_text(const PipelineSource& source, const std::vector<Pipelines>& all) {
  const Pipeline& line = all.front().lines.front();
  const auto tile = substitute(source.tile, line.points.front().row->parameters);
  return tile ? fmt::format("A tile is {} B: {}.", fixed(line.bytes, 0), *tile) : "";
}

}  // namespace warpclock
