#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// What Google Benchmark's flags say that the run loop must know, too.
struct BenchFlags {
  std::vector<std::string> arguments;  ///< for benchmark::Initialize, after the program's name
  std::string filter;
  std::string format;  ///< "console", "json", "csv", or empty when the user named none
  std::string out;     ///< --benchmark_out, or empty
  std::string out_format = "json";
  bool list = false;

  [[nodiscard]] bool uses_csv() const { return format == "csv" || (!out.empty() && out_format == "csv"); }
};

/// Looks at the flags that Google Benchmark would answer with exit() or an endless loop. The arguments begin with
/// defaults, since its flags are global and keep what an earlier run set. Error "usage".
[[nodiscard]] Expected<BenchFlags> parse_bench_flags(const std::vector<std::string>& flags);

/// Which of the ids a filter selects. Error "usage" when it is no regular expression.
[[nodiscard]] Expected<std::vector<std::size_t>> select(const std::vector<std::string>& ids, const std::string& filter);

}  // namespace warpclock
