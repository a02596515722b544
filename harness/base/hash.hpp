#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpclock {

/// 128-bit FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv). It identifies content and does not protect against forgery.
class Hash {
 public:
  /// Feeding "ab" equals feeding "a", then "b": callers separate their fields themselves, or use `add_field`.
  Hash& add(std::string_view bytes);

  /// Feeds the length, then the bytes, so that fields cannot run into each other.
  Hash& add_field(std::string_view bytes);

  /// 32 lower-case hex digits.
  [[nodiscard]] std::string hex() const;

 private:
  std::uint64_t high_ = 0x6c62272e07bb0142, low_ = 0x62b821756295c58d;
};

[[nodiscard]] std::string hash_hex(std::string_view bytes);

}  // namespace warpclock
