#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// A YAML document as written. Every part has its place (line and column count from 1, columns in bytes).
struct Tree {
  enum class Kind { Null, Scalar, Sequence, Map };
  struct Key {
    std::string name;
    int line = 1, column = 1;
  };

  Kind kind = Kind::Null;
  int line = 1, column = 1;
  std::string scalar;       ///< Scalar: its text, unquoted
  bool quoted = false;      ///< Scalar: it was quoted or a block scalar, so it is text whatever it looks like
  std::vector<Key> keys;    ///< Map: one key for each item, all different
  std::vector<Tree> items;  ///< Sequence, Map
};

inline constexpr std::size_t max_config_bytes = 1 << 18;
inline constexpr int max_config_depth = 16;

/// Parses one document in a subset of YAML: no anchors, aliases, merge keys, tags or further documents, no duplicate
/// keys, at most max_config_depth deep and max_config_bytes long, UTF-8 without byte-order mark. The text is foreign
/// input: error "config" with `place` = file:line:column, never a crash.
[[nodiscard]] Expected<Tree> parse_tree(const std::string& file, std::string_view text);

}  // namespace warpclock
