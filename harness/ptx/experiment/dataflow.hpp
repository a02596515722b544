#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/statement.hpp"

namespace warpclock {

/// Memory that a register of a block leads to.
struct Base {
  std::string space;
  std::int64_t bytes = 0;               ///< of a thread's largest access
  std::int64_t before = 0, behind = 0;  ///< bytes from its address to the first and behind the last one
};

/// What goes into a block and what comes out of it.
struct Dataflow {
  std::set<std::string> sources;  ///< read before they are written
  /// Written and read no more, or sources that are written: with the sources that they depend on, and over how many
  /// statements.
  std::map<std::string, std::map<std::string, int>> results;
  std::map<std::string, Base> bases;  ///< sources that addresses are computed from
  std::set<std::string> steering;     ///< the others that addresses are computed from
};

/// Errors: "ptx-unsupported" for addresses that no source is the base of.
[[nodiscard]] Expected<Dataflow> follow(const std::vector<Statement>& statements);

}  // namespace warpclock
