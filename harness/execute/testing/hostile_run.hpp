#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/testing/hostile_listing.hpp"
#include "execute/execute.hpp"
#include "execute/profile.hpp"

namespace warpclock::testing {

/// Forms that are executed, with operands at the ends of what they may name, or missing.
inline constexpr auto executed_forms = std::to_array<std::string_view>({"IADD3 R0, P0, P1, R254, -R0, R1",
                                                                        "IADD3.X R254, RZ, ~R1, RZ, P0, !PT",
                                                                        "IADD3",
                                                                        "IADD3 R0",
                                                                        "IMAD.X R0, R1, R2",
                                                                        "IMAD.WIDE R254, R1, R2, R254",
                                                                        "IMAD.HI.U32 R0, R1, R2, R254",
                                                                        "LEA R0, P0, R1, R2, 0xffffffff",
                                                                        "LEA.HI.X.SX32 R0, R1, R2, 0x1f, P0",
                                                                        "LEA.HI R0, R1",
                                                                        "SHF.L.U64.HI R0, R1, R2, R3",
                                                                        "SHF.R.S64 R0, R1, 0x7f, R2",
                                                                        "LOP3.LUT P0, R0, R1, R2, R3, 0x1ff, !PT",
                                                                        "LOP3.LUT R0, R1, R2",
                                                                        "PLOP3.LUT P0, P1, P0, P1, PT, 0xfe, 0x1",
                                                                        "PRMT R0, R1, R2, R3",
                                                                        "SGXT R0, R1, R2",
                                                                        "BMSK R0, R1, R2",
                                                                        "FLO.U32.SH R0, R1",
                                                                        "SEL R0, R1, R2, P0",
                                                                        "ISETP.GE.U32.AND.EX P0, P1, R0, R1, PT, P0",
                                                                        "ISETP.GE.AND.EX P0, PT, R0, R1, PT",
                                                                        "SHFL.IDX P0, R0, R1, R2, R3",
                                                                        "VOTE.ALL R0, P0, P1",
                                                                        "MATCH.ALL P0, R0, R1",
                                                                        "REDUX.SUM UR4, R0",
                                                                        "F2I.U64.TRUNC R254, R0",
                                                                        "I2F.U64.RP R0, R254",
                                                                        "DADD R254, R254, R253",
                                                                        "DSETP.GT.AND P0, PT, R254, R0, PT",
                                                                        "HFMA2.MMA R0, -RZ, RZ, 1e300, -inf",
                                                                        "HADD2.F32 R0, -RZ, |R1|.H1_H1",
                                                                        "FMUL R0, R1, 1e39",
                                                                        "P2R R0, PR, R1, 0xffffffff",
                                                                        "R2P PR, R0, 0x7f",
                                                                        "LDC R0, c[0x0][R1+0x210]",
                                                                        "LDC.64 R254, c[0x0][0xfffc]",
                                                                        "LDC R0, c[0x0][0x210]",
                                                                        "LDC.64 R2, c[0x0][0x210]",
                                                                        "ULDC.64 UR4, c[0x0][0x218]",
                                                                        "LDL.128 R252, [R1+-0x10]",
                                                                        "STL.64 [R1], R254",
                                                                        "LD.E R0, [R2.64]",
                                                                        "ATOMG.E.CAS.STRONG.GPU PT, R3, [R2], R2, R3",
                                                                        "ATOMS.ADD RZ, [R6+UR4], R2",
                                                                        "ATOMS.POPC.INC.32 RZ, [R6]",
                                                                        "ATOMG.E.ADD.F32 PT, R0, desc[UR4][R2.64], R1",
                                                                        "STS.U8 [R6+0x400], R0",
                                                                        "LDS.S16 R0, [UR4]",
                                                                        "LDSM.16.MT88.4 R252, [R6+0x400]",
                                                                        "STSM.16.M88.4 [R6+0x400], R252",
                                                                        "BSSY B15, `(.L_{})",
                                                                        "BSSY B99, `(.L_{})",
                                                                        "BSYNC B15",
                                                                        "@P0 BREAK B0",
                                                                        "BREAK !P1, B0",
                                                                        "BMOV.32.CLEAR R0, B0",
                                                                        "WARPSYNC R0",
                                                                        "WARPSYNC.ALL",
                                                                        "WARPSYNC.COLLECTIVE R0, `(.L_{})",
                                                                        "BAR.RED.POPC.DEFER_BLOCKING 0x0, P0",
                                                                        "B2R.RESULT R0, P0",
                                                                        "BAR.SYNC.DEFER_BLOCKING R0, R1",
                                                                        "RET.REL.NODEC R2 `(k)",
                                                                        "EXIT",
                                                                        "MOV R2, 0x10",
                                                                        "MOV R3, 0x100",
                                                                        "S2R R6, SR_TID.X",
                                                                        "S2UR UR4, SR_CgaCtaId",
                                                                        "ELECT P0, UR4, P1",
                                                                        "UIADD3.64 UR254, UR4, UR253, URZ",
                                                                        "[",
                                                                        "c[",
                                                                        "IADD3 R0, [, ], |",
                                                                        "MOV R0, c[0x0",
                                                                        "MOV R0, -|",
                                                                        "LDG.E R0, desc[UR4][R2.64+0x8000000000000000]",
                                                                        "UTMALDG.2D [UR8], [UR4]",
                                                                        "UTMALDG.2D [UR8]",
                                                                        "UTMASTG.5D UR4",
                                                                        "VIADDMNMX R0, R1, R2, R3, PT"});

inline const std::vector<std::string_view>& hostile_forms() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> forms(hostile_pool.begin(), hostile_pool.end());
    forms.insert(forms.end(), executed_forms.begin(), executed_forms.end());
    return forms;
  }();
  return all;
}

