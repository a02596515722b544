#include "verify/instruction/role.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpclock {

bool is_link_kind(const std::string& kind) {
  constexpr std::array<std::string_view, 9> exact{
      "move", "integer add", "integer add with carry", "LOP3", "LOP3 xor-and", "shift left", "select", "PRMT", "LEA"};
  constexpr std::array<std::string_view, 9> families{"ISETP", "SHF",  "P2R",  "R2P", "PLOP3",
                                                     "LEA",   "IMAD", "R2UR", "CS2R"};
  if (std::ranges::find(exact, kind) != exact.end()) return true;
  return std::ranges::any_of(families, [&](std::string_view family) { return kind.starts_with(family); });
}

bool needs_no_wait(const std::string& kind) {
  return is_link_kind(kind) || kind.starts_with("UMOV") || kind.starts_with("UR2UP") || kind.starts_with("UPLOP3");
}

bool is_loop_control(const std::string& kind) {
  constexpr std::array<std::string_view, 6> kinds{"BAR.SYNC", "BRA", "UIADD3", "UISETP", "UPLOP3", "VIADD"};
  return std::ranges::any_of(kinds, [&](std::string_view start) { return kind.starts_with(start); });
}

bool is_filler(const std::string& kind) {
  constexpr std::array<std::string_view, 5> frames{"BRA", "BSSY", "BSYNC", "BREAK", "WARPSYNC"};
  if (kind == "move" || kind == "half arithmetic") return true;
  return std::ranges::any_of(frames, [&](std::string_view frame) { return kind.starts_with(frame); });
}

bool is_preparation(const std::string& kind) {
  constexpr std::array<std::string_view, 9> kinds{"PRMT", "move", "UMOV", "ULDC", "LDC", "S2R", "S2UR", "R2UR", "SGXT"};
  return std::ranges::any_of(kinds, [&](std::string_view start) { return kind.starts_with(start); });
}

}  // namespace warpclock
