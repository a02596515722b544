#pragma once

#include <string>

namespace warpclock {

/// What this binary was built from.
struct Version {
  std::string version;  ///< "0.1.0"
  std::string commit;   ///< 40 hex digits, or "unknown"
  bool dirty = true;    ///< probes, configs, harness or build files differed from the commit
  std::string toolkit;  ///< CUDA version of the headers that it was built with, "13.0"
};

[[nodiscard]] const Version& version();

/// "warpclock 0.1.0 (90a4a7e1c0de, modified, CUDA 13.0)"
[[nodiscard]] std::string version_line();

}  // namespace warpclock
