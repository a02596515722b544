#include "plan/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

std::vector<std::string> names(const Parameters& parameters) { return keys_of(parameters); }

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

const Value* find(const Parameters& parameters, std::string_view name) {
  const auto* found = find_by(parameters, name, &std::pair<std::string, Value>::first);
  return found == nullptr ? nullptr : &found->second;
}

Expected<std::int64_t> Product::evaluate(const Parameters& parameters) const {
  std::int64_t product = 1;
  for (const Value& factor : factors) {
    const Value* value = &factor;
    if (const auto* name = std::get_if<std::string>(&factor)) {
      value = find(parameters, *name);
      if (value == nullptr) {
        return fail("config", fmt::format("unknown parameter '{}'{}", *name, hint(*name, names(parameters))));
      }
    }
    const auto* number = std::get_if<std::int64_t>(value);
    if (number == nullptr) {
      return fail("config", fmt::format("parameter '{}' is '{}', not a number", to_string(factor), to_string(*value)));
    }
    if (__builtin_mul_overflow(product, *number, &product)) {
      return fail("config", "the product does not fit in 64 bits");
    }
  }
  return product;
}

Expected<std::string> substitute(std::string_view text, const Parameters& parameters) {
  std::string result;
  while (!text.empty()) {
    const std::size_t brace = text.find_first_of("{}");
    result += text.substr(0, brace);
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    const std::size_t end = text.find('}');
    if (text.front() == '}' || end == std::string_view::npos) {
      return fail("config", "unbalanced brace (write {parameter})");
    }
    const std::string name(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    if (const Value* value = find(parameters, name)) {
      result += to_string(*value);
      continue;
    }
    const auto big = std::ranges::find(parameters, name, [](const auto& entry) { return to_upper(entry.first); });
    if (big == parameters.end()) {
      return fail("config", fmt::format("unknown parameter '{}'{}", name, hint(name, names(parameters))));
    }
    result += to_upper(to_string(big->second));
  }
  return result;
}

}  // namespace warpclock
