#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"

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

/// The codes that code branches on. All others are words for people and records alone.
enum class ErrorCode {
  ClockKernel,
  ClockMismatch,
  Closed,
  Counters,
  CountersUnknown,
  Cuda,
  DeviceLost,
  Fault,
  Memory,
  NoDevice,
  NoInstruction,
  Nonlinear,
  NotRun,
  Peer,
  RecordKind,
  Timeout,
  UnsupportedArch
};

template <>
inline constexpr auto enum_words<ErrorCode> = std::to_array<std::string_view>(
    {"clock", "clock-mismatch", "closed", "counters", "counters-unknown", "cuda", "device-lost", "fault", "memory",
     "no-device", "no-instruction", "nonlinear", "not-run", "peer", "record-kind", "timeout", "unsupported-arch"});
static_assert(enum_words<ErrorCode>.size() == static_cast<std::size_t>(ErrorCode::UnsupportedArch) + 1);

/// A template, so that nothing is converted to an ErrorCode.
template <std::same_as<ErrorCode> Code>
[[nodiscard]] constexpr bool operator==(std::string_view code, Code known) {
  return code == word(known);
}

template <class T>
using Expected = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(std::string code, std::string text, std::string place = {}) {
  return std::unexpected(Error{std::move(code), std::move(text), std::move(place)});
}

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string text, std::string place = {}) {
  return fail(std::string(word(code)), std::move(text), std::move(place));
}

/// What an exception means to a person. Memory that ran out has a fix; its own words are "std::bad_alloc".
[[nodiscard]] std::string problem_in(const std::exception& problem);

/// What `work` gives, an Expected. An exception becomes an error "exception" with this place. For one of many jobs,
/// which must not end the others: an exception that leaves a thread ends the program.
template <class Work>
[[nodiscard]] auto caught(const std::string& place, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return fail("exception", problem_in(problem), place);
  }
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
