#include "cli/answers/answers.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/text.hpp"

namespace warpclock {

std::string title_of(const AskedLine& asked) {
  std::string_view text = trim(asked.machine ? asked.code : asked.text);
  if (text.ends_with(';') || text.ends_with(':')) text = trim(text.substr(0, text.size() - 1));
  return one_line(text);
}

Error error_in(const AskedLine& asked, Error error) {
  const std::size_t colon = error.place.find(':');
  if (asked.number > 0)
    error.place = fmt::format("{}{}", asked.number, colon == std::string::npos ? "" : error.place.substr(colon));
  return error;
}

namespace {

/// "nowhere.f32 %f1;" for the place "step.ptx:3:5". Empty if the file is not what is asked, or has no such line.
std::string line_of_file(const std::string& file, const std::string& place) {
  if (!place.starts_with(file + ":")) return {};
  const auto number = whole_number<std::size_t>(split(place.substr(file.size() + 1), ':').front());
  const auto text = read_file(file);
  if (!number || *number == 0 || !text) return {};
  const auto all = lines(*text);
  return *number > all.size() ? "" : all[*number - 1];
}

}  // namespace

Error with_line(const AskedLine& asked, const Error& error) {
  const bool in_file = error.place.starts_with(asked.text);
  const std::string line = one_line(trim(in_file ? line_of_file(asked.text, error.place) : asked.text));
  return {error.code, line.empty() ? error.text : fmt::format("{}\n  {}", error.text, line), error.place};
}

}  // namespace warpclock
