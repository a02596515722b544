#pragma once

#include <gmock/gmock.h>

#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"

namespace warpclock {

// What most tests say of texts and lists.
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// How a failed test shows an error.
inline void PrintTo(const Error& error, std::ostream* out) { *out << error.code << ": " << error.message(); }

/// What was made. Without it the test ends, and says the error.
template <class T>
[[nodiscard]] T must(Expected<T> made) {
  if (!made) throw std::runtime_error(made.error().message());
  return *std::move(made);
}

/// What was found. Without it the test ends.
template <class T>
[[nodiscard]] T must(std::optional<T> found) {
  if (!found) throw std::runtime_error("nothing was found");
  return *std::move(found);
}

/// The error of what has to fail. If it does not fail, the test does, and the error is empty.
template <class T>
[[nodiscard]] Error failure_of(const Expected<T>& made) {
  if (made) ADD_FAILURE() << "this did not fail";
  return made ? Error() : made.error();
}

MATCHER_P2(IsError, code, text, "has this code and text") {
  return arg.code == code && ::testing::ExplainMatchResult(text, arg.text, result_listener);
}

}  // namespace warpclock
