#include "cli/kernels/launch_options.hpp"

#include "base/text.hpp"

namespace warpclock {
namespace {

/// "256" or "32x8x1": what is along x, y and z.
std::optional<std::array<std::int64_t, 3>> extents_of(std::string_view text, std::int64_t most) {
  std::array<std::int64_t, 3> extents = {1, 1, 1};
  const std::vector<std::string> words = split(text, 'x');
  if (words.size() > extents.size()) return std::nullopt;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    extents[i] = decimal_or_hex(words[i]).value_or(0);
    if (extents[i] < 1 || extents[i] > most / all) return std::nullopt;
    all *= extents[i];
  }
  return extents;
}

}  // namespace

std::optional<std::int64_t> bytes_of_size(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 4> units = {{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"B", 0}}};
  int shift = 0;
  for (const auto& [unit, by] : units) {
    if (!text.ends_with(unit) || text.starts_with("0x")) continue;
    text.remove_suffix(unit.size());
    shift = by;
    break;
  }
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const auto number = decimal_or_hex(text);
  return number && *number > 0 && *number <= most >> shift ? std::optional(*number << shift) : std::nullopt;
}

Expected<LaunchOption> launch_option(const std::string& text) {
  constexpr std::int64_t most_threads = 1024, most_shared = 1 << 20, most_blocks = std::int64_t{1} << 40;
  const std::vector<std::string> words = split(text, ',');
  const bool few = words.size() == 2 || words.size() == 3;
  const auto grid = few ? extents_of(words[0], most_blocks) : std::nullopt;
  const auto block = few ? extents_of(words[1], most_threads) : std::nullopt;
  const auto shared = words.size() == 3 ? decimal_or_hex(words[2]) : std::optional<std::int64_t>(0);
  if (!grid || !block || !shared || *shared > most_shared)
    return fail("option", "--launch is GRID,BLOCK or GRID,BLOCK,SHARED, as 1056,256,49152 or 32x32,32x8", text);
  return LaunchOption{*grid, *block, *shared};
}

Expected<std::pair<std::string, std::string>> option_halves(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return fail("option", option + " is WHAT=VALUE", text);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<std::string> option_pieces(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    for (std::string& word : split(text, ',')) words.push_back(std::move(word));
  }
  return words;
}

Expected<GivenArguments> argument_options(const std::vector<std::string>& values,
                                          const std::vector<std::string>& buffers) {
  GivenArguments given;
  constexpr std::int64_t most_arguments = 4096;
  const auto number_of = [](const std::string& text) {
    const auto number = decimal_or_hex(text);
    return number && *number < most_arguments ? std::optional(static_cast<int>(*number)) : std::nullopt;
  };
  for (const std::string& text : option_pieces(values)) {
    const auto [which, value] = WARPCLOCK_TRY(option_halves("--arg", text));
    const auto number = number_of(which);
    if (!number || value.empty())
      return fail("option", "--arg is N=VALUE with the number of an argument from 0, as 3=4096 or 4=0.5", text);
    if (!given.values.emplace(*number, value).second) return fail("option", "--arg gives an argument twice", text);
  }
  for (const std::string& text : option_pieces(buffers)) {
    const auto [which, size] = WARPCLOCK_TRY(option_halves("--buffer", text));
    const auto number = number_of(which);
    const std::size_t colon = size.find(':');
    const auto bytes = bytes_of_size(std::string_view(size).substr(0, colon));
    const std::string holds = colon == size.npos ? "" : size.substr(colon + 1);
    if (!number || !bytes || (holds.empty() && colon != size.npos))
      return fail(
          "option",
          "--buffer is N=SIZE or N=SIZE:HOLDS with the number of an argument from 0, as 0=64MiB or 0=64MiB:iota", text);
    if (given.values.contains(*number) || !given.buffers.emplace(*number, GivenBuffer{*bytes, holds}).second)
      return fail("option", "--buffer gives an argument twice", text);
  }
  return given;
}

}  // namespace warpclock
