#pragma once

#include <concepts>
#include <expected>
#include <string>
#include <string_view>
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
  ForeignOpcode,
  Memory,
  NoDevice,
  NoInstruction,
  Nonlinear,
  NotRun,
  Peer,
  RecordKind,
  Timeout,
  UnsupportedArch,
};

[[nodiscard]] constexpr std::string_view word(ErrorCode code) {
  switch (code) {
    case ErrorCode::ClockKernel:
      return "clock";
    case ErrorCode::ClockMismatch:
      return "clock-mismatch";
    case ErrorCode::Closed:
      return "closed";
    case ErrorCode::Counters:
      return "counters";
    case ErrorCode::CountersUnknown:
      return "counters-unknown";
    case ErrorCode::Cuda:
      return "cuda";
    case ErrorCode::DeviceLost:
      return "device-lost";
    case ErrorCode::Fault:
      return "fault";
    case ErrorCode::ForeignOpcode:
      return "foreign-opcode";
    case ErrorCode::Memory:
      return "memory";
    case ErrorCode::NoDevice:
      return "no-device";
    case ErrorCode::NoInstruction:
      return "no-instruction";
    case ErrorCode::Nonlinear:
      return "nonlinear";
    case ErrorCode::NotRun:
      return "not-run";
    case ErrorCode::Peer:
      return "peer";
    case ErrorCode::RecordKind:
      return "record-kind";
    case ErrorCode::Timeout:
      return "timeout";
    case ErrorCode::UnsupportedArch:
      return "unsupported-arch";
  }
  return {};
}

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

}  // namespace warpclock

/// The value of an Expected, or leaves the function with its error. For a statement of its own, or the whole right side
/// of an assignment or initialisation: GCC does not destroy temporaries of a larger expression when it is left.
#define WARPCLOCK_TRY(...)                                                            \
  __extension__({                                                                     \
    auto warpclock_tried = (__VA_ARGS__);                                             \
    if (!warpclock_tried) return std::unexpected(std::move(warpclock_tried).error()); \
    *std::move(warpclock_tried);                                                      \
  })
