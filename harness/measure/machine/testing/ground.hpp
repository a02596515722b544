#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "compose/hole.hpp"
#include "compose/machine_subject.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "measure/machine/holes.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// A cache that the tests of a build share, because ptxas takes seconds for some holes.
inline std::string hole_cache() {
  return (std::filesystem::path(WARPCLOCK_PROGRAM).parent_path() / "test_cache").string();
}

/// What composing needs on one architecture.
struct Ground {
  FormTable table;
  Movers movers;
  Hole hole;
  Hole wide;  ///< for warp groups; the same on other architectures than sm_90a

  [[nodiscard]] const Hole& hole_for(const MachineSubject& subject) const { return subject.wide ? wide : hole; }
};

inline const Ground& ground_of(std::string_view arch) {
  static std::map<std::string, Ground, std::less<>> known;
  const auto at = known.find(arch);
  if (at != known.end()) return at->second;
  Ground& ground = known[std::string(arch)];
  const Arch parsed = parse_arch(std::string(arch)).value();
  ground.table = forms_of(parsed);
  ground.movers = movers_among(ground.table.all());
  Holes holes(parsed, find_nvdisasm().value(), hole_cache());
  ground.hole = must(holes.get(HoleKind::Usual));
  ground.wide = must(holes.get(arch == "sm_90a" ? HoleKind::WarpGroup : HoleKind::Usual));
  return ground;
}

}  // namespace warpclock
