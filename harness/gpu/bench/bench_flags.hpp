#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// Settings in Google Benchmark's flags that the run loop also needs.
struct BenchFlags {
  std::vector<std::string> arguments;  ///< for benchmark::Initialize, after the program's name
  std::string filter;
  std::string format;  ///< "console", "json", "csv", or empty if the user named none
  std::string out;     ///< --benchmark_out, or empty
  std::string out_format = "json";
  bool list = false;

  [[nodiscard]] bool uses_csv() const { return format == "csv" || (!out.empty() && out_format == "csv"); }
};

/// Checks the flags to which Google Benchmark would respond with exit() or an endless loop. The returned arguments
/// begin with defaults, because its flags are global and keep what an earlier run set. Error "usage".
[[nodiscard]] Expected<BenchFlags> parse_bench_flags(const std::vector<std::string>& flags);

/// Indices of the ids that a filter selects. Error "usage" if it is not a regular expression.
[[nodiscard]] Expected<std::vector<std::size_t>> select(const std::vector<std::string>& ids, const std::string& filter);

}  // namespace warpclock
