#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "code/listing.hpp"
#include "code/semantics.hpp"

namespace warpclock {

inline constexpr std::size_t vector_places = 256, predicate_places = 8;
inline constexpr std::size_t register_places = 2 * (vector_places + predicate_places);

/// Registers of all files.
using RegisterSet = std::bitset<register_places>;

[[nodiscard]] std::size_t place_of(Register reg);
[[nodiscard]] Register register_at(std::size_t place);
[[nodiscard]] RegisterSet set_of(std::span<const Register> registers);

/// The predicate under which an instruction executes.
struct Guard {
  Register reg;
  bool inverted = false;

  bool operator==(const Guard&) const = default;
};

/// What an instruction waits for before it issues.
struct Awaited {
  unsigned all = 0;  ///< scoreboards that must have fallen to zero, bit i = scoreboard i
  int counted = -1;  ///< a scoreboard that must have fallen to `left`
  std::size_t left = 0;
};

/// Of the wait mask, and of `DEPBAR.LE SB0, 0x1, {5,4}`: a scoreboard that falls to a count, and those in braces.
[[nodiscard]] Awaited awaited_by(const Instruction& instruction);

/// An instruction, as far as others depend on it.
struct IssuedUse {
  Effects effects;
  RegisterSet reads, writes;
  RegisterSet late_reads;  ///< of its sources, those that it may read after its issue
  Control control;
  Awaited awaited;
  std::optional<Guard> guard;
  std::string_view pipe;
  bool signals = false;  ///< a scoreboard must signal its results

  /// Whether its results come through a queue, in the order of the instructions on that pipe.
  [[nodiscard]] bool queues() const { return signals || control.write_barrier >= 0; }
};

/// Of an instruction that has no guard but that of its effects.
[[nodiscard]] IssuedUse use_of(Effects effects, const std::string& name, const Control& control);
/// Without `signals`. One under @!PT reads and writes nothing. Predicates are read at issue, and uniform registers by
/// all but instructions of the uniform datapath.
[[nodiscard]] IssuedUse use_of(const Instruction& instruction);

/// An instruction whose results may not be there yet, or whose sources may not have been read yet.
struct Work {
  std::size_t producer = 0;
  int elapsed = 0;               ///< the fewest cycles since its issue, up to Outstanding::settled()
  RegisterSet results, sources;  ///< those that no later instruction has overwritten
  unsigned result_boards = 0;    ///< a wait for any of these says that the results are there
  unsigned source_boards = 0;    ///< the same for sources that were read
  std::string_view queue;        ///< the pipe through whose queue its results come; empty if it has no such
  bool fixed = false;            ///< its results arrive after a number of cycles
  std::optional<Guard> guard;    ///< nothing also once that predicate was written again

  bool operator==(const Work&) const = default;
};

/// What is under way at one point of a kernel, over all paths that lead there. Scoreboards count: a wait clears all
/// that set one. Of several instructions on one pipe the last may set one for all, because their results come in order.
/// A path is taken as if nothing but stall counts delayed it.
class Outstanding {
 public:
  /// After `settled` cycles the results of a fixed latency are there.
  explicit Outstanding(int settled) : settled_(settled) {}

  /// Takes what the instruction waits for off. A wait does not see a scoreboard that was set less than
  /// least_scoreboard_distance cycles before.
  void wait(const Awaited& awaited);
  /// Adds the instruction, after wait(), and the cycles until the next one issues.
  void issue(std::size_t index, const IssuedUse& use, int cycles);

  [[nodiscard]] const std::vector<Work>& works() const { return works_; }
  [[nodiscard]] unsigned ever_set() const { return ever_set_; }  ///< scoreboards
  [[nodiscard]] unsigned just_set() const { return just_set_; }  ///< those that a wait here does not see yet
  [[nodiscard]] int settled() const { return settled_; }

  /// What holds on either path. Returns whether that is more than before.
  bool merge(const Outstanding& other);
  /// What can concern the threads that did not execute under this guard.
  void leave_out(const Guard& guard);
  void clear() { works_.clear(); }

 private:
  int settled_;
  std::vector<Work> works_;  ///< by their producer
  unsigned ever_set_ = 0, just_set_ = 0;
};

/// Whether no thread executes both.
[[nodiscard]] bool exclude_each_other(const Work& work, const IssuedUse& use);

}  // namespace warpclock
