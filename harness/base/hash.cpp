#include "base/hash.hpp"

#include <fmt/format.h>

namespace warpclock {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr Wide prime = (Wide{1} << 88) + 0x13b;

}  // namespace

Hash& Hash::add(std::string_view bytes) {
  Wide state = (Wide{high_} << 64) | low_;
  for (const char byte : bytes) {
    state ^= static_cast<unsigned char>(byte);
    state *= prime;
  }
  high_ = static_cast<std::uint64_t>(state >> 64);
  low_ = static_cast<std::uint64_t>(state);
  return *this;
}

Hash& Hash::add_field(std::string_view bytes) { return add(fmt::format("{}:", bytes.size())).add(bytes); }

std::string Hash::hex() const { return fmt::format("{:016x}{:016x}", high_, low_); }

std::string hash_hex(std::string_view bytes) { return Hash{}.add(bytes).hex(); }

}  // namespace warpclock
