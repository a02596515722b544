#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/files/packed_file.hpp"
#include "base/json/json_writer.hpp"
#include "record/testing/columns.hpp"

namespace warpclock::testing {

/// What packed() packed. What is no letter of it ends the text.
inline std::string unpacked(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  text = text.substr(0, text.find_first_not_of(letters));
  std::string bytes;
  std::uint32_t held = 0, bits = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    held = held << 6 | static_cast<std::uint32_t>(letters.find(letter)), bits += 6;
    if (bits >= 8) bytes += static_cast<char>(held >> (bits -= 8) & 0xFF);
  }
  auto text_of = gunzip(bytes);
  if (!text_of) throw std::runtime_error(text_of.error().text);
  return *std::move(text_of);
}

/// What the page carries packed under that id (packed_data()); null if nothing.
inline Json packed_data_of(const std::string& page, const std::string& id) {
  const std::string begin = "id=\"" + id + "\">";
  const std::size_t from = page.find(begin);
  return from == std::string::npos ? Json() : json_of(unpacked(std::string_view(page).substr(from + begin.size())));
}

}  // namespace warpclock::testing
