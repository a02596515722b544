#pragma once

#include <expected>
#include <utility>

/// Returns the error of an Expected<void> from the enclosing function. libstdc++ 12 has no monadic std::expected yet.
#define WARPCLOCK_TRY(expression)                                                       \
  do {                                                                                  \
    if (auto outcome = (expression); !outcome) return std::unexpected(outcome.error()); \
  } while (false)

/// The same for an Expected with a value, which is moved to `target`.
#define WARPCLOCK_SET(target, expression)                             \
  do {                                                                \
    auto outcome = (expression);                                      \
    if (!outcome) return std::unexpected(std::move(outcome).error()); \
    target = *std::move(outcome);                                     \
  } while (false)
