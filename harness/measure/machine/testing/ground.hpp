#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "code/nvdisasm.hpp"
#include "compose/hole.hpp"
#include "compose/hole_source.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "measure/machine/machine.hpp"
#include "measure/machine/machine_subject.hpp"
#include "plan/arch.hpp"

namespace warpclock {

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
  auto hole = make_hole(parsed, find_nvdisasm().value(), hole_source(hole_room, hole_kernels));
  EXPECT_TRUE(hole) << hole.error().text;
  if (hole) ground.hole = *std::move(hole);
  ground.wide = ground.hole;
  if (arch == "sm_90a") {
    hole = make_hole(parsed, find_nvdisasm().value(), hole_source(hole_room, hole_kernels, HoleUse::WarpGroup));
    EXPECT_TRUE(hole) << hole.error().text;
    if (hole) ground.wide = *std::move(hole);
  }
  return ground;
}

}  // namespace warpclock