/// Executes any bytes as a launch and as the instructions of a kernel. Returns what is wrong with the outcome.
inline std::string hostile_run(std::string_view input) {
  HostileBytes bytes(input);
  LoadedKernel kernel;
  kernel.facts.parameters = {{0, 8}, {8, 8}, {16, 4}};
  kernel.facts.shared_bytes = std::int64_t{64} * bytes.next();
  kernel.facts.cluster_blocks = bytes.next() % 3;
  const std::uint32_t threads = 1U + bytes.next();
  const std::uint8_t given = bytes.next(), how = bytes.next();
  std::vector<GivenArgument> arguments;
  if ((given & 1U) != 0) arguments.push_back({0, {.bytes = 4096, .type = CallType::U32, .fill = CallFill::Iota}});
  if ((given & 2U) != 0) arguments.push_back({1, {.bytes = 1 << 16, .type = CallType::U8}, false});
  if ((given & 4U) != 0) arguments.push_back({2, {.type = CallType::I32, .value = 7}});
  auto listings = parse_listings(hostile_listing(bytes, hostile_forms()));
  if (!listings || listings->empty()) return "";
  kernel.listing = listings->front();
  const auto launch = executed_launch(kernel.facts, "sm_90a", {3, 1, 1}, {threads, 1, 1}, 0, arguments);
  if (!launch) return launch.error().text.empty() ? "an error of the launch without a text" : "";
  const CodeProgram program = code_program(kernel, *launch, static_cast<Follow>(how % 3));
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  Profile profile(kernel, graph);
  constexpr std::array<std::uint64_t, 2> blocks = {0, 2};
  constexpr std::uint64_t limit = 20'000;
  const auto done = execute(kernel, *launch, program, blocks, profile, {limit});
  if (!done && done.error().text.empty()) return "an error without a text";
  std::uint64_t executed = 0;
  for (const InstructionProfile& one : profile.instructions()) executed += one.executed;
  // The last straight run may go beyond the limit.
  if (executed > limit + 2 * kernel.listing.instructions.size()) return "more instructions than the limit";
  return "";
}

}  // namespace warpclock::testing
