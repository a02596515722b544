#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "code/listing.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

struct AccessRow {
  std::string_view opcode, kind, memory;
};

// Mnemonics: CUDA Binary Utilities, "Instruction Set Reference".
constexpr AccessRow rows_by_opcode[] = {{"LDG", "load", "global"},
                                        {"LD", "load", "generic"},
                                        {"LDS", "load", "shared"},
                                        {"LDSM", "load", "shared"},
                                        {"LDL", "load", "local"},
                                        {"LDC", "load", "constant"},
                                        {"LDCU", "load", "constant"},
                                        {"ULDC", "load", "constant"},
                                        {"LDTM", "load", "tensor"},
                                        {"STG", "store", "global"},
                                        {"ST", "store", "generic"},
                                        {"STS", "store", "shared"},
                                        {"STSM", "store", "shared"},
                                        {"STL", "store", "local"},
                                        {"STAS", "store", "cluster"},
                                        {"STTM", "store", "tensor"},
                                        {"ATOM", "atomic", "generic"},
                                        {"ATOMG", "atomic", "global"},
                                        {"ATOMS", "atomic", "shared"},
                                        {"RED", "atomic", "global"},
                                        {"REDG", "atomic", "global"},
                                        {"REDAS", "atomic", "cluster"},
                                        {"SYNCS", "mbarrier", "shared"},
                                        {"LDGSTS", "copy", "global to shared"},
                                        {"UBLKCP", "copy", "bulk"},
                                        {"UBLKRED", "copy", "bulk"},
                                        {"UTMALDG", "copy", "tensor to shared"},
                                        {"UTMASTG", "copy", "shared to tensor"},
                                        {"UTMAREDG", "copy", "shared to tensor"},
                                        {"UTMALST", "copy", "tensor to shared"},
                                        {"UBLKPF", "prefetch", "bulk"},
                                        {"UTMAPF", "prefetch", "tensor"},
                                        {"CCTL", "cache control", "global"},
                                        {"CCTLL", "cache control", "local"},
                                        {"TEX", "load", "texture"},
                                        {"TLD", "load", "texture"},
                                        {"TLD4", "load", "texture"},
                                        {"SULD", "load", "surface"},
                                        {"SUST", "store", "surface"},
                                        {"SURED", "atomic", "surface"}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> hint_words = {
    {{"CONSTANT", "read-only path"},
     {"BYPASS", "past L1"},
     {"EF", "evict first"},
     {"EL", "evict last"},
     {"LU", "last use"},
     {"NA", "no allocation"},
     {"LTC64B", "L2 prefetch of 64 B"},
     {"LTC128B", "L2 prefetch of 128 B"},
     {"LTC256B", "L2 prefetch of 256 B"},
     {"STRONG", "strong"},
     {"GPU", "GPU scope"},
     {"SYS", "system scope"},
     {"CLUSTER", "cluster scope"},
     {"MULTICAST", "multicast"},
     {"ZFILL", "zero fill"},
     {"EU", "evict unchanged"}}};

/// LDSM.16.M88.4 moves 4 bytes of a lane for each matrix.
int matrix_bytes(const Instruction& instruction) {
  if (has_modifier(instruction, "4")) return 16;
  return has_modifier(instruction, "2") ? 8 : 4;
}

int bytes_of_lane(const Instruction& instruction, std::string_view kind) {
  // The first row that fits counts: ATOMG.E.ADD.F16x4.RN has several words.
  constexpr std::array<std::pair<std::string_view, int>, 17> widths = {{{"U8", 1},
                                                                        {"S8", 1},
                                                                        {"U16", 2},
                                                                        {"S16", 2},
                                                                        {"64", 8},
                                                                        {"128", 16},
                                                                        {"256", 32},
                                                                        {"S64", 8},
                                                                        {"F64", 8},
                                                                        {"F16x2", 4},
                                                                        {"F16x4", 8},
                                                                        {"F16x8", 16},
                                                                        {"BF16x4", 8},
                                                                        {"BF16x8", 16},
                                                                        {"F32x2", 8},
                                                                        {"F32x4", 16},
                                                                        {"BF16x2", 4}}};
  if (instruction.opcode == "LDSM" || instruction.opcode == "STSM") return matrix_bytes(instruction);
  if (kind == "prefetch" || kind == "cache control" || kind == "mbarrier" || instruction.opcode.starts_with('T') ||
      instruction.opcode.starts_with("SU"))
    return 0;
  if (kind == "copy" && instruction.opcode != "LDGSTS") return 0;
  if (instruction.opcode.ends_with("TM")) return 0;
  for (const auto& [word, bytes] : widths) {
    if (has_modifier(instruction, word)) return bytes;
  }
  return 4;
}

/// UBLKCP.S.G copies to shared memory from global memory.
std::string bulk_direction(const std::string& from, const std::string& to) {
  const auto word = [](const std::string& letter) { return letter == "G" ? "global" : "shared"; };
  return std::string(word(from)) + " to " + word(to);
}

}  // namespace

std::optional<Access> access_of(const Instruction& instruction) {
  const auto* const row = std::ranges::find(rows_by_opcode, instruction.opcode, &AccessRow::opcode);
  if (row == std::end(rows_by_opcode)) return std::nullopt;
  Access access;
  access.instruction = instruction.name();
  access.kind = row->kind;
  access.memory = row->memory;
  access.bytes = bytes_of_lane(instruction, row->kind);
  access.count = 1;
  for (const auto& [word, hint] : hint_words) {
    if (has_modifier(instruction, word)) access.hints.emplace_back(hint);
  }
  if (instruction.opcode == "CCTL" &&
      std::ranges::any_of(instruction.modifiers, [](const std::string& word) { return word.starts_with("PF"); }))
    access.kind = "prefetch";
  if (instruction.opcode == "UBLKCP" && instruction.modifiers.size() >= 2)
    access.memory = bulk_direction(instruction.modifiers[1], instruction.modifiers[0]);
  return access;
}

}  // namespace warpclock
