#include "cli/kernels/predict_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/text.hpp"
#include "cli/kernels/launch_options.hpp"
#include "predict/counts.hpp"

namespace warpclock {
namespace {

/// "132,256", "32x32,32x8,4096".
Expected<void> read_launch(const std::string& text, PredictOptions& what) {
  if (text.empty()) return {};
  const LaunchOption launch = WARPCLOCK_TRY(launch_option(text));
  what.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  what.threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  for (std::size_t i = 0; i < launch.block.size(); ++i) {
    what.shape.block[i] = static_cast<int>(launch.block[i]);
    what.shape.grid[i] = static_cast<int>(std::min<std::int64_t>(launch.grid[i], std::numeric_limits<int>::max()));
  }
  what.dynamic_bytes = launch.dynamic_bytes;
  return {};
}

Expected<void> read_trips(const std::vector<std::string>& texts, PredictOptions& what) {
  constexpr std::int64_t most_loops = 1 << 20;
  for (const std::string& text : option_pieces(texts)) {
    const auto [loop, trips] = WARPCLOCK_TRY(option_halves("--trips", text));
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
  for (const std::string& text : option_pieces(texts)) {
    const auto [which, word] = WARPCLOCK_TRY(option_halves("--hit", text));
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
  for (const std::string& text : option_pieces(texts)) {
    const auto [which, word] = WARPCLOCK_TRY(option_halves("--stride", text));
    const auto address = decimal_or_hex(which), stride = decimal_or_hex(word);
    if (!address || !stride || *stride > most)
      return fail("option", "--stride is ADDRESS=BYTES with at most 16777216 bytes, as 0x0240=128", text);
    what.strides[*address] = *stride;
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
  what.given = WARPCLOCK_TRY(argument_options(command.arguments, command.buffers));
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
  const bool draws = !command.page.empty() || !command.trace.empty();
  if (draws && what.timeline == 0) what.timeline = drawn;
  constexpr int warp_threads = 32;
  if (command.warps > 0) what.threads = command.warps * warp_threads;
  return what;
}

}  // namespace warpclock
