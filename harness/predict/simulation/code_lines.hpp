#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "predict/program/fetch_cost.hpp"

namespace warpclock {

/// The lines of machine code that an SM has, and when. They are fetched one after the other, from the line on to which
/// a warp has come and which was not there, and go on while warps wait; the line that was used longest ago makes room.
/// What no warp has come to yet takes no room from lines that were used since then: a loop that fits stays. The next
/// cache is taken to have the code of a launch before, if it has room for all of it; else, or if other code has taken
/// its place, it has what this launch has fetched.
class CodeLines {
 public:
  CodeLines(const FetchCost& cost, std::size_t instructions);

  /// When an instruction is there that a warp comes to at `now`; not before that of an earlier call.
  [[nodiscard]] double ready(std::size_t index, double now);

 private:
  struct Line {
    double there = -1;       ///< below 0: it is not
    bool known = false;      ///< whether the next cache has it
    std::uint64_t used = 0;  ///< the time of its last use
  };
  [[nodiscard]] bool is_full() const { return static_cast<double>(held_.size()) >= room_; }
  [[nodiscard]] std::vector<std::size_t>::iterator oldest();
  void fetch(std::size_t place, double begin, double takes);

  std::vector<Line> lines_;
  std::vector<std::size_t> held_;
  double of_line_, room_;                ///< cycles to fetch the next line; lines that are held at most
  double known_jump_, far_jump_;         ///< to fetch another one; 0: as the next
  std::uint64_t uses_ = 0, missed_ = 0;  ///< the latter: when a warp last came to a line that was not there
  std::size_t next_ = 0;                 ///< that is fetched
  bool waits_ = false;                   ///< whether it is not, until a warp misses another one
  double free_ = 0;                      ///< when the last fetch ends
};

}  // namespace warpclock
