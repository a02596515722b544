#include "report/html/deflate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace warpclock {
namespace {

constexpr std::size_t shortest = 3, furthest_length = 258, window = 32768, most_tries = 96, tokens_a_block = 1u << 15;

/// A literal (length 0, the byte in `distance`) or a copy of what stands `distance` back.
struct Token {
  std::uint16_t length = 0, distance = 0;
};

/// A symbol with the extra bits that follow it.
struct Coded {
  std::size_t symbol = 0;
  std::uint32_t extra = 0;
  int bits = 0;
};

/// RFC 1951, 3.2.5: from the second group on, each four (lengths) or two (distances) symbols have one extra bit more.
Coded coded(std::uint32_t value, int group_bits) {
  const std::uint32_t group = 1u << group_bits;
  if (value < 2 * group) return {value, 0, 0};
  int bits = 0;
  while (value >> bits >= 2 * group) ++bits;
  return {static_cast<std::size_t>(bits) * group + (value >> bits), value & ((1u << bits) - 1), bits};
}

Coded length_code(std::uint16_t length) {
  Coded out = length == furthest_length ? Coded{28, 0, 0} : coded(length - 3u, 2);
  out.symbol += 257;
  return out;
}

Coded distance_code(std::uint16_t distance) { return coded(distance - 1u, 1); }

class Matcher {
 public:
  explicit Matcher(std::string_view text) : text_(text), last_(1u << 15, none), before_(text.size(), none) {}

  /// The longest copy for what stands at `at`, the nearest of several.
  [[nodiscard]] Token find(std::size_t at) const {
    Token best;
    if (at + shortest > text_.size()) return best;
    std::size_t from = last_[hash(at)];
    for (std::size_t tries = 0; from != none && at - from < window && tries < most_tries; ++tries) {
      const std::size_t same = common(from, at);
      if (same > best.length) best = {static_cast<std::uint16_t>(same), static_cast<std::uint16_t>(at - from)};
      from = before_[from];
    }
    return best.length < shortest ? Token{} : best;
  }
  void add(std::size_t at) {
    if (at + shortest > text_.size()) return;
    before_[at] = last_[hash(at)];
    last_[hash(at)] = static_cast<std::uint32_t>(at);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  [[nodiscard]] std::size_t hash(std::size_t at) const {
    std::uint32_t key = 0;
    for (std::size_t i = 0; i < shortest; ++i) key = key << 8 | static_cast<unsigned char>(text_[at + i]);
    return key * 2654435761u >> 17;
  }
  [[nodiscard]] std::size_t common(std::size_t from, std::size_t at) const {
    const std::size_t most = std::min(furthest_length, text_.size() - at);
    std::size_t same = 0;
    while (same < most && text_[from + same] == text_[at + same]) ++same;
    return same;
  }

  std::string_view text_;
  std::vector<std::uint32_t> last_, before_;
};

std::vector<Token> tokens_of(std::string_view text) {
  Matcher matcher(text);
  std::vector<Token> out;
  for (std::size_t at = 0; at < text.size();) {
    Token token = matcher.find(at);
    matcher.add(at);
    // A longer copy from the next byte on is worth a literal here.
    if (token.length > 0 && token.length < 32 && matcher.find(at + 1).length > token.length) token = {};
    if (token.length == 0) token.distance = static_cast<unsigned char>(text[at]);
    out.push_back(token);
    const std::size_t next = at + std::max<std::size_t>(token.length, 1);
    for (++at; at < next; ++at) matcher.add(at);
  }
  return out;
}

class BitWriter {
 public:
  void put(std::uint32_t value, int bits) {
    held_ |= static_cast<std::uint64_t>(value) << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, held_ >>= 8) out_ += static_cast<char>(held_ & 0xFF);
  }
  [[nodiscard]] std::string finish() && {
    if (count_ > 0) out_ += static_cast<char>(held_ & 0xFF);
    return std::move(out_);
  }

 private:
  std::string out_;
  std::uint64_t held_ = 0;
  int count_ = 0;
};

/// A canonical prefix code (RFC 1951, 3.2.2); codes begin with their most significant bit.
class HuffmanCode {
 public:
  HuffmanCode(const std::vector<std::uint32_t>& frequencies, int longest)
      : lengths_(code_lengths(frequencies, longest)) {
    std::uint32_t code = 0;
    codes_.resize(lengths_.size());
    for (int bits = 1; bits <= longest; ++bits, code <<= 1) {
      for (std::size_t i = 0; i < lengths_.size(); ++i) {
        if (lengths_[i] == bits) codes_[i] = reversed(code++, bits);
      }
    }
  }
  void put(BitWriter& out, std::size_t symbol) const { out.put(codes_[symbol], lengths_[symbol]); }
  [[nodiscard]] const std::vector<std::uint8_t>& lengths() const { return lengths_; }

 private:
  static std::uint32_t reversed(std::uint32_t code, int bits) {
    std::uint32_t out = 0;
    for (int i = 0; i < bits; ++i) out = out << 1 | (code >> i & 1u);
    return out;
  }

  std::vector<std::uint8_t> lengths_;
  std::vector<std::uint32_t> codes_;
};

/// The lengths of both codes, in a code of their own. Runs are left as they are: a page has a few blocks only.
void put_lengths(BitWriter& out, const HuffmanCode& literals, const HuffmanCode& distances) {
  constexpr std::array<std::size_t, 19> order = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::vector<std::uint8_t> all = literals.lengths();
  all.insert(all.end(), distances.lengths().begin(), distances.lengths().end());
  std::vector<std::uint32_t> frequencies(order.size(), 0);
  for (const std::uint8_t length : all) ++frequencies[length];
  const HuffmanCode code(frequencies, 7);
  out.put(static_cast<std::uint32_t>(literals.lengths().size() - 257), 5);
  out.put(static_cast<std::uint32_t>(distances.lengths().size() - 1), 5);
  out.put(static_cast<std::uint32_t>(order.size() - 4), 4);
  for (const std::size_t symbol : order) out.put(code.lengths()[symbol], 3);
  for (const std::uint8_t length : all) code.put(out, length);
}

void put_block(BitWriter& out, const Token* from, const Token* to, bool last) {
  constexpr std::size_t end_of_block = 256;
  std::vector<std::uint32_t> literal_count(286, 0), distance_count(30, 0);
  ++literal_count[end_of_block];
  for (const Token* token = from; token != to; ++token) {
    ++literal_count[token->length == 0 ? token->distance : length_code(token->length).symbol];
    if (token->length > 0) ++distance_count[distance_code(token->distance).symbol];
  }
  const HuffmanCode literals(literal_count, 15), distances(distance_count, 15);
  out.put(last ? 1 : 0, 1);
  out.put(2, 2);
  put_lengths(out, literals, distances);
  for (const Token* token = from; token != to; ++token) {
    if (token->length == 0) {
      literals.put(out, token->distance);
      continue;
    }
    const Coded length = length_code(token->length), distance = distance_code(token->distance);
    literals.put(out, length.symbol);
    out.put(length.extra, length.bits);
    distances.put(out, distance.symbol);
    out.put(distance.extra, distance.bits);
  }
  literals.put(out, end_of_block);
}

}  // namespace

std::string deflate(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  BitWriter out;
  for (std::size_t at = 0; at == 0 || at < tokens.size(); at += tokens_a_block) {
    const std::size_t end = std::min(at + tokens_a_block, tokens.size());
    put_block(out, tokens.data() + at, tokens.data() + end, end == tokens.size());
  }
  return std::move(out).finish();
}

}  // namespace warpclock
