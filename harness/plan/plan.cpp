#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/hint.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/resolve.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

bool in_suite(const Probe& probe, const std::string& suites) {
  return std::ranges::any_of(split(suites, ','), [&](const std::string& suite) {
    return suite == every_suite || std::ranges::find(probe.suites, suite) != probe.suites.end();
  });
}

/// Says why no case matches, and what would match.
Error nothing_matches(const std::string& pattern, const Suite& suite, const Filter& filter) {
  const std::vector<std::string>& suites = suite_names();
  if (pattern == every_suite || std::ranges::find(suites, pattern) != suites.end())
    return {"filter", fmt::format("'{0}' is a suite, and matches no case: --suite {0}", pattern), ""};
  std::vector<std::string> names;
  for (const Probe& probe : suite.probes) {
    for (const Parameters& point : expand(probe.sweep).value_or(std::vector<Parameters>{})) {
      if (matches(pattern, case_id(probe, point))) {
        return {"filter",
                fmt::format("'{}' matches no case of suite '{}', but some of suite '{}'", pattern, filter.suite,
                            probe.suites.front()),
                ""};
      }
    }
    if (in_suite(probe, filter.suite)) names.push_back(probe.family + "/" + probe.name);
  }
  return {"filter", fmt::format("'{}' matches no case{}", pattern, hint(pattern, names)), ""};
}

}  // namespace

bool matches(std::string_view pattern, std::string_view id) {
  if (!pattern.contains('*')) return id.contains(pattern);
  // Greedy, with one position to resume from: each further star makes the match of the earlier ones final.
  std::size_t p = 0, i = 0, star = std::string_view::npos, resume = 0;
  while (i < id.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = i;
    } else if (p < pattern.size() && pattern[p] == id[i]) {
      ++p;
      ++i;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string case_id(const Probe& probe, const Parameters& point) {
  return id_of(probe.family + "/" + probe.name, point);
}

Expected<Case> case_at(const Probe& probe, const Parameters& point, const Arch& arch) {
  Expected<Case> resolved = resolve(probe, point, arch);
  if (!resolved) return fail(resolved.error().code, resolved.error().text, probe.place);
  resolved->id = case_id(probe, point);
  return resolved;
}

Expected<std::vector<Case>> plan(const Suite& suite, const Arch& arch, const Filter& filter) {
  for (const std::string& name : split(filter.suite, ',')) {
    std::vector<std::string> known = suite_names();
    known.emplace_back(every_suite);
    if (std::ranges::find(known, name) == known.end())
      return fail("filter", fmt::format("unknown suite '{}'{}", name, hint(name, known)));
  }
  std::vector<Case> cases;
  std::set<std::string> unmatched(filter.patterns.begin(), filter.patterns.end());
  for (const Probe& probe : suite.probes) {
    if (!in_suite(probe, filter.suite)) continue;
    const Expected<std::vector<Parameters>> points = expand(probe.sweep);
    if (!points) return fail(points.error().code, points.error().text, probe.place);
    for (const Parameters& point : *points) {
      const std::string id = case_id(probe, point);
      bool wanted = filter.patterns.empty();
      for (const std::string& pattern : filter.patterns) {
        if (!matches(pattern, id)) continue;
        wanted = true;
        unmatched.erase(pattern);
      }
      if (!wanted) continue;
      auto resolved = WARPCLOCK_TRY(case_at(probe, point, arch));
      cases.push_back(std::move(resolved));
    }
  }
  for (const std::string& pattern : filter.patterns) {
    if (unmatched.contains(pattern)) return std::unexpected(nothing_matches(pattern, suite, filter));
  }
  return cases;
}

std::vector<Case> sample(const std::vector<Case>& cases) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> of_probe;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].skip) continue;
    const std::string probe = cases[i].id.substr(0, cases[i].id.find('['));
    of_probe[{to_string(cases[i].arch), probe}].push_back(i);
  }
  std::set<std::size_t> taken;
  for (const auto& [name, indices] : of_probe) {
    taken.insert({indices.front(), indices[indices.size() / 2], indices.back()});
  }
  return mapped(taken, [&](const std::size_t i) { return cases[i]; });
}

}  // namespace warpclock
