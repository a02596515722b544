#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ptx/line.hpp"

namespace warpclock {

/// Consecutive PTX statements, as in a listing, not yet analysed.
struct PtxSnippet {
  std::vector<PtxLine> lines;  ///< a register of a `{ ... }` that hides another one is renamed
  /// The declarations of `.reg` lines: the type of a name and, for `%f<9>`, of a prefix with a number.
  std::map<std::string, std::string> names, prefixes;

  /// The declared type of a register, or "".
  [[nodiscard]] std::string type_of(const std::string& name) const;
};

inline constexpr std::size_t max_snippet_bytes = 65536;
inline constexpr std::size_t max_snippet_statements = 256;

/// Parses statements, comments, braces and `.reg` lines; `.loc` and `.pragma` are skipped. The text is foreign input:
/// errors "ptx" and "ptx-unsupported" (a label, another directive) with `place` = "line:column", never a crash.
[[nodiscard]] Expected<PtxSnippet> parse_snippet(std::string_view text);

}  // namespace warpclock
