#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/citations.hpp"
#include "base/error.hpp"

namespace warpclock {

struct SwizzleQuestion {
  std::int64_t row_bytes = 0;
  std::string access;  ///< "ldmatrix", "stmatrix", "lds.128", "sts.32", ...
};

[[nodiscard]] std::vector<std::string> swizzle_accesses();

/// Wavefronts and conflicts of an access to rows that follow each other, that are padded, and that a tensor copy
/// swizzles. Error "option" if rows of that length have no such access. Pure.
[[nodiscard]] Expected<Advice> advise_swizzle(const AdviceSource& from, const SwizzleQuestion& question);

}  // namespace warpclock
