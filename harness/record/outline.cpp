#include "record/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/lookup.hpp"
#include "record/trace.hpp"

namespace warpclock {

namespace {

/// A row of an instruction table has a latency for each operand, "latency.a", and "encoded.a" if it is encoded, or
/// "encoded" for all of them.
bool has_encoded_partner(const Row& row, const Estimate& estimate) {
  constexpr std::string_view latency = "latency.";
  if (!estimate.name.starts_with(latency)) return false;
  const std::string partner = "encoded." + estimate.name.substr(latency.size());
  return std::ranges::any_of(row.estimates,
                             [&](const Estimate& one) { return one.name == partner || one.name == "encoded"; });
}

}  // namespace

std::string code_of(const Row& row) {
  std::string code = row.window.sass_hash;
  if (row.kind != RowKind::Ptx) return code;
  for (const std::string& form : row.forms) code += form;
  for (const InstructionRun& run : row.instruction.runs) code += run.sass_hash;
  return code;
}

EstimateKind kind_of(const Row& row, const Estimate& estimate) {
  if (estimate.method == "rate" || estimate.method == "slowest")
    return estimate.unit.starts_with("B/") ? EstimateKind::Bandwidth : EstimateKind::Rate;
  if (estimate.method == "counter") return EstimateKind::Counter;
  if (estimate.method == "fact" || estimate.method == "encoded") return EstimateKind::Exact;
  const bool encoded = row.window.encoded_cycles || has_encoded_partner(row, estimate);
  return encoded && estimate.method == "slope" ? EstimateKind::FixedLatency : EstimateKind::Cycles;
}

double reach_of(const Estimate& estimate) {
  return std::max(estimate.high - estimate.value, estimate.value - estimate.low);
}

double tolerance_of(EstimateKind kind, const Estimate& estimate) {
  const double size = std::abs(estimate.value);
  switch (kind) {
    case EstimateKind::FixedLatency:
      return 0.1;
    case EstimateKind::Rate:
      return 0.005 * size;
    case EstimateKind::Bandwidth:
      return 0.02 * size;
    case EstimateKind::Cycles:
      return 0.005 * size;
    case EstimateKind::Counter:
      return estimate.unit == "%" ? 1 : estimate.unit == "1" ? 0.01 : 0.01 * size;
    case EstimateKind::Exact:
      return 0;
  }
  return 0;
}

namespace {

/// Machine instructions that take another time in each process, though all launches of a process agree, as two
/// processes on one H100 showed. With MEMBAR.SC.CTA that holds for many warps at once.
constexpr std::array<std::string_view, 2> vary{"MEMBAR.SC.SYS", "MEMBAR.ALL.SYS"};
constexpr std::string_view varies_as_rate = "MEMBAR.SC.CTA";

std::optional<std::string> varying_instruction(const Row& row, EstimateKind kind) {
  std::vector<std::string> opcodes = keys_of(row.window.opcodes);
  std::ranges::copy(row.instruction.became, std::back_inserter(opcodes));
  for (const std::string& opcode : opcodes) {
    if (std::ranges::find(vary, opcode) != vary.end() || (kind == EstimateKind::Rate && opcode == varies_as_rate)) {
      return opcode + " takes one of several times in each process";
    }
  }
  return {};
}

/// L2 holds a part of so many bytes, and which part depends on their physical addresses. From half of its size, because
/// both halves of an L2 may hold a line, to twice its size.
bool partly_in_l2(const Row& row, std::int64_t l2_bytes) {
  const Value* footprint = find(row.parameters, "footprint");
  const auto* bytes = footprint == nullptr ? nullptr : std::get_if<std::int64_t>(footprint);
  return bytes != nullptr && *bytes > l2_bytes / 2 && *bytes < 2 * l2_bytes;
}

bool on_a_level(const Levels& found, std::size_t point) {
  return std::ranges::any_of(found.levels, [&](const Level& level) { return level.holds(point); });
}

/// Points into the record.
struct Variations {
  std::map<std::string_view, std::string_view> said;  ///< by probe
  std::set<const Row*> on_no_level;
  std::int64_t l2_bytes = 0;
};

Variations variations_of(const Record& record) {
  Variations all{.l2_bytes = record.device.l2_bytes};
  for (const ProbeRecord& probe : record.probes) {
    if (!probe.varies.empty()) all.said.emplace(probe.name, probe.varies);
    for (const FeatureQuery& find : probe.finds) {
      if (find.what != FeatureQuery::What::Levels) continue;
      for (const Trace& trace : traces_of(record, probe, find)) {
        const Levels found = levels_of(trace, find);
        for (std::size_t i = 0; i < trace.rows.size() && !found.levels.empty(); ++i) {
          if (!on_a_level(found, i)) all.on_no_level.insert(trace.rows[i]);
        }
      }
    }
  }
  return all;
}

std::optional<Cause> cause_of(const Variations& all, const Row& row, const Estimate& estimate) {
  const bool unsteady = row.outcome == Outcome::Unsteady;
  if ((!unsteady && row.outcome != Outcome::Measured) || estimate.method == "intercept" || estimate.method == "encoded")
    return {};
  const EstimateKind kind = kind_of(row, estimate);
  const double allowed = tolerance_of(kind, estimate), reach = reach_of(estimate);
  // Half of a share near 0 is too little: what L2 keeps of a set differs by some points of the whole set.
  const double least = (kind == EstimateKind::Counter ? 10 : 2) * allowed;
  const double most = std::max({3 * reach, std::abs(estimate.value) / 2, least});
  if (const auto said = all.said.find(row.probe); said != all.said.end()) return Cause{std::string(said->second), most};
  if (all.on_no_level.contains(&row)) return Cause{"it is on none of the curve's levels", most};
  if (kind == EstimateKind::Exact) return {};
  if (partly_in_l2(row, all.l2_bytes)) return Cause{"L2 holds a part of its bytes, another part in each process", most};
  if (kind == EstimateKind::Counter) return {};
  if (auto why = varying_instruction(row, kind)) return Cause{*std::move(why), 2 * std::abs(estimate.value) / 3};
  if (estimate.method == "slowest")
    return Cause{"one SM decides it, and how far that is from the slices of L2 that hold its bytes",
                 std::max(3 * reach, 2 * allowed)};
  if (unsteady || !(reach > allowed / 2)) return {};
  const bool predicted = estimate.method == "model";
  return Cause{predicted ? "it is a prediction" : "its launches differ", 3 * reach, reach / std::abs(estimate.value)};
}

}  // namespace

void find_causes(Record& record) {
  constexpr int digits = 5;
  const Variations all = variations_of(record);
  for (Row& row : record.rows) {
    for (Estimate& estimate : row.estimates) {
      estimate.varies = cause_of(all, row, estimate);
      if (estimate.varies) round_to(estimate.varies->most, digits), round_to(estimate.varies->reach, digits);
    }
  }
}

namespace {

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

void split_parameters(ProbeOutline& probe) {
  std::vector<std::string> names;
  for (const Row* row : probe.cases) {
    for (const auto& [name, value] : row->parameters) add_once(names, name);
  }
  for (const std::string& name : names) {
    const Value* first = find(probe.cases.front()->parameters, name);
    const bool same = first && std::all_of(probe.cases.begin(), probe.cases.end(), [&](const Row* row) {
                        const Value* value = find(row->parameters, name);
                        return value && *value == *first;
                      });
    if (same && probe.cases.size() > 1) {
      probe.fixed.emplace_back(name, *first);
    } else {
      probe.varying.push_back(name);
    }
  }
}

void collect_columns(ProbeOutline& probe) {
  for (const Row* row : probe.cases) {
    if (row->outcome != Outcome::Measured) continue;
    for (const Estimate& estimate : row->estimates) {
      if (estimate.method != "intercept" && estimate.method != "encoded") add_once(probe.estimates, estimate.name);
    }
    for (const auto& [name, value] : row->counters) add_once(probe.counters, name);
    probe.encoded = probe.encoded || row->window.encoded_cycles.has_value();
  }
  // A counter that a measure publishes under its own name needs no second column.
  std::erase_if(probe.counters, [&](const std::string& name) {
    return std::find(probe.estimates.begin(), probe.estimates.end(), name) != probe.estimates.end();
  });
}

void collect_variations(ProbeOutline& probe) {
  for (const Row* row : probe.cases) {
    for (const Estimate& estimate : row->estimates) {
      const auto& cause = estimate.varies;
      if (!cause) continue;
      auto same = std::ranges::find_if(probe.varies, [&](const Varying& other) {
        return other.estimate == estimate.name && other.cause.text == cause->text;
      });
      if (same == probe.varies.end()) same = probe.varies.insert(same, Varying{estimate.name, *cause, 0});
      same->cause.reach = std::max(same->cause.reach, cause->reach);
      ++same->cases;
    }
  }
}

}  // namespace

std::string describe(const Varying& varying) {
  return fmt::format("{} of {} case{} may differ in another process: {}", varying.estimate, varying.cases,
                     varying.cases == 1 ? "" : "s", varying.cause.words());
}

std::vector<FamilyOutline> outline(const Record& record) {
  std::vector<FamilyOutline> families;
  const auto probe_of = [&](const std::string& family, const std::string& name) -> ProbeOutline& {
    auto& probes = find_or_add(families, family, &FamilyOutline::name).probes;
    ProbeOutline& found = find_or_add(
        probes, name, [](auto& each) -> auto& { return each.probe.name; });
    found.probe.family = family;
    return found;
  };
  for (const ProbeRecord& probe : record.probes) probe_of(probe.family, probe.name).probe = probe;
  for (const Row& row : record.rows) probe_of(row.family, row.probe).cases.push_back(&row);
  for (const Feature& feature : record.features) {
    const auto described = std::ranges::find(record.probes, feature.probe, &ProbeRecord::name);
    if (described == record.probes.end()) continue;
    probe_of(described->family, feature.probe).features.push_back(&feature);
  }
  for (FamilyOutline& family : families) {
    std::erase_if(family.probes, [](const ProbeOutline& probe) { return probe.cases.empty(); });
    for (ProbeOutline& probe : family.probes) {
      probe.sms = record.device.sms;
      split_parameters(probe);
      collect_columns(probe);
      collect_variations(probe);
    }
  }
  std::erase_if(families, [](const FamilyOutline& family) { return family.probes.empty(); });
  return families;
}

std::string describe(const Row& row, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const Value* value = find(row.parameters, name);
    if (!value) continue;
    if (!out.empty()) out += ' ';
    out += name + "=" + to_string(*value);
  }
  return out;
}

}  // namespace warpclock
