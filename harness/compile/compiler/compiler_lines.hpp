#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "compile/compiler/compilation.hpp"

namespace warpclock {

// What the compiler process and those who ask it exchange: one line of JSON each. Sources, logs and images may hold any
// bytes.
[[nodiscard]] std::string to_line(const CompileRequest& request);
[[nodiscard]] std::string to_line(const Compilation& compilation);

/// Error "protocol".
[[nodiscard]] Expected<CompileRequest> parse_request(std::string_view line);
[[nodiscard]] Expected<Compilation> parse_compilation(std::string_view line);

}  // namespace warpclock
