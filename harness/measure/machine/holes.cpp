#include "measure/machine/holes.hpp"

#include <cstddef>
#include <utility>

#include "compose/hole_source.hpp"

namespace warpclock {
namespace {

/// Where later passes of long code are timed, a hole must not be longer than what a cache holds: they run all of it.
std::string source_of(HoleKind kind) {
  // The driver takes as long for kernels of an image that are not run; the windows of most jobs fill fewer than 16.
  constexpr std::size_t room = 128, operand_room = 96, kernels = 16, few_kernels = 4, long_room = 1536,
                        long_kernels = 8, longest_room = 8192, middle_room = 256, middle_kernels = 6,
                        longest_kernels = 2;
  switch (kind) {
    case HoleKind::Usual:
      return hole_source(room, kernels);
    case HoleKind::Few:
      return hole_source(room, few_kernels);
    case HoleKind::Operands:
      return hole_source(operand_room, few_kernels, HoleUse::Operands);
    case HoleKind::WarpGroup:
      return hole_source(room, kernels, HoleUse::WarpGroup);
    case HoleKind::Middle:
      return hole_source(middle_room, middle_kernels);
    case HoleKind::Long:
      return hole_source(long_room, long_kernels);
    case HoleKind::LongWarpGroup:
      return hole_source(long_room, long_kernels, HoleUse::WarpGroup);
    case HoleKind::Longest:
      return hole_source(longest_room, longest_kernels);
  }
  std::unreachable();
}

}  // namespace

Holes::Holes(Arch arch, std::string nvdisasm, const std::string& cache_dir)
    : arch_(arch), nvdisasm_(std::move(nvdisasm)), cache_(Cache::open(cache_dir)) {}

void Holes::prepare(std::initializer_list<HoleKind> kinds) {
  for (const HoleKind kind : kinds) {
    if (made_.contains(kind)) continue;
    made_[kind] = std::async(std::launch::async, [this, kind] {
                    return make_hole(arch_, nvdisasm_, source_of(kind), &cache_);
                  }).share();
  }
}

Expected<std::reference_wrapper<const Hole>> Holes::get(HoleKind kind) {
  prepare({kind});
  const Expected<Hole>& made = made_.at(kind).get();
  if (!made) return std::unexpected(made.error());
  return std::cref(*made);
}

}  // namespace warpclock
