#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "ptx/testing/described.hpp"

namespace warpclock {

/// Lines of a committed file, each with the answer on the indented lines below it. WARPCLOCK_ACCEPT=1 rewrites the
/// answers; without `answer` the file is only read.
inline std::vector<std::pair<std::string, std::string>> testdata(
    const std::string& path, const std::function<std::string(const std::string&)>& answer = {}) {
  const bool accept = answer && std::getenv("WARPCLOCK_ACCEPT") != nullptr;
  std::string accepted;
  std::vector<std::pair<std::string, std::string>> entries;
  for (const std::string& line : lines(read_committed(path))) {
    if (line.starts_with("  ")) {
      if (!accept && !entries.empty()) entries.back().second = line.substr(2);
      continue;
    }
    accepted += line + "\n";
    if (line.starts_with('#')) continue;
    entries.emplace_back(line, accept ? answer(line) : "");
    accepted += "  " + entries.back().second + "\n";
  }
  if (accept) std::ofstream(fmt::format("{}/{}", WARPCLOCK_SOURCE_DIR, path)) << accepted;
  return entries;
}

}  // namespace warpclock
