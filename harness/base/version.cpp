#include "base/version.hpp"

#include <fmt/format.h>

namespace warpclock {

// Written at build time by cmake/commit.cmake.
extern const char* const version_text;
extern const char* const commit_text;
extern const bool commit_dirty;

const Version& version() {
  static const Version built{version_text, commit_text, commit_dirty, WARPCLOCK_TOOLKIT_VERSION};
  return built;
}

std::string version_line() {
  const Version& built = version();
  return fmt::format("warpclock {} ({}{}, CUDA {})", built.version, built.commit.substr(0, 12),
                     built.dirty ? ", modified" : "", built.toolkit);
}

}  // namespace warpclock
