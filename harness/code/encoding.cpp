#include "code/encoding.hpp"

#include "base/text.hpp"

namespace warpclock {

std::optional<std::uint64_t> hex_number(std::string_view digits) { return whole_number<std::uint64_t>(digits, 16); }

void append_hex(std::string& to, std::uint64_t number, int width) {
  int digits = width;
  while (digits < 16 && number >> (4 * digits) != 0) ++digits;
  while (digits-- > 0) to += "0123456789abcdef"[number >> (4 * digits) & 15];
}

std::optional<std::uint64_t> take_address(std::string_view& line) {
  const std::size_t end = line.starts_with("/*") ? line.find("*/", 2) : line.npos;
  if (end == line.npos) return std::nullopt;
  const auto address = hex_number(trim(line.substr(2, end - 2)));
  if (address) line = trim(line.substr(end + 2));
  return address;
}

std::optional<std::uint64_t> take_encoding(std::string_view& line) {
  if (!line.ends_with("*/")) return std::nullopt;
  const std::size_t start = line.rfind("/*");
  if (start == std::string_view::npos || line.size() < start + 4) return std::nullopt;
  const std::string_view inside = trim(line.substr(start + 2, line.size() - start - 4));
  if (inside.size() != 18 || !inside.starts_with("0x")) return std::nullopt;
  const auto word = hex_number(inside.substr(2));
  if (word) line = trim(line.substr(0, start));
  return word;
}

}  // namespace warpclock
