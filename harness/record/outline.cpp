#include "record/outline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpclock {
namespace {

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

void split_parameters(ProbeOutline& probe) {
  std::vector<std::string> names;
  for (const CaseRecord* row : probe.cases) {
    for (const auto& [name, value] : row->parameters) add_once(names, name);
  }
  for (const std::string& name : names) {
    const Value* first = find(probe.cases.front()->parameters, name);
    const bool same = first && std::all_of(probe.cases.begin(), probe.cases.end(), [&](const CaseRecord* row) {
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
  for (const CaseRecord* row : probe.cases) {
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

void collect_variations(ProbeOutline& probe, const Variations& variations) {
  for (const CaseRecord* row : probe.cases) {
    for (const Estimate& estimate : row->estimates) {
      const auto cause = variations.cause(*row, estimate);
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

std::vector<FamilyOutline> outline(const Record& record) { return outline(record, Variations(record)); }

std::vector<FamilyOutline> outline(const Record& record, const Variations& variations) {
  std::vector<FamilyOutline> families;
  const auto probe_of = [&](const std::string& family, const std::string& name) -> ProbeOutline& {
    auto& probes = find_or_add(families, family, &FamilyOutline::name).probes;
    ProbeOutline& found = find_or_add(
        probes, name, [](auto& each) -> auto& { return each.probe.name; });
    found.probe.family = family;
    return found;
  };
  for (const ProbeRecord& probe : record.probes) probe_of(probe.family, probe.name).probe = probe;
  for (const CaseRecord& row : record.cases) probe_of(row.family, row.probe).cases.push_back(&row);
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
      collect_variations(probe, variations);
    }
  }
  std::erase_if(families, [](const FamilyOutline& family) { return family.probes.empty(); });
  return families;
}

const Estimate* published(const CaseRecord& row, const std::string& name) {
  if (row.outcome != Outcome::Measured) return nullptr;
  for (const Estimate& estimate : row.estimates) {
    if (estimate.name == name) return &estimate;
  }
  return nullptr;
}

std::string describe(const CaseRecord& row, const std::vector<std::string>& names) {
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
