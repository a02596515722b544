#include <fmt/format.h>

#include <algorithm>

#include "answer/ask/probe_sheet.hpp"
#include "base/hint.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/plan.hpp"

namespace warpclock {
namespace {

std::string family_of(const std::string& probe) { return probe.substr(0, probe.find('/')); }
std::string last_of(const std::string& probe) { return probe.substr(probe.find('/') + 1); }

}  // namespace

Expected<ProbeChoice> parse_probe_choice(std::string_view text) {
  ProbeChoice choice;
  const std::size_t open = text.find('[');
  choice.name = text.substr(0, open);
  if (open == std::string_view::npos) return choice;
  if (!text.ends_with(']')) return fail("usage", fmt::format("'{}': no ] at the end of the parameters", text));
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  for (const std::string& one : split(inner, ',')) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail("usage", fmt::format("'{}': expected [PARAMETER=VALUE,...], as in [warps=32], not '{}'", text, one));
    choice.with.emplace_back(trim(one.substr(0, equals)), trim(one.substr(equals + 1)));
  }
  return choice;
}

Expected<std::vector<std::string>> chosen_probes(const ProbeBook& book, const std::string& name) {
  const std::vector<std::string>& all = book.names();
  const auto those = [&](const auto& fit) {
    std::vector<std::string> found;
    std::ranges::copy_if(all, std::back_inserter(found), fit);
    return found;
  };
  if (book.has(name)) return std::vector{name};
  for (const auto& found : {those([&](const std::string& each) { return last_of(each) == name; }),
                            those([&](const std::string& each) { return family_of(each) == name; }),
                            those([&](const std::string& each) { return !name.empty() && matches(name, each); })}) {
    if (!found.empty()) return found;
  }
  std::vector<std::string> names = all;
  for (const std::string& each : all) names.push_back(last_of(each));
  for (const std::string& each : all) index_or_add(names, family_of(each));
  const std::string near = did_you_mean(name, names);
  return fail("filter",
              fmt::format("no probe is called '{}'{}", name,
                          near.empty() ? "; `warpclock show` lists them, and `warpclock ask` takes any words" : near));
}

}  // namespace warpclock
