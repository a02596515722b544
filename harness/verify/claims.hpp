#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "code/listing.hpp"
#include "plan/probe.hpp"
#include "verify/rules.hpp"
#include "verify/window.hpp"

namespace warpclock {

/// Judges of the number of targets in a window; rules() says what each claims. They return a sentence that says what is
/// wrong, or nothing.
[[nodiscard]] std::optional<std::string> repetition(const Claim& claim);
[[nodiscard]] std::optional<std::string> all_links(const Claim& claim);
[[nodiscard]] std::optional<std::string> exact_count(const Claim& claim);

/// A sentence that names a jump that leaves or enters the window, or nothing if there is none. A declared loop may jump
/// inside the window, and a declared call returns.
[[nodiscard]] std::optional<std::string> why_not_straight(const Listing& listing, const Window& window,
                                                          const Expectation& expect);

/// A sentence that names a target that no loop of the window repeats, or nothing if there is none.
[[nodiscard]] std::optional<std::string> why_outside_of_loop(const Listing& listing, const Window& window);

/// A sentence that says why the closing read may issue before the measured work is done, or nothing if it cannot.
/// Close::Result: each result of a measured instruction is read or overwritten inside the window. The registers of one
/// result arrive together, so one of them is enough. Close::Memory: a memory wait, or a load whose result is read,
/// follows the last measured instruction. Close::Issue claims nothing.
[[nodiscard]] std::optional<std::string> why_open(const Listing& listing, const Window& window,
                                                  const Expectation& expect);

/// A sentence that says what empties L1 after the closing read and before a barrier of the block or cluster, if the
/// window loads through L1. Another warp may still be in its window then: its hits become misses.
[[nodiscard]] std::optional<std::string> why_empties_l1(const Listing& listing, const Window& window);

/// How many source registers are in each of the two banks of the register file, which hold the even and the odd
/// numbers. A register that is read twice counts twice; each register of a wider operand counts. Results, RZ, uniform
/// registers, predicates, constants and immediates do not count.
[[nodiscard]] std::array<int, 2> bank_reads(const Instruction& instruction);

/// The number of operands flagged `.reuse`, which the reuse cache is to keep.
[[nodiscard]] int reuse_flags(const Instruction& instruction);

/// A sentence that says why the targets read other registers than claimed, or nothing if they do not. In a loop it
/// refers to the static body.
[[nodiscard]] std::optional<std::string> why_other_operands(const Listing& listing, const Window& window,
                                                            const Expectation& expect);

/// Cycles that may be encoded beyond a claimed delay: a barrier, the load at the start of its chain, the reads of what
/// the window needs.
inline constexpr std::int64_t delay_slack = 80;

/// A sentence that names the opcode of `before` that is missing before the opening read, or that occurs before the last
/// occurrence of the opcode that it must follow. Nothing if the order is right.
[[nodiscard]] std::optional<std::string> why_out_of_order(const Listing& listing, std::size_t open,
                                                          const Expectation& expect);

/// A sentence that names an instruction, between an access that prepares the window and the opening read, that waits
/// for a scoreboard set before the access. Nothing if there is none. ptxas moves a wait for an earlier load behind a
/// prefetch and the delay after it.
[[nodiscard]] std::optional<std::string> why_late_wait(const Listing& listing, std::size_t open,
                                                       const Expectation& expect);

/// A sentence that says why the control fields from the access to the opening read do not encode the claimed delay, or
/// nothing if they do. A loop counts once.
[[nodiscard]] std::optional<std::string> why_other_delay(const Listing& listing, std::size_t open,
                                                         const Expectation& expect, const Parameters& parameters);

}  // namespace warpclock
