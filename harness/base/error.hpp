#pragma once

#include <expected>
#include <string>
#include <utility>

namespace warpclock {

/// Why a stage could not do its work. `code` is a stable kebab-case word that tests and reports key on
/// ("compile-error", "config", "io", "watchdog", ...); `text` is one sentence for a person, with the fix where one
/// is known; `place` is where in the user's input it lies ("configs/cache.yaml:14:9"), or empty.
struct Error {
  std::string code;
  std::string text;
  std::string place;

  /// "place: text", or the text alone.
  [[nodiscard]] std::string message() const { return place.empty() ? text : place + ": " + text; }

  bool operator==(const Error&) const = default;
};

template <class T>
using Expected = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(std::string code, std::string text, std::string place = {}) {
  return std::unexpected(Error{std::move(code), std::move(text), std::move(place)});
}

}  // namespace warpclock

/// The value of an Expected, or leaves the function with its error. For a statement of its own, or the whole right side
/// of an assignment or initialisation: GCC does not destroy temporaries of a larger expression when it is left.
#define WARPCLOCK_TRY(...)                                                            \
  __extension__({                                                                     \
    auto warpclock_tried = (__VA_ARGS__);                                             \
    if (!warpclock_tried) return std::unexpected(std::move(warpclock_tried).error()); \
    *std::move(warpclock_tried);                                                      \
  })
