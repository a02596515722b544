#pragma once

#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>

namespace warpclock::testing {

/// How many cases a test draws at random: so many as the test says, from one seed. `./bootstrap test --chaos` runs it
/// with more of both, by WARPCLOCK_CASES and WARPCLOCK_SEED.
class Chaos {
 public:
  explicit Chaos(std::size_t cases)
      : cases_(number("WARPCLOCK_CASES", cases)), random_(static_cast<unsigned>(number("WARPCLOCK_SEED", 1))) {}

  [[nodiscard]] std::size_t cases() const { return cases_; }
  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t many) { return below(many) == 0; }
  template <class T>
  auto& one_of(T& all) {
    return all[below(all.size())];
  }

  /// Another byte somewhere.
  void damage(std::string& text) {
    if (text.empty()) return;
    char& byte = one_of(text);
    byte = static_cast<char>(byte ^ static_cast<char>(1 + below(255)));
  }

 private:
  static std::size_t number(const char* name, std::size_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::stoul(value);
  }

  std::size_t cases_;
  std::mt19937_64 random_;
};

}  // namespace warpclock::testing
