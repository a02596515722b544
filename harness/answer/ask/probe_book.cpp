#include "answer/ask/probe_book.hpp"

#include <algorithm>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

std::string without_maker(const std::string& name) { return name.starts_with("NVIDIA ") ? name.substr(7) : name; }

std::vector<std::string> labels_of(const std::vector<ReportedGpu>& gpus) {
  const auto names = mapped(gpus, [](const ReportedGpu& gpu) { return without_maker(gpu.name()); });
  const auto brief = [](const std::string& name) { return name.substr(0, name.find(' ')); };
  return mapped(names, [&](const std::string& name) {
    const auto same = std::ranges::count(names, brief(name), brief);
    return same == 1 ? brief(name) : name;
  });
}

std::ptrdiff_t measured(const ProbeOutline& probe) {
  return std::ranges::count(probe.cases, Outcome::Measured, [](const CaseRecord* row) { return row->outcome; });
}

}  // namespace

ProbeBook::ProbeBook(const std::vector<ReportedGpu>& gpus, const std::string& suite)
    : gpus_(gpus), labels_(labels_of(gpus)) {
  const std::string folder = suite == "full" ? "" : suite;
  std::map<std::string, std::map<std::string, std::ptrdiff_t>> rows;  // by probe, then by suite
  std::vector<std::pair<std::string, std::string>> found;             // family and probe
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const auto& [of, record] : gpus[gpu].results) {
      if (!suite.empty() && of != folder) continue;
      auto& outlines = outlines_[of];
      outlines.resize(gpus.size());
      outlines[gpu] = outline(*record, variations_.try_emplace(record, *record).first->second);
      for (const FamilyOutline& family : outlines[gpu]) {
        for (const ProbeOutline& probe : family.probes) {
          rows[probe.probe.name][of] += measured(probe);
          index_or_add(found, {family.name, probe.probe.name});
        }
      }
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::string, std::string>::first);
  for (const auto& [family, name] : found) {
    // Of equal ones the last: "" is the first.
    auto most = rows[name].begin();
    for (auto at = most; at != rows[name].end(); ++at)
      if (at->second >= most->second) most = at;
    suites_[name] = most->first;
    names_.push_back(name);
    std::vector<ProbePlace>& places = places_[name];
    places.resize(gpus.size());
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      for (const FamilyOutline& each : outlines_.at(most->first)[gpu]) {
        const ProbeOutline* probe = find_by(
            each.probes, name, [](const ProbeOutline& one) -> auto& { return one.probe.name; });
        if (probe != nullptr) places[gpu] = {gpus[gpu].results.at(most->first), probe};
      }
    }
  }
}

std::string ProbeBook::suite(const std::string& probe) const {
  const std::string& folder = suites_.at(probe);
  return folder.empty() ? "full" : folder;
}

std::string ProbeBook::page(std::size_t gpu, const std::string& probe) const {
  return percent_encoded(gpus_[gpu].folder) + "/" + ReportedGpu::page_of(suites_.at(probe));
}

std::string ProbeBook::case_link(std::size_t gpu, const CaseRecord& row) const {
  return page(gpu, row.probe) + "#" + anchor(row.id);
}

std::string ProbeBook::probe_link(std::size_t gpu, const std::string& probe) const {
  return page(gpu, probe) + "#probe:" + anchor(probe);
}

}  // namespace warpclock
