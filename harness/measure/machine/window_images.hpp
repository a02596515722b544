#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/cache.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"
#include "measure/machine/machine_fit.hpp"
#include "measure/machine/machine_plan.hpp"
#include "plan/arch.hpp"

namespace warpclock {

enum class HoleKind : std::uint8_t {
  Usual,
  Few,            ///< as the usual one, with few kernels, of which ptxas is done sooner
  Operands,       ///< for windows whose results are compared (HoleUse::Operands)
  WarpGroup,      ///< with accumulators and descriptors
  Middle,         ///< for code that the nearest instruction cache of a sub-partition just holds
  Long,           ///< room for code that the instruction caches of an SM hold
  LongWarpGroup,  ///< both
  Longest,        ///< room for code that they do not hold
};

/// The holes of an architecture. Each is made once, when it is first wanted, and compiled ones are kept in a cache for
/// later processes: ptxas takes up to four seconds for one.
class Holes {
 public:
  /// `cache_dir` as in BuildOptions.
  Holes(Arch arch, std::string nvdisasm, const std::string& cache_dir);

  [[nodiscard]] const Arch& arch() const { return arch_; }
  [[nodiscard]] const std::string& nvdisasm() const { return nvdisasm_; }

  /// Begins to make these, each in a thread of its own.
  void prepare(std::initializer_list<HoleKind> kinds);

  /// The hole; it lives as long as this object. Errors: those of make_hole().
  [[nodiscard]] Expected<std::reference_wrapper<const Hole>> get(HoleKind kind);

 private:
  Arch arch_;
  std::string nvdisasm_;
  Cache cache_;
  std::map<HoleKind, std::shared_future<Expected<Hole>>> made_;
};

/// A job and the images that it runs.
struct WindowJob {
  Job job;
  std::vector<std::string> files;
};

void remove_images(WindowJob& ran);

/// The samples of a job's windows, in their order.
[[nodiscard]] std::vector<MachineSample> samples_of(std::span<const MachineWindow> windows, const Observation& seen);

/// Writes composed windows into the images of a hole, and has the disassembler read every word that it wrote while the
/// windows run. Jobs may be made in several threads.
class WindowImages {
 public:
  /// The images' paths begin with `prefix`. Both references must outlive this.
  WindowImages(const Holes& holes, const Hole& hole, std::string prefix)
      : holes_(holes), hole_(hole), prefix_(std::move(prefix)) {}

  [[nodiscard]] const Hole& hole() const { return hole_; }

  /// A job that runs these windows for a row, with one of the data each. Puts timed windows first. If the windows
  /// access global memory, timed ones visit several places in it. Errors: "io"; those of check_waits() and fill_hole().
  [[nodiscard]] Expected<WindowJob> job_for(std::size_t row, ComposedWindows& composed,
                                            std::span<const HoleValues> data, bool global);

  /// For each row that ran a word which the disassembler does not read as intended: what it reads instead.
  [[nodiscard]] std::map<std::size_t, std::string> misread_rows();

 private:
  struct Reading {
    std::vector<Word> words;
    std::future<std::vector<std::string>> misreadings;
  };

  void note(const Filling& filling, std::size_t row);
  void begin_to_read();

  const Holes& holes_;
  const Hole& hole_;
  std::string prefix_;
  std::mutex mutex_;                            ///< guards the next three
  std::map<Word, std::set<std::size_t>> rows_;  ///< that ran a word
  std::vector<PlacedWord> unread_;
  std::vector<Reading> readings_;
  std::atomic<std::size_t> images_ = 0;
};

}  // namespace warpclock
