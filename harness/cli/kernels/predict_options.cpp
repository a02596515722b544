#include "cli/kernels/predict_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files/packed_file.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "predict/counts.hpp"

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

/// "132,256", "32x32,32x8,4096".
Expected<void> read_launch(const std::string& text, PredictOptions& what) {
  if (text.empty()) return {};
  constexpr std::int64_t most_threads = 1024, most_shared = 1 << 20, most_blocks = std::int64_t{1} << 40;
  const std::vector<std::string> words = split(text, ',');
  const bool few = words.size() == 2 || words.size() == 3;
  const auto grid = few ? extents_of(words[0], most_blocks) : std::nullopt;
  const auto block = few ? extents_of(words[1], most_threads) : std::nullopt;
  const auto shared = words.size() == 3 ? decimal_or_hex(words[2]) : std::optional<std::int64_t>(0);
  if (!grid || !block || !shared || *shared > most_shared)
    return fail("option", "--launch is GRID,BLOCK or GRID,BLOCK,SHARED, as 1056,256,49152 or 32x32,32x8", text);
  what.blocks = (*grid)[0] * (*grid)[1] * (*grid)[2];
  what.threads = static_cast<int>((*block)[0] * (*block)[1] * (*block)[2]);
  for (std::size_t i = 0; i < block->size(); ++i) {
    what.shape.block[i] = static_cast<int>((*block)[i]);
    what.shape.grid[i] = static_cast<int>(std::min<std::int64_t>((*grid)[i], std::numeric_limits<int>::max()));
  }
  what.dynamic_bytes = *shared;
  return {};
}

Expected<std::pair<std::string, std::string>> halves(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return fail("option", option + " is WHAT=VALUE", text);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

/// The words of all options of one name: each may hold several, "0=256,1=4".
std::vector<std::string> pieces_of(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    for (std::string& word : split(text, ',')) words.push_back(std::move(word));
  }
  return words;
}

Expected<void> read_trips(const std::vector<std::string>& texts, PredictOptions& what) {
  constexpr std::int64_t most_loops = 1 << 20;
  for (const std::string& text : pieces_of(texts)) {
    const auto [loop, trips] = WARPCLOCK_TRY(halves("--trips", text));
    const auto id = decimal_or_hex(loop.starts_with("loop") ? loop.substr(4) : loop), count = decimal_or_hex(trips);
    if (!id || *id > most_loops || !count || *count > most_trips)
      return fail(
          "option",
          fmt::format("--trips is LOOP=N with a loop's number and at most {} trips, as 0=128 or 0=128,1=4", most_trips),
          text);
    if (!what.trips.emplace(static_cast<int>(*id), *count).second)
      return fail("option", fmt::format("--trips says twice how often loop {} runs", *id), text);
  }
  return {};
}

/// "load=L1" for all accesses, "0x0240=dram" for one.
Expected<void> read_hits(const std::vector<std::string>& texts, PredictOptions& what) {
  for (const std::string& text : pieces_of(texts)) {
    const auto [which, word] = WARPCLOCK_TRY(halves("--hit", text));
    const auto level = level_of(word);
    const auto address = which == "load" ? std::optional<std::int64_t>(0) : decimal_or_hex(which);
    if (!level || !address)
      return fail("option", "--hit is load=LEVEL or ADDRESS=LEVEL with L1, L2 or dram, as 0x0240=dram", text);
    if (which == "load")
      what.level = *level, what.level_from = "--hit";
    else
      what.hits[*address] = *level;
  }
  return {};
}

/// "0x0240=128": so many bytes are between the lanes of an access.
Expected<void> read_strides(const std::vector<std::string>& texts, PredictOptions& what) {
  constexpr std::int64_t most = 1 << 24;
  for (const std::string& text : pieces_of(texts)) {
    const auto [which, word] = WARPCLOCK_TRY(halves("--stride", text));
    const auto address = decimal_or_hex(which), stride = decimal_or_hex(word);
    if (!address || !stride || *stride > most)
      return fail("option", "--stride is ADDRESS=BYTES with at most 16777216 bytes, as 0x0240=128", text);
    what.strides[*address] = *stride;
  }
  return {};
}

/// "0x4000000", "64MiB".
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

/// "3=4096" and "0=64MiB".
Expected<void> read_arguments(const PredictCommand& command, GivenArguments& given) {
  constexpr std::int64_t most_arguments = 4096;
  const auto number_of = [](const std::string& text) {
    const auto number = decimal_or_hex(text);
    return number && *number < most_arguments ? std::optional(static_cast<int>(*number)) : std::nullopt;
  };
  for (const std::string& text : pieces_of(command.arguments)) {
    const auto [which, value] = WARPCLOCK_TRY(halves("--arg", text));
    const auto number = number_of(which);
    if (!number || value.empty())
      return fail("option", "--arg is N=VALUE with the number of an argument from 0, as 3=4096 or 4=0.5", text);
    if (!given.values.emplace(*number, value).second) return fail("option", "--arg gives an argument twice", text);
  }
  for (const std::string& text : pieces_of(command.buffers)) {
    const auto [which, size] = WARPCLOCK_TRY(halves("--buffer", text));
    const auto number = number_of(which);
    const auto bytes = bytes_of_size(size);
    if (!number || !bytes)
      return fail("option", "--buffer is N=SIZE with the number of an argument from 0, as 0=67108864 or 0=64MiB", text);
    if (given.values.contains(*number) || !given.buffers.emplace(*number, *bytes).second)
      return fail("option", "--buffer gives an argument twice", text);
  }
  return {};
}

}  // namespace

Expected<PredictOptions> options_of(const PredictCommand& command) {
  PredictOptions what = command.what;
  WARPCLOCK_TRY(read_launch(command.launch, what));
  WARPCLOCK_TRY(read_trips(command.trips, what));
  WARPCLOCK_TRY(read_hits(command.hits, what));
  WARPCLOCK_TRY(read_strides(command.strides, what));
  WARPCLOCK_TRY(read_arguments(command, what.given));
  if (!command.counts.empty()) {
    const auto text = WARPCLOCK_TRY(read_file(command.counts, most_record_bytes));
    auto counts = parse_counts(text);
    if (!counts) {
      counts.error().place = command.counts + (counts.error().place.empty() ? "" : ": " + counts.error().place);
      return std::unexpected(counts.error());
    }
    what.executed = *std::move(counts);
  }
  constexpr std::size_t drawn = 2000;
  if (!command.page.empty() && what.timeline == 0) what.timeline = drawn;
  constexpr int warp_threads = 32;
  if (command.warps > 0) what.threads = command.warps * warp_threads;
  return what;
}

}  // namespace warpclock
