#include "report/html/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace warpclock {

std::string base64(std::string_view bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t j) -> std::uint32_t {
      return j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0;
    };
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += alphabet[group >> shift & 63];
  }
  const std::size_t missing = (3 - bytes.size() % 3) % 3;
  return out.replace(out.size() - missing, missing, missing, '=');
}

}  // namespace warpclock
