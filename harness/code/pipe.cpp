#include "code/pipe.hpp"

#include <algorithm>
#include <vector>

namespace warpclock {
namespace {

struct Family {
  std::string_view pipe;
  std::vector<std::string_view> opcodes;
};

// Opcodes without their modifiers, from reports/nvidia-h200/instructions.json: of rows that become one such instruction
// the pipe that most of it was on, and for B2R, HFMA2.MMA and VIADD what rows with several of them leave no other
// choice. BRA, BSSY, BSYNC, CALL, RET, LDGDEPBAR, LDGSTS, QMMA, RED, SU*, and TEX and its like are in no such row and
// stand where their names put them. What is not listed was on alu, and where its name begins with U on uniform.
const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"adu", {"B2R", "BAR", "LDC", "MATCH", "PREEXIT", "S2R", "SYNCS"}},
      {"cbu", {"BRA", "BSSY", "BSYNC", "CALL", "NANOSLEEP", "RET"}},
      {"fma", {"FADD", "FFMA", "FMUL", "HADD2", "HFMA2", "HMUL2", "IDP", "IMAD", "VIADD"}},
      {"fp64", {"DADD", "DFMA", "DMUL", "DSETP"}},
      {"lsu", {"ATOM",   "ATOMG", "ATOMS", "CCTL", "CCTLL", "LD",   "LDG", "LDGDEPBAR", "LDGSTS", "LDL", "LDS", "LDSM",
               "MEMBAR", "MOVM",  "QSPC",  "RED",  "REDG",  "SHFL", "ST",  "STG",       "STL",    "STS", "STSM"}},
      {"tensor", {"BMMA", "DMMA", "HMMA", "IMMA", "QMMA"}},
      {"tex", {"SULD", "SURED", "SUST", "TEX", "TLD", "TLD4", "TXD", "TXQ"}},
      {"xu", {"BREV", "F2F", "F2I", "FLO", "FRND", "I2F", "MUFU", "POPC"}},
  };
  return all;
}

}  // namespace

std::string_view pipe_of(std::string_view opcode) {
  // The tensor cores multiply these, and HFMA2 the others.
  if (opcode.starts_with("HFMA2.MMA")) return "tensor";
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  for (const Family& family : families()) {
    if (std::ranges::find(family.opcodes, name) != family.opcodes.end()) return family.pipe;
  }
  return name.starts_with('U') ? "uniform" : "alu";
}

}  // namespace warpclock
