#include "measure/case_counts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "plan/plan.hpp"
#include "plan/probe.hpp"

namespace warpclock {

std::vector<std::string> named_suites(const std::string& text) {
  return text == every_suite ? suite_names() : split(text, ',');
}

Expected<CaseCounts> count_cases(const Inputs& inputs, const Selection& selection, const std::vector<Arch>& archs) {
  std::map<std::string, std::set<std::string>> suites_of;
  for (const Probe& probe : inputs.suite.probes)
    suites_of[probe.family + "/" + probe.name] = {probe.suites.begin(), probe.suites.end()};
  CaseCounts counts;
  for (std::size_t i = 0; i < archs.size(); ++i) {
    ArchCount& here = counts.archs.emplace_back(ArchCount{archs[i], {}});
    for (const std::string& suite : named_suites(selection.suite)) here.suites.push_back({suite, 0, 0});
    for (const Case& one : WARPCLOCK_TRY(planned(inputs, selection, {archs[i]}))) {
      for (SuiteCount& suite : here.suites)
        if (suites_of[one.probe].contains(suite.suite)) ++(one.skip ? suite.lacking : suite.cases);
      if (!one.skip) continue;
      auto lack = std::ranges::find(counts.lacks, one.skip->text, &Lack::why);
      if (lack == counts.lacks.end())
        lack = counts.lacks.insert(lack, {one.skip->text, std::vector<std::size_t>(archs.size())});
      ++lack->cases[i];
    }
  }
  return counts;
}

}  // namespace warpclock
