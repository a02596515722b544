#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ptx/statement.hpp"

namespace warpclock {

/// The memory that a register of a block points to.
struct Base {
  std::string space;
  std::int64_t bytes = 0;               ///< size of the largest access of a thread
  std::int64_t before = 0, behind = 0;  ///< bytes from its address back to the first accessed, and on to the end
};

/// The inputs and outputs of a block.
struct Dataflow {
  std::set<std::string> sources;  ///< read before they are written
  /// Registers that are written and not read again, and sources that are written. Each has the sources on which it
  /// depends and the number of statements in between.
  std::map<std::string, std::map<std::string, int>> results;
  std::map<std::string, Base> bases;  ///< sources that are bases of addresses
  std::set<std::string> steering;     ///< other sources from which addresses are computed
};

/// Error "ptx-unsupported" for addresses that have no source as base.
[[nodiscard]] Expected<Dataflow> follow(const std::vector<Statement>& statements);

}  // namespace warpclock
