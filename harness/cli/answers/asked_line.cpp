#include <fmt/format.h>

#include <string_view>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {

std::string title_of(const AskedLine& asked) {
  std::string_view text = trim(asked.text);
  if (text.ends_with(';')) text = trim(text.substr(0, text.size() - 1));
  return one_line(text);
}

Error error_in(const AskedLine& asked, Error error) {
  const std::size_t colon = error.place.find(':');
  if (asked.number > 0)
    error.place = fmt::format("{}{}", asked.number, colon == std::string::npos ? "" : error.place.substr(colon));
  return error;
}

Error with_line(const AskedLine& asked, const Error& error) {
  return {error.code, fmt::format("{}\n  {}", error.text, one_line(trim(asked.text))), error.place};
}

}  // namespace warpclock
