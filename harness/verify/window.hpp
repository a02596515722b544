#pragma once

#include <cstddef>
#include <vector>

#include "code/listing.hpp"
#include "plan/probe.hpp"
#include "verify/chain.hpp"

namespace warpclock {

/// A stall count holds at most 15. ptxas continues a longer wait with no-operations after the instruction: in pieces of
/// 11 for sm_80 (HMMA 11, then 11 and 2), of 15 from sm_90 on (HMMA 15, then 9). Source: its output for every mma
/// shape.
inline constexpr int saturated_stall = 11;

/// Indices of the instructions that read SR_CLOCKLO or SR_CLOCKHI.
[[nodiscard]] std::vector<std::size_t> clock_reads(const Listing& listing);

/// NOP, and its form on sm_80: `@!UPT UIADD3 URZ, URZ, URZ, URZ`.
[[nodiscard]] bool is_no_operation(const Instruction& instruction);

/// An exclusive or, by which probe.cuh's wait() reads a result.
[[nodiscard]] bool is_exclusive_or(const Instruction& instruction);

/// The instructions open < i < close, each with its role in the measurement. Keeps a reference to the listing.
class Window {
 public:
  Window(const Listing& listing, std::size_t open, std::size_t close, const Expectation& expect);

  std::size_t open, close;
  std::vector<bool> target;    ///< per slot (index - open - 1): the measured opcode
  std::vector<bool> measured;  ///< a target, or an opcode that the probe requires in addition to it
  DefUse uses;

  [[nodiscard]] auto begin() const { return code_.begin() + static_cast<std::ptrdiff_t>(open) + 1; }
  [[nodiscard]] auto end() const { return code_.begin() + static_cast<std::ptrdiff_t>(close); }
  [[nodiscard]] bool holds(std::size_t index) const { return index > open && index < close; }
  [[nodiscard]] bool measured_at(std::size_t index) const { return holds(index) && measured[index - open - 1]; }

  /// Index of the last measured instruction; `open` if there is none.
  [[nodiscard]] std::size_t last_measured() const { return last_measured_; }

  /// Whether it is a no-operation that continues the stall count of the instruction before it.
  [[nodiscard]] bool is_padding(std::size_t index) const;

  /// Whether it is the exclusive or, after the last measured instruction, by which probe.cuh's wait() reads a result of
  /// the window.
  [[nodiscard]] bool is_consumer(std::size_t index) const { return consumer_[index - open - 1]; }

 private:
  void find_consumers();

  const std::vector<Instruction>& code_;
  std::size_t last_measured_ = 0;
  std::vector<bool> consumer_;
};

}  // namespace warpclock
