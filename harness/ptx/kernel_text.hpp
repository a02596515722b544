#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpclock {

/// Text of a generated probe: PTX in one asm statement, because what the optimizer in front of ptxas does with a kernel
/// of a hundred statements takes as long as ptxas, and is for nothing. What probes/probe.cuh is to a probe that was
/// written by hand is here in PTX: the same arguments, clock reads, waits and report.
///
/// Its registers: w_tid, w_ntid, w_zero, w_passes, w_data of the launch and its arguments; w_v0 to w_v3 (32 bits) and
/// w_place (64 bits) for what a few lines need.
class KernelText {
 public:
  KernelText();

  /// A line of PTX.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    statement(fmt::format(format, std::forward<Args>(args)...));
  }
  void statement(std::string_view ptx);
  void directive(std::string_view text);                    ///< for the preprocessor, a line of its own
  void global(std::string_view text) { globals_ += text; }  ///< C++ before the kernel
  void argument(std::string_view reg, int bits, std::string_view expression);  ///< reg = a C++ expression
  void repeat(std::string_view times, std::string_view statements);            ///< as often as an expression of N says

  /// Loads the next word of this thread's input into a 32-bit register: no compiler can take it for uniform or
  /// constant.
  void input(std::string_view reg);

  /// Makes an instruction read a 32- or 64-bit register before the window opens, or before it closes. They differ in
  /// the operation, or ptxas would merge one with the other.
  void ready(std::string_view reg, int bits = 32) { read("add.u32", reg, bits); }
  void wait(std::string_view reg, int bits = 32) { read("xor.b32", reg, bits); }

  void open() { statement("mov.u64 w_opened, %clock64;"); }
  void close() { statement("mov.u64 w_closed, %clock64;"); }

  /// What stands between them is passed through as often as `args.passes` says, and once at least: around a loop that
  /// may be left out, sm_120 reads the opening clock into the uniform datapath.
  void begin_passes();
  void end_passes();

  [[nodiscard]] std::string finish();  ///< stores the clock readings; the whole file

 private:
  void read(std::string_view operation, std::string_view reg, int bits);

  std::string globals_, text_;
  std::vector<std::string> arguments_;
  int inputs_ = 0;
};

}  // namespace warpclock
