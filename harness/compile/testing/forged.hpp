#pragma once

#include <string>

#include "code/listing.hpp"
#include "code/word.hpp"

namespace warpclock::testing {

/// A listing with other stall counts: of each instruction, whose encoding is two numbers of 16 digits, the second has
/// them.
inline std::string with_other_stalls(std::string listing) {
  constexpr std::size_t digits = 16;
  bool high = false;
  for (std::size_t at = listing.find("/* 0x"); at != std::string::npos;
       at = listing.find("/* 0x", at + 1), high = !high) {
    if (!high) continue;
    const std::size_t from = at + 5;
    std::uint64_t word = std::stoull(listing.substr(from, digits), nullptr, 16);
    Control control = decode_control(word);
    control.stall = 15 - control.stall;
    word = with_control({0, word}, control).high;
    std::string text;
    append_hex(text, word, static_cast<int>(digits));
    listing.replace(from, digits, text);
  }
  return listing;
}

}  // namespace warpclock::testing
