#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpclock::testing {

/// Instructions of any kind; `{}` is a label.
inline constexpr std::array<std::string_view, 53> hostile_pool = {"BRA `(.L_{})",
                                                                  "@P0 BRA `(.L_{})",
                                                                  "@!P1 BRA `(.L_{})",
                                                                  "BRA.U UP0, `(.L_{})",
                                                                  "BRA.DIV UR4, `(.L_{})",
                                                                  "MEMBAR.ALL.GPU",
                                                                  "MEMBAR",
                                                                  "BRX R2 -0x10",
                                                                  "CALL.REL.NOINC `(.L_{})",
                                                                  "RET.REL.NODEC R2 `(.L_{})",
                                                                  "BSSY B0, `(.L_{})",
                                                                  "BSYNC B0",
                                                                  "WARPSYNC 0xffffffff",
                                                                  "EXIT",
                                                                  "@P0 EXIT",
                                                                  "@!PT EXIT",
                                                                  "BAR.SYNC.DEFER_BLOCKING 0x0",
                                                                  "BAR.ARV 0x1, 0x40",
                                                                  "LDG.E R4, desc[UR4][R2.64]",
                                                                  "LDG.E.128 R4, desc[UR4][R2.64+-0x7fffff]",
                                                                  "STG.E desc[UR4][R2.64], R4",
                                                                  "LDS R8, [R6+0xffffffff]",
                                                                  "LDSM.16.M88.4 R8, [R6]",
                                                                  "STS.128 [R6], R8",
                                                                  "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]",
                                                                  "LDGDEPBAR",
                                                                  "DEPBAR.LE SB0, 0x7fffffff",
                                                                  "DEPBAR.LE SB5, 0x0",
                                                                  "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R2",
                                                                  "SYNCS.PHASECHK.TRANS64 P1, [R2+URZ+0x8], R0",
                                                                  "SYNCS.EXCH.64 URZ, [UR4], UR5",
                                                                  "SYNCS.ARRIVE.TRANS64 RZ, [UR4], R0",
                                                                  "@P0 SYNCS.ARRIVE.TRANS64.ART0 RZ, [R0+URZ], R0",
                                                                  "UMOV UR4, 0x400",
                                                                  "UMOV UR5, 0x1ffffe",
                                                                  "ELECT P0, URZ, PT",
                                                                  "BAR.SYNC.DEFER_BLOCKING R0, 0x40",
                                                                  "UTMALDG.2D [UR3], [UR8]",
                                                                  "WARPGROUP.DEPBAR.LE gsb0, 0x1",
                                                                  "UBLKCP.S.G [UR3], [UR6], UR4",
                                                                  "HGMMA.64x256x16.F32 R24, gdesc[UR8], R24, gsb0",
                                                                  "HMMA.16816.F32 R4, R8, R12, R4",
                                                                  "IMAD.WIDE R2, R4, 0x4, R2",
                                                                  "IMAD.WIDE.U32 R2, R4, R4, RZ",
                                                                  "FFMA R7, R9, R7, R10",
                                                                  "DFMA R8, R8, R8, R8",
                                                                  "HFMA2.MMA R4, R4, R4, R4",
                                                                  "S2R R0, SR_TID.X",
                                                                  "ISETP.GE.AND P0, PT, R0, 0x7fffffff, PT",
                                                                  "IADD3 R0, R0, 0x1, RZ",
                                                                  "MOV R0, 0x80000000",
                                                                  "CS2R R2, SR_CLOCKLO",
                                                                  "UNHEARD.OF R0, R1, c[0x0][0x160]"};

/// Reads bytes, and 0 at their end.
class HostileBytes {
 public:
  explicit HostileBytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t next() { return at_ < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at_++]) : std::uint8_t{0}; }
  [[nodiscard]] bool left() const { return at_ < bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// What nvdisasm would print of any code: four bytes say an instruction, its jump target and its control fields.
inline std::string hostile_listing(HostileBytes& bytes, std::span<const std::string_view> pool = hostile_pool) {
  constexpr std::size_t most = 400;
  std::string text = "\t.target\tsm_90a\n\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
  std::array<std::uint8_t, 4 * most> all{};
  std::size_t size = 0;
  for (; size < most && bytes.left(); ++size) {
    for (std::size_t i = 0; i < 4; ++i) all[4 * size + i] = bytes.next();
  }
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint8_t* const one = &all[4 * i];
    const std::string_view form = pool[one[0] % pool.size()];
    const std::size_t hole = form.find("{}");
    std::string code(form.substr(0, hole));
    if (hole != form.npos) code += std::to_string(one[1] % size) + std::string(form.substr(hole + 2));
    const std::uint64_t control = (static_cast<std::uint64_t>(one[2]) << 8 | one[3]) << 41 | std::uint64_t{one[1]}
                                                                                                 << 52;
    text += fmt::format(".L_{}:\n        /*{:04x}*/ {} ; /* {:#018x} */\n                 /* {:#018x} */\n", i, 16 * i,
                        code, i, control & ~(1ULL << 63));
  }
  return text;
}

}  // namespace warpclock::testing
