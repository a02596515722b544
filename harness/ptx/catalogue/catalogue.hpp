#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/probe.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// One instruction of the catalogue: a template of configs/instructions/<family>.yaml with the words of its sweep
/// filled in.
struct CatalogueEntry {
  std::string id;      ///< "fp32/fma.rn.f32"; with choices "integer/mul.lo.s32[b=imm:3]"
  std::string family;  ///< "fp32"
  std::string ptx;     ///< "fma.rn.f32 {d}, {a}, {b}, {c}"
  PtxInstruction instruction;
  Needs needs;        ///< architectures that have it
  std::string place;  ///< file:line:column of its template
};

struct LeftOut {
  std::string what, why;
};

struct Catalogue {
  std::vector<CatalogueEntry> entries;  ///< ids are unique
  std::vector<LeftOut> left_out;        ///< parts of the ISA that it does not cover, and why
};

/// Reads every config below instructions/ (path -> text) except the guide's, including opcodes.yaml. The texts are
/// foreign input: error "config" at "file:line:column", also if a template expands to something that describe()
/// rejects.
[[nodiscard]] Expected<Catalogue> load_catalogue(const std::map<std::string, std::string>& configs);

}  // namespace warpclock
