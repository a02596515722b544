#include "base/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace warpclock {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), and its code point; 0 if there is none.
std::size_t decode(std::string_view text, std::size_t at, std::uint32_t& point) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const std::uint32_t lead = byte(0);
  std::size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : 0;
  if (lead >= 0xF0 && lead < 0xF5) length = 4;
  if (length == 0) return 0;
  point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  return overlong || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000) ? 0 : length;
}

bool reorders(std::uint32_t point) {
  return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0x200E ||
         point == 0x200F || point == 0x061C;
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::uint32_t point = 0;
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    length = decode(text, at, point);
    if (length == 0) return at;
  }
  return std::nullopt;
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t point = 0;
    const std::size_t length = decode(text, at, point);
    if (length == 0 || point == 0xFFFE || point == 0xFFFF || (point >= 0x80 && point < 0xA0) || reorders(point)) {
      out += replacement;
    } else if (point == '&') {
      out += "&amp;";
    } else if (point == '<') {
      out += "&lt;";
    } else if (point == '>') {
      out += "&gt;";
    } else if (point == '"') {
      out += "&quot;";
    } else if (point == '\'') {
      out += "&#39;";
    } else if (point == 0x7F) {
      out += "\xE2\x90\xA1";  // U+2421, the symbol for DEL
    } else if (point < 0x20 && point != '\n' && point != '\t') {
      out += "\xE2\x90";  // U+2400 + point, the symbols for control characters
      out += static_cast<char>(0x80 + point);
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string ascii_markup(std::string_view markup) {
  std::string out;
  out.reserve(markup.size() + markup.size() / 64);
  for (std::size_t at = 0; at < markup.size();) {
    std::uint32_t point = 0;
    const std::size_t length = decode(markup, at, point);
    if (length == 1) {
      out += markup[at];
    } else {
      out += length == 0 ? "&#xfffd;" : fmt::format("&#x{:x};", point);
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t point = 0;
    const std::size_t length = decode(text, at, point);
    const bool control = (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point < 0xA0);
    std::string next(text.substr(at, length));
    if (length == 0 || control || reorders(point)) {
      next.clear();
      for (const char c : text.substr(at, std::max<std::size_t>(length, 1)))
        next += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    if (out.size() + next.size() > most) return out + "...";
    out += next;
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line(text.substr(0, most + 1));
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return printable(line, most);
}

std::string anchor(std::string_view id) {
  constexpr std::string_view plain = "-_.:,=/[]+";
  std::string out;
  for (const char c : id) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (alphanumeric || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("~{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out.empty() ? "~" : out;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '/';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace warpclock
