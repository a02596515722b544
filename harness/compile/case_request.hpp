#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/compiler/compilation.hpp"
#include "compile/sources.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// How to compile these cases as one module: probes as CUDA C++, generated ones as PTX. Error "compile-error" if the
/// sources lack something.
[[nodiscard]] Expected<CompileRequest> case_request(const std::vector<const Case*>& members, const Sources& sources,
                                                    const Target& target);

/// The key of a case in the cache: all that determines its machine code, `request` being that of the case alone.
/// `tools` tells installed compilers and disassemblers apart.
[[nodiscard]] std::string case_key(const CompileRequest& request, const std::vector<std::string>& tools);

}  // namespace warpclock
