#pragma once

#include <vector>

#include "base/random.hpp"
#include "predict/program/dram_times.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// What a warp asks of DRAM until the first of it has come.
struct DramBurst {
  double until = 0;  ///< when the first has come
  double lines = 0;
  bool far = false;  ///< whether one of these is in the far half of L2
  double late = 0;   ///< how late the last of them comes
};

/// What DRAM answers alike, as numbers; 0: not known, so with nothing else.
struct DramPlace {
  std::uint64_t half = 0, late = 0;
};

/// The units of an SM and its part of the paths to L2 and DRAM, as a simulation goes on. Times are in cycles.
class PathState {
 public:
  explicit PathState(const Program& program)
      : shared_(program.memory),
        held_(program.memory.held_before),
        free_(program.units.size(), 0),
        read_(program.units.size(), 0),
        busy_(program.units.size(), 0),
        operands_(program.operands) {}

  /// When a unit that is asked at `from` begins. `writes`: see ProgramStep; `lent`: see PathCost.
  double take(int unit, double from, double busy, bool writes = false, double lent = 0);
  /// When a multiply is done that issues now, begins at `from`, takes `busy` cycles of its own pipe, and reads its
  /// operands in so many turns of Program::operands, those of its group: spread over these cycles, and in turns with
  /// what waits to read there.
  double multiply(double now, double from, double busy, double turns);
  /// When a path begins to move the bytes of an access that was issued at `now` and comes to it at `from`, `times` as
  /// many as the step says; of a load from DRAM that waits as others do not (DramWait), when it has been answered.
  double pass(const PathStep& path, double from, double now, double times, DramBurst& burst,
              const DramPlace& place = {});
  /// When the last store has left.
  [[nodiscard]] double drained() const { return drained_; }
  /// When L2 has done the last atomic access.
  [[nodiscard]] double reduced() const { return reduced_; }
  [[nodiscard]] double held() const { return held_; }  ///< bytes that are to be written back
  [[nodiscard]] std::vector<double> busy() const;      ///< of each unit, so far

 private:
  [[nodiscard]] double waiting(int unit, double fullest, double now) const;
  double turned(const PathCost& cost, double from);
  double answered(const PathCost& cost, double from, double begun, double wait, double now, DramBurst& burst,
                  const DramPlace& place);
  /// Between 0 and 1, in each simulation the same ones, and the same one for each place that is not 0.
  double drawn(std::uint64_t place);
  void forget(double before);
  void hold(int unit, double until);  ///< it begins nothing before
  /// When the unit of operands has served what begins at `from`, beside what is reserved.
  double served(double from, double busy);

  const MemoryShared& shared_;
  double held_ = 0;  ///< bytes in L2 that are to be written back
  double drained_ = 0, reduced_ = 0;
  std::vector<double> free_, read_, busy_;  ///< read_: free_ but for what it has to write
  int operands_ = -1;                       ///< Program::operands
  double written_ = 0, operated_ = 0;       ///< its turns for writes and for multiplies, which go on at once
  struct Reserved {
    double from = 0, until = 0;
    double part = 0;  ///< of the unit's turns
  };
  std::vector<Reserved> reserved_;  ///< for multiplies that are not over
  struct {
    double bytes = 0, until = 0;
  } reads_;                 ///< from DRAM: bytes read since it was idle, and until when
  double dram_writes_ = 0;  ///< cycles in which DRAM wrote
  SplitMix64 dice_{0};
};

}  // namespace warpclock
