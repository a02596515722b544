#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"

namespace warpclock::testing {

inline std::string read(const std::string& path_below_root) {
  std::ifstream file(std::string(WARPCLOCK_SOURCE_DIR) + "/" + path_below_root, std::ios::binary);
  EXPECT_TRUE(file.good()) << path_below_root;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The upper encoding word with only a control field, from words like "s4 y w0 r1 b03": stall count, yield, write and
/// read scoreboard, scoreboards waited for.
inline std::uint64_t encode_control(std::string_view words) {
  std::uint64_t stall = 1, stay = 1, write = 7, read = 7, wait = 0;
  for (const std::string& word : split(trim(words), ' ')) {
    if (word.empty()) continue;
    if (word[0] == 's') stall = std::stoul(word.substr(1));
    if (word[0] == 'y') stay = 0;
    if (word[0] == 'w') write = std::stoul(word.substr(1));
    if (word[0] == 'r') read = std::stoul(word.substr(1));
    if (word[0] == 'b') {
      for (const char digit : word.substr(1)) wait |= 1ULL << (digit - '0');
    }
  }
  return stall << 41 | stay << 45 | write << 46 | read << 49 | wait << 52;
}

/// The output of nvdisasm for lines like "b0 s4 | @!P0 IADD3 R0, R1, R2, RZ" (the control words are optional) and
/// labels "loop:".
inline std::string listing_text(std::string_view assembly) {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
  unsigned address = 0;
  for (const std::string& line : lines(assembly)) {
    const std::string_view code = trim(line);
    if (code.empty()) continue;
    if (code.ends_with(':')) {
      text += fmt::format("{}\n", code);
      continue;
    }
    const std::size_t bar = code.find(" | ");
    const std::string_view control = bar == std::string_view::npos ? "" : code.substr(0, bar);
    const std::string_view sass = bar == std::string_view::npos ? code : code.substr(bar + 3);
    text += fmt::format("        /*{:04x}*/ {} ; /* {:#018x} */\n", address, sass, address + 1);
    text += fmt::format("                 /* {:#018x} */\n", encode_control(control));
    address += 16;
  }
  return text;
}

inline Listing make_listing(std::string_view assembly) { return must(parse_listings(listing_text(assembly))).front(); }

inline Instruction instruction(std::string_view code) { return make_listing(code).instructions.at(0); }

/// Index of the first instruction whose text contains `what`.
inline std::size_t index_of(const Listing& listing, std::string_view what) {
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    if (listing.instructions[i].text.find(what) != std::string::npos) return i;
  }
  ADD_FAILURE() << "no instruction holds " << what;
  return 0;
}

}  // namespace warpclock::testing
