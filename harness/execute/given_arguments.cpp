#include "execute/given_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/files/file.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto value = decimal_or_hex(negative ? text.substr(1) : text);
  return value && negative ? std::optional(-*value) : value;
}

std::optional<CallType> type_of(std::string_view name) {
  const auto& names = call_type_names();
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<CallType>(at - names.begin()));
}

/// The type of a number that is written without one.
std::optional<CallType> type_for(std::int64_t bytes, bool integer) {
  for (const CallType type :
       {CallType::I32, CallType::I64, CallType::I8, CallType::F32, CallType::F64, CallType::F16}) {
    const bool floating = type == CallType::F32 || type == CallType::F64 || type == CallType::F16;
    if (bytes_of(type) == bytes && floating != integer) return type;
  }
  return std::nullopt;
}

Expected<ParameterPlace> parameter_at(int number, const KernelFacts& facts, const std::string& option) {
  if (number >= 0 && std::cmp_less(number, facts.parameters.size()))
    return facts.parameters[static_cast<std::size_t>(number)];
  const std::string has =
      facts.parameters.empty() ? "the cubin states none" : fmt::format("it has 0 to {}", facts.parameters.size() - 1);
  return fail("option", fmt::format("{}: the kernel has no argument {}: {}", option, number, has));
}

Expected<CallArgument> argument_of(const std::string& text, ParameterPlace place, const std::string& option) {
  const std::size_t colon = text.find(':');
  const std::string value = colon == text.npos ? text : text.substr(colon + 1);
  const auto integer = integer_of(value);
  const auto number = integer ? std::optional(static_cast<double>(*integer)) : number_of(value);
  const auto type = colon == text.npos ? type_for(place.bytes, integer.has_value()) : type_of(text.substr(0, colon));
  if (!number || (colon != text.npos && !type))
    return fail("option", option + ": a value is a number, as 4096, 0.5 or f32:1", text);
  if (!type || bytes_of(*type) != place.bytes)
    return fail("option", fmt::format("{}: the argument has {} bytes, and the value has not", option, place.bytes),
                text);
  return CallArgument{.type = *type, .value = *number};
}

/// Notes what a buffer holds: "iota", "random:f32", or the name of a file.
Expected<void> read_contents(const std::string& holds, const std::string& option, GivenArgument& one) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  const std::size_t colon = holds.find(':');
  const auto& fills = call_fill_names();
  const auto fill = std::ranges::find(fills, holds.substr(0, colon));
  if (fill == fills.end()) {
    one.contents = WARPCLOCK_TRY(read_file(holds, most_bytes));
    if (one.contents.empty()) return fail("option", option + ": the file is empty", holds);
    return {};
  }
  const auto type = colon == holds.npos ? CallType::U32 : type_of(holds.substr(colon + 1));
  if (!type) return fail("option", option + ": elements have a type as f32 or u8", holds);
  one.argument.type = *type;
  one.argument.fill = static_cast<CallFill>(fill - fills.begin());
  if (one.argument.bytes % bytes_of(*type) != 0)
    return fail("option", fmt::format("{}: {} bytes are no whole number of elements", option, one.argument.bytes));
  return {};
}

}  // namespace

Expected<std::vector<GivenArgument>> given_arguments(const GivenArguments& given, const KernelFacts& facts) {
  constexpr int address_bytes = 8;
  std::vector<GivenArgument> all;
  for (const auto& [number, text] : given.values) {
    const std::string option = fmt::format("--arg {}={}", number, text);
    const auto place = WARPCLOCK_TRY(parameter_at(number, facts, option));
    all.push_back({number, WARPCLOCK_TRY(argument_of(text, place, option))});
  }
  for (const auto& [number, buffer] : given.buffers) {
    const std::string option = fmt::format("--buffer {}={}", number, buffer.bytes);
    const auto place = WARPCLOCK_TRY(parameter_at(number, facts, option));
    if (place.bytes != address_bytes)
      return fail("option", fmt::format("{}: argument {} has {} bytes and is no address", option, number, place.bytes));
    GivenArgument one{number, {.bytes = buffer.bytes, .type = CallType::U8}, !buffer.holds.empty()};
    if (one.filled) WARPCLOCK_TRY(read_contents(buffer.holds, option, one));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace warpclock
