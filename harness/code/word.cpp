#include "code/word.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// The digits around `at` in a number like 0x1f0.
std::optional<std::string_view> digits_around(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of(hex_digits, at), text.size());
  const std::size_t before = text.substr(0, at).find_last_not_of(hex_digits);
  if (before == text.npos || before == 0 || text.substr(before - 1, 2) != "0x") return std::nullopt;
  return text.substr(before + 1, end - before - 1);
}

}  // namespace

bool bit_of(const Word& word, unsigned bit) { return ((bit < 64 ? word.low : word.high) >> bit % 64 & 1) != 0; }

Word with_bit(Word word, unsigned bit, bool set) {
  std::uint64_t& half = bit < 64 ? word.low : word.high;
  const std::uint64_t mask = std::uint64_t{1} << bit % 64;
  half = set ? half | mask : half & ~mask;
  return word;
}

std::vector<Word> words_of(std::string_view code) {
  std::vector<Word> words;
  words.reserve(code.size() / 16);
  for (; code.size() >= 16; code.remove_prefix(16))
    words.push_back({number_in(code.substr(0, 8)), number_in(code.substr(8, 8))});
  return words;
}

void append_word(std::string& code, Word word) {
  for (const std::uint64_t half : {word.low, word.high}) {
    for (int i = 0; i < 8; ++i) code += static_cast<char>(half >> (8 * i) & 0xff);
  }
}

std::optional<WordText> word_text(std::string_view first, std::string_view second, std::uint64_t at,
                                  std::uint64_t shift) {
  if (first == second) return WordText{std::string(first), std::nullopt, 0};
  const auto differ = static_cast<std::size_t>(std::ranges::mismatch(first, second).in1 - first.begin());
  const auto here = digits_around(first, differ), there = digits_around(second, differ);
  if (!here || !there) return std::nullopt;
  const auto target = hex_number(*here), moved = hex_number(*there);
  if (!target || !moved || *moved - *target != shift) return std::nullopt;
  const auto start = static_cast<std::size_t>(here->data() - first.data()) - 2;
  std::string text(first.substr(0, start));
  const std::string_view rest = first.substr(start + 2 + here->size());
  if (second.substr(start + 2 + there->size()) != rest) return std::nullopt;
  return WordText{text.append(rest), static_cast<std::int64_t>(*target - at), start};
}

Expected<std::vector<std::string_view>> raw_texts(std::string_view output, std::span<const Word> words,
                                                  std::uint64_t base) {
  const auto odd = [](std::size_t i, std::string_view line) {
    return fail("listing", fmt::format("nvdisasm printed '{}' for instruction {}", line.substr(0, 60), i));
  };
  std::vector<std::string_view> texts;
  texts.reserve(words.size());
  bool awaiting_high = false;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = trim(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!line.starts_with("/*")) {
      if (line.empty() || line.starts_with('.') || line.starts_with("//")) continue;
      return odd(texts.size(), line);
    }
    const std::string_view whole = line;
    if (awaiting_high) {
      if (take_encoding(line) != words[texts.size() - 1].high || !line.empty()) return odd(texts.size() - 1, whole);
      awaiting_high = false;
      continue;
    }
    if (texts.size() == words.size() || take_address(line) != base + 16 * texts.size() ||
        take_encoding(line) != words[texts.size()].low) {
      return odd(texts.size(), whole);
    }
    while (line.ends_with(';')) line = trim(line.substr(0, line.size() - 1));
    texts.push_back(line);
    awaiting_high = true;
  }
  if (texts.size() != words.size() || awaiting_high) return odd(texts.size(), "no more");
  return texts;
}

}  // namespace warpclock
