#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <initializer_list>
#include <map>
#include <string>

#include "base/error.hpp"
#include "compile/cache.hpp"
#include "compose/hole.hpp"
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

}  // namespace warpclock
