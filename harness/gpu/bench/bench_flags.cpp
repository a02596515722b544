#include "gpu/bench/bench_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr std::string_view prefix = "--benchmark_";
constexpr int most_repetitions = 1000;

bool is_format(std::string_view value) { return value == "console" || value == "json" || value == "csv"; }

bool is_true(std::string_view value) {
  static constexpr std::array truths = {"", "1", "true", "yes", "on", "t", "y"};
  return std::ranges::find(truths, to_lower(value)) != truths.end();
}

Expected<void> look_at(std::string_view name, std::string_view value, BenchFlags& flags) {
  const auto refuse = [&](std::string_view want) {
    return fail("usage", fmt::format("{}{}={}: it must be {}", prefix, name, value, want));
  };
  if (name == "filter") flags.filter = value;
  if (name == "out") flags.out = value;
  if (name == "list_tests") flags.list = is_true(value);
  if (name == "format") {
    if (!is_format(value)) return refuse("console, json or csv");
    flags.format = value;
  }
  if (name == "out_format") {
    if (!is_format(value)) return refuse("console, json or csv");
    flags.out_format = value;
  }
  if (name == "color" && value.empty()) return refuse("auto, true or false");
  if (name == "repetitions") {
    const int count = whole_number<int>(value).value_or(0);
    if (count < 1 || count > most_repetitions) return refuse(fmt::format("a number from 1 to {}", most_repetitions));
  }
  return {};
}

}  // namespace

Expected<BenchFlags> parse_bench_flags(const std::vector<std::string>& flags) {
  BenchFlags parsed;
  parsed.arguments = {"--benchmark_filter=",         "--benchmark_out=",         "--benchmark_format=console",
                      "--benchmark_out_format=json", "--benchmark_list_tests=0", "--benchmark_repetitions=1"};
  for (const std::string& flag : flags) {
    if (!flag.starts_with(prefix)) {
      return fail("usage", fmt::format("'{}' is not a flag of Google Benchmark (they begin with {})", flag, prefix));
    }
    const std::string_view rest = std::string_view(flag).substr(prefix.size());
    const auto equals = rest.find('=');
    const bool has_value = equals != std::string_view::npos;
    WARPCLOCK_TRY(look_at(rest.substr(0, equals), has_value ? rest.substr(equals + 1) : "", parsed));
    // The library would write it bit by bit, over whatever is there.
    parsed.arguments.push_back(rest.starts_with("out=") ? "--benchmark_out=/dev/null" : flag);
  }
  return parsed;
}

Expected<std::vector<std::size_t>> select(const std::vector<std::string>& ids, const std::string& filter) {
  const bool negative = filter.starts_with('-');
  const bool all = filter.empty() || filter == "all";
  std::vector<std::size_t> selected;
  try {
    const std::regex pattern(all ? "." : filter.substr(negative ? 1 : 0), std::regex::ECMAScript | std::regex::nosubs);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (all || std::regex_search(ids[i], pattern) != negative) selected.push_back(i);
    }
  } catch (const std::regex_error&) {
    return fail("usage", fmt::format("--benchmark_filter: '{}' is not a regular expression (brackets of a case id are "
                                     "written \\[ and \\])",
                                     filter));
  }
  return selected;
}

}  // namespace warpclock
