#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock::testing {

/// A reader of RFC 1951 that is independent of the writer. Throws if the bits break the format.
class Inflate {
 public:
  explicit Inflate(std::string_view bits) : bits_(bits) {}

  std::string text() {
    for (bool last = false; !last;) {
      last = take(1) != 0;
      if (take(2) != 2) throw std::runtime_error("no dynamic block");
      block();
    }
    return out_;
  }

 private:
  using Lengths = std::vector<unsigned>;

  unsigned take(int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 >= bits_.size()) throw std::runtime_error("it ends early");
      value |= (static_cast<unsigned char>(bits_[at_ / 8]) >> at_ % 8 & 1u) << i;
    }
    return value;
  }
  unsigned symbol(const Lengths& lengths) {
    unsigned code = 0, first = 0;
    for (unsigned bits = 1; bits <= 15; ++bits) {
      code = code << 1 | take(1);
      for (unsigned i = 0; i < lengths.size(); ++i) {
        if (lengths[i] == bits && first++ == code) return i;
      }
      first <<= 1;
    }
    throw std::runtime_error("no such code");
  }
  void block() {
    static constexpr unsigned order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const unsigned literals = take(5) + 257, distances = take(5) + 1, codes = take(4) + 4;
    Lengths code(19, 0), all;
    for (unsigned i = 0; i < codes; ++i) code[order[i]] = take(3);
    while (all.size() < literals + distances) {
      all.push_back(symbol(code));
      if (all.back() > 15) throw std::runtime_error("a run");
    }
    const Lengths first(all.begin(), all.begin() + literals), second(all.begin() + literals, all.end());
    for (unsigned next = symbol(first); next != 256; next = symbol(first)) {
      if (next < 256) {
        out_ += static_cast<char>(next);
      } else {
        copy(next - 257, second);
      }
    }
  }
  void copy(unsigned length_symbol, const Lengths& distances) {
    static constexpr unsigned base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr int extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    const unsigned length = base[length_symbol] + take(extra[length_symbol]);
    const unsigned near = symbol(distances);
    const int bits = near < 4 ? 0 : static_cast<int>(near / 2 - 1);
    const unsigned distance = (near < 4 ? near : (2 + near % 2) << bits) + take(bits) + 1;
    if (distance > out_.size()) throw std::runtime_error("from before the beginning");
    for (unsigned i = 0; i < length; ++i) out_ += out_[out_.size() - distance];
  }

  std::string_view bits_;
  std::size_t at_ = 0;
  std::string out_;
};

/// Decodes RFC 4648; a character outside the alphabet ends the text.
inline std::string unbase64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) break;
    held = held << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits >= 8) out += static_cast<char>(held >> (bits -= 8) & 0xFF);
  }
  return out;
}

}  // namespace warpclock::testing
