#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "capture/capture_program.hpp"
#include "capture/launch_ranges.hpp"
#include "capture/predict_capture.hpp"
#include "capture/spool_text.hpp"
#include "capture/testing/seen.hpp"
#include "execute/testing/hostile_run.hpp"
#include "predict/prediction_output.hpp"
#include "predict/testing/hostile.hpp"

namespace warpclock::testing {

/// A word of a line, or another one.
inline std::string hostile_word(HostileBytes& bytes, const std::string& word) {
  constexpr auto others = std::to_array<std::string_view>({"0",
                                                           "1",
                                                           "2",
                                                           "3",
                                                           "16",
                                                           "32",
                                                           "33",
                                                           "1024",
                                                           "1025",
                                                           "65535",
                                                           "65536",
                                                           "2147483647",
                                                           "2147483648",
                                                           "4294967295",
                                                           "1099511627776",
                                                           "4611686018427387904",
                                                           "9223372036854775807",
                                                           "-1",
                                                           "-9223372036854775808",
                                                           "x",
                                                           "ff",
                                                           "",
                                                           "0:ffffffffffffffff",
                                                           "9223372036854775807:00",
                                                           "0:9223372036854775807:1",
                                                           "more"});
  constexpr std::uint8_t changes = 32;
  const std::uint8_t one = bytes.next();
  return one < changes ? std::string(others[bytes.next() % others.size()]) : word;
}

/// What a process saw, with lines that are missing, there twice, or with other words.
inline std::string hostile_spool(HostileBytes& bytes) {
  std::string text;
  for (const std::string& line : lines(seen_text)) {
    constexpr std::uint8_t leaves_out = 16, repeats = 32;
    const std::uint8_t one = bytes.next();
    if (one < leaves_out) continue;
    for (int times = one < repeats ? 2 : 1; times > 0; --times) {
      std::string made;
      for (const std::string& word : split(line, ' ')) made += (made.empty() ? "" : " ") + hostile_word(bytes, word);
      text += made + "\n";
    }
  }
  return text;
}

/// Puts together what any bytes say that processes saw, reads it again, and predicts its launches of a kernel of any
/// instructions. Returns what is wrong with the outcome.
inline std::string hostile_capture(std::string_view input) {
  static const Machine machine = hostile_machine();
  HostileBytes bytes(input);
  Capture capture;
  assemble(capture, {read_spool(hostile_spool(bytes)), read_spool(hostile_spool(bytes))},
           {{std::string(32, 'a'), {{"add", "code"}}}});
  const auto read = parse_capture(to_json(capture), "a");
  if (!read) return "what was captured cannot be read: " + read.error().message();
  static_cast<void>(to_text(capture_sheet(*read), Style(false)));
  LoadedKernel kernel;
  kernel.facts.entry = true;
  kernel.facts.parameters = {{0, 8}, {8, 4}};
  kernel.facts.shared_bytes = std::int64_t{64} * bytes.next();
  auto listings = parse_listings(hostile_listing(bytes, hostile_forms()));
  if (!listings || listings->empty()) return "";
  kernel.listing = listings->front();
  const LaunchRanges ranges(*read, "/nonexistent");
  for (std::size_t i = 0; i < std::min<std::size_t>(2, read->launches.size()); ++i) {
    const AccessedRanges own = ranges.of(i, kernel, machine).value_or(AccessedRanges());
    static_cast<void>(left_in_l2(
        *read, i, [&](std::size_t) -> const AccessedRanges& { return own; }, 5e7));
    auto options = options_of(read->launches[i], kernel.facts, "/nonexistent");
    if (!options) continue;
    options->limit = 0.05;
    const auto made = predict(kernel, machine, *options);
    if (!made && made.error().text.empty()) return "an error without a text";
    if (made) static_cast<void>(to_text(prediction_sheet(*made), Style(false)));
  }
  return "";
}

}  // namespace warpclock::testing
