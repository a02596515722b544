#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace warpclock {

/// Placeholder for the kernel's name in the text of a generated kernel; it does not occur in PTX.
inline constexpr std::string_view kernel_mark = "<kernel>";

/// The name of a kernel's only parameter.
[[nodiscard]] std::string kernel_parameter();

/// Byte offsets in the parameter, which is `Args` of probes/probe.cuh.
namespace argument {
inline constexpr int clocks = 0, data = 8, sink = 32, passes = 40, zero = 44, at = 48, places = 64, bytes = 256;
}  // namespace argument

/// What waits for a register: the first clock read, or the last one.
enum class Waits : std::uint8_t { First, Last };

/// The PTX around the timed code of a generated kernel: arguments, inputs, the two clock reads and what they wait for.
/// It corresponds to probes/probe.cuh for probes in CUDA C++. Its registers begin with `w_`.
class Frame {
 public:
  static constexpr std::string_view zero = "w_zero";      ///< 0, but the compiler does not know it
  static constexpr std::string_view thread = "w_thread";  ///< %tid.x

  Frame();

  /// Appends a line: statements with their semicolons.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(indent_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  /// Registers that are not used elsewhere.
  [[nodiscard]] std::string new_predicate() { return fmt::format("w_p{}", predicates_++); }
  [[nodiscard]] std::string new_word() { return fmt::format("w_r{}", words_++); }
  [[nodiscard]] std::string new_pair() { return fmt::format("w_d{}", pairs_++); }

  /// A register with 32 random bits, different for each thread and each call.
  [[nodiscard]] std::string input();
  /// A 64-bit field of the argument.
  [[nodiscard]] std::string argument_at(int offset);

  /// Makes `what` wait for a 32-bit register. First and Last use different operations; otherwise ptxas would merge the
  /// one before the window with the one inside it.
  void observe(Waits what, std::string_view reg);

  void open();
  void close();
  /// The low half of the closing clock reading.
  [[nodiscard]] std::string closed();

  /// Passes through the window: the first warms the instruction cache, the last is recorded.
  void begin_passes();
  enum class Loop : std::uint8_t {
    Same,
    ByThread
  };  ///< whether the counter is the same for all threads, as ptxas sees it
  void end_passes(Loop loop = Loop::Same);
  /// A loop inside the window with `trips` trips, at least two. Warps that drift apart lose up to a third of the rate
  /// of a shared pipe; a barrier in each trip keeps them in step, and a slope over the copies in a trip leaves it out.
  enum class Warps : std::uint8_t { Free, InStep };
  void begin_trips(int trips, Warps warps);
  void end_trips();

  /// Stores the readings, and the value that the clock waited for if it equals an unlikely number.
  void report();

  /// The kernel, with `globals` before it and with performance directives (".maxntid 1024, 1, 1"). kernel_mark is
  /// written instead of its name.
  [[nodiscard]] std::string kernel(std::string_view globals, std::string_view directives = "") const;

 private:
  std::string text_;
  std::size_t indent_ = 2;
  int predicates_ = 0, words_ = 0, pairs_ = 0, inputs_ = 0;
  std::string trip_, more_;
};

/// Folds words into one for each thread, which goes to the kernel's places under the thread's number.
class Digest {
 public:
  explicit Digest(Frame& frame);

  /// Adds a register of 32 bits.
  void add(std::string_view word);
  void store();

 private:
  Frame& frame_;
  std::string fold_, places_;
};

/// Registers for what composed copies write, four in a row each. They hold random bits before the first pass.
class Quads {
 public:
  /// Declares and loads them: quad q of thread t is at 16 x (q x most_threads + t) bytes of the kernel's data.
  Quads(Frame& frame, int count);

  void observe();
  /// Stores them at a place in shared memory, one over the other.
  void show(const std::string& place);
  /// After the closing clock read: changes them, so that a copy of the next pass that reads too early does not find the
  /// right value of this pass.
  void spoil();
  /// After the last pass: stores a Digest of them.
  void fold(const std::string& place);

  [[nodiscard]] static std::string name(int quad, int k);

 private:
  [[nodiscard]] static std::string all_of(int quad);

  Frame& frame_;
  const int count_;
};

}  // namespace warpclock
