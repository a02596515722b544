#pragma once

#include <expected>

/// Leaves the function with the error of an Expected<void>. libstdc++ 12 has no monadic std::expected yet.
#define WARPCLOCK_TRY(expression)                                                       \
  do {                                                                                  \
    if (auto outcome = (expression); !outcome) return std::unexpected(outcome.error()); \
  } while (false)
