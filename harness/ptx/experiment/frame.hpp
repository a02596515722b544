#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace warpclock {

/// Stands for a kernel's name in the text of a generated kernel; no PTX has it.
inline constexpr std::string_view kernel_mark = "<kernel>";

/// The name of a kernel's one argument.
[[nodiscard]] std::string kernel_parameter();

/// Byte offsets in it: `Args` of probes/probe.cuh.
namespace argument {
inline constexpr int clocks = 0, data = 8, sink = 32, passes = 40, zero = 44, at = 48, places = 64, bytes = 256;
}  // namespace argument

/// What waits for a register: the clock before it is read first, or before it is read last; or `held`, a sum of floats:
/// an integer operation that reads a result would be merged with the one that gave it, and a sum of floats has one
/// order.
enum class Waits : std::uint8_t { First, Last, Held };

/// The PTX around what a generated kernel times: arguments, inputs, the two clock reads and what they wait for, as
/// probes/probe.cuh has it for probes in CUDA C++. Its registers begin with `w_`.
class Frame {
 public:
  static constexpr std::string_view zero = "w_zero";      ///< 0, but no compiler knows
  static constexpr std::string_view thread = "w_thread";  ///< %tid.x
  static constexpr std::string_view held = "w_held";      ///< a sum of floats, see Waits

  Frame();

  /// One line: statements with their semicolons.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(indent_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  /// A register that nothing else has.
  [[nodiscard]] std::string new_predicate() { return fmt::format("w_p{}", predicates_++); }
  [[nodiscard]] std::string new_word() { return fmt::format("w_r{}", words_++); }
  [[nodiscard]] std::string new_pair() { return fmt::format("w_d{}", pairs_++); }

  /// 32 random bits in a register, other ones for each thread and each time.
  [[nodiscard]] std::string input();
  /// An argument of 64 bits.
  [[nodiscard]] std::string argument_at(int offset);

  /// Lets that wait for a 32-bit register. First and last differ in the operation, or ptxas would merge the one before
  /// the window into the one inside it.
  void observe(Waits what, std::string_view reg);

  void open();
  void close();
  /// The low half of the closing clock.
  [[nodiscard]] std::string closed();

  /// Passes through the window: the first warms the instruction cache, the last is what is recorded.
  void begin_passes();
  void end_passes();
  /// A loop of `trips`, at least two, inside the window.
  void begin_trips();
  void end_trips(int trips);

  /// Stores the readings, and whatever the clock waited for if that is an unlikely number.
  void report();

  /// The kernel, with `globals` before it and performance directives (".maxntid 1024, 1, 1"); kernel_mark is where its
  /// name belongs.
  [[nodiscard]] std::string kernel(std::string_view globals, std::string_view directives = "") const;

 private:
  std::string text_;
  std::size_t indent_ = 2;
  int predicates_ = 0, words_ = 0, pairs_ = 0, inputs_ = 0;
  std::string trip_;
};

}  // namespace warpclock
