#include "code/pipe.hpp"

#include <algorithm>
#include <vector>

namespace warpclock {
namespace {

struct Family {
  std::string_view pipe;
  std::vector<std::string_view> opcodes;
};

// Opcodes without their modifiers, by pipe. The source is reports/nvidia-h200/instructions.json. For an opcode that
// forms rows alone, it is the pipe that executed most of it. B2R, HFMA2.MMA and VIADD occur only in rows of several
// instructions, which leave no other choice. BRA, BSSY, BSYNC, CALL, RET, LDGDEPBAR, LDGSTS, *GMMA, OMMA, QMMA, RED,
// S2UR, SU*, TEX and similar opcodes are in no such row; their names decide. Opcodes that are not listed ran on alu, or
// on uniform if the name begins with U.
const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"adu", {"B2R", "BAR", "LDC", "MATCH", "PREEXIT", "REDUX", "S2R", "S2UR", "SYNCS"}},
      {"cbu", {"BRA", "BSSY", "BSYNC", "CALL", "NANOSLEEP", "RET"}},
      {"fma", {"FADD", "FFMA", "FMUL", "HADD2", "HFMA2", "HMUL2", "IDP", "IMAD", "VIADD"}},
      {"fp64", {"DADD", "DFMA", "DMUL", "DSETP"}},
      {"lsu", {"ATOM",   "ATOMG", "ATOMS", "CCTL", "CCTLL", "LD",   "LDG", "LDGDEPBAR", "LDGSTS", "LDL", "LDS", "LDSM",
               "MEMBAR", "MOVM",  "QSPC",  "RED",  "REDG",  "SHFL", "ST",  "STG",       "STL",    "STS", "STSM"}},
      {"tensor", {"BGMMA", "BMMA", "DMMA", "HGMMA", "HMMA", "IGMMA", "IMMA", "OMMA", "QGMMA", "QMMA"}},
      {"tex", {"SULD", "SURED", "SUST", "TEX", "TLD", "TLD4", "TXD", "TXQ"}},
      {"xu", {"BREV", "F2F", "F2I", "FLO", "FRND", "I2F", "MUFU", "POPC"}},
  };
  return all;
}

}  // namespace

std::string_view pipe_of(std::string_view opcode) {
  // The tensor cores execute HFMA2.MMA; HFMA2 without .MMA runs on another pipe.
  if (opcode.starts_with("HFMA2.MMA")) return "tensor";
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  for (const Family& family : families()) {
    if (std::ranges::find(family.opcodes, name) != family.opcodes.end()) return family.pipe;
  }
  return name.starts_with('U') ? "uniform" : "alu";
}

}  // namespace warpclock
