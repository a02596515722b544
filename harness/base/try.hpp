#pragma once

#include <expected>
#include <utility>

/// Leaves the function with the error of an Expected<void>. libstdc++ 12 has no monadic std::expected yet.
#define WARPCLOCK_TRY(expression)                                                       \
  do {                                                                                  \
    if (auto outcome = (expression); !outcome) return std::unexpected(outcome.error()); \
  } while (false)

/// The same of an Expected with a value, which goes to `target`.
#define WARPCLOCK_SET(target, expression)                             \
  do {                                                                \
    auto outcome = (expression);                                      \
    if (!outcome) return std::unexpected(std::move(outcome).error()); \
    target = *std::move(outcome);                                     \
  } while (false)
