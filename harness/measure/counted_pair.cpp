#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "measure/counting.hpp"

namespace warpclock {
namespace {

/// "sm__inst_executed.min" and "sm__inst_executed.max" for "smsp__inst_executed.sum".
std::array<std::string, 2> of_an_sm(std::string_view sum) {
  const std::string_view counter = sum.substr(sum.find("__"));
  const std::string_view name = counter.substr(0, counter.rfind('.'));
  return {fmt::format("sm{}.min", name), fmt::format("sm{}.max", name)};
}

}  // namespace

std::vector<std::string> pair_metrics(const std::vector<std::string>& sums) {
  std::vector<std::string> all;
  for (const std::string& sum : sums) {
    all.push_back(sum);
    for (std::string& one : of_an_sm(sum)) all.push_back(std::move(one));
  }
  return all;
}

std::optional<CountedPair> separate_pair(const CounterValues& values, const std::vector<std::string>& sums, int sms) {
  CountedPair pair;
  for (const std::string& name : sums) {
    const auto [least, most] = of_an_sm(name);
    const auto sum = values.find(name), low = values.find(least), high = values.find(most);
    if (sum == values.end() || low == values.end() || high == values.end()) continue;
    const double larger = low->second, smaller = high->second - low->second;
    if (std::abs(sms * larger + smaller - sum->second) > 0.5) return std::nullopt;
    pair.larger[name] = larger;
    pair.smaller[name] = smaller;
  }
  return pair;
}

}  // namespace warpclock
