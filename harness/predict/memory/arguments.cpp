#include "predict/memory/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

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

}  // namespace

void note_argument(const CallArgument& argument, ArgumentPlace place, LaunchShape& shape) {
  constexpr std::size_t word = 4;
  if (argument.bytes > 0) {
    shape.buffers[static_cast<int>(place.at)] = argument.bytes;
    if (argument.fill == CallFill::Zeros || argument.fill == CallFill::Ones)
      shape.equal.insert(static_cast<int>(place.at));
    return;
  }
  const std::uint64_t bits = bits_of(argument.type, argument.value);
  for (std::size_t at = 0; at + word <= place.size; at += word)
    shape.words[static_cast<int>(place.at + at)] = static_cast<std::uint32_t>(bits >> 8 * at);
}

MemoryLevel level_of_buffers(std::int64_t bytes, std::int64_t l2_bytes, bool cold) {
  return !cold && (l2_bytes == 0 || bytes <= l2_bytes) ? MemoryLevel::L2 : MemoryLevel::Dram;
}

Expected<void> note_given(const GivenArguments& given, const KernelFacts& facts, LaunchShape& shape) {
  constexpr int address_bytes = 8;
  for (const auto& [number, text] : given.values) {
    const std::string option = fmt::format("--arg {}={}", number, text);
    const auto place = WARPCLOCK_TRY(parameter_at(number, facts, option));
    const auto argument = WARPCLOCK_TRY(argument_of(text, place, option));
    note_argument(argument, {static_cast<std::size_t>(place.at), static_cast<std::size_t>(place.bytes)}, shape);
  }
  for (const auto& [number, bytes] : given.buffers) {
    const std::string option = fmt::format("--buffer {}={}", number, bytes);
    const auto place = WARPCLOCK_TRY(parameter_at(number, facts, option));
    if (place.bytes != address_bytes)
      return fail("option", fmt::format("{}: argument {} has {} bytes and is no address", option, number, place.bytes));
    shape.buffers[place.at] = bytes;
  }
  shape.arguments_known =
      !facts.parameters.empty() && given.values.size() + given.buffers.size() == facts.parameters.size();
  return {};
}

}  // namespace warpclock
