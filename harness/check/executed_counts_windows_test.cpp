#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "check/study.hpp"
#include "code/semantics.hpp"
#include "code/toolkit.hpp"
#include "execute/bank_turns.hpp"
#include "execute/execute.hpp"
#include "execute/profile.hpp"
#include "model/measured.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

// What an H100 and an H200 counted of every kernel of configs/cases.yaml is what executing it on the CPU counts.

/// Warp instructions of a launch by the pipe whose counter counts them, and bytes that leave or come to the SMs.
struct Counts {
  std::map<std::string, double> pipes;
  double loaded_bytes = 0, stored_bytes = 0;
  bool spills = false;
};

/// The pipe whose counter sm__inst_executed_pipe_* counts an instruction, as all rows of both GPUs agree. None counts
/// jumps, waits, and what the uniform datapath moves, loads, or computes of 64 bits. The load-store unit also fences
/// and reads which thread it is.
std::string counted_pipe(const Instruction& instruction) {
  static const std::set<std::string> none = {"NOP", "EXIT",      "DEPBAR", "WARPSYNC", "YIELD", "ENDCOLLECTIVE",
                                             "BRA", "WARPGROUP", "ULDC",   "UMOV",     "VOTEU"};
  const std::string name = instruction.name();
  if (none.contains(instruction.opcode) || name.starts_with("UIMAD.WIDE") || name == "USHF.L.U64.HI") return "";
  if (instruction.opcode == "FENCE") return "lsu";
  if (instruction.opcode != "S2R") return std::string(pipe_of(name));
  const std::string& which = instruction.operands.at(1);
  return which.starts_with("SR_TID") || which == "SR_LANEID" ? "lsu" : "adu";
}

ExecutedLaunch launch_of(const KernelCase& one, const LoadedKernel& kernel) {
  std::vector<GivenArgument> arguments;
  for (std::size_t i = 0; i < one.call.arguments.size(); ++i)
    arguments.push_back({static_cast<int>(i), one.call.arguments[i]});
  std::array<std::uint32_t, 3> grid{}, block{};
  for (std::size_t i = 0; i < grid.size(); ++i)
    grid[i] = static_cast<std::uint32_t>(one.call.grid.at(i)),
    block[i] = static_cast<std::uint32_t>(one.call.block.at(i));
  return must(executed_launch(kernel.facts, kernel.listing.target, grid, block, one.call.shared_bytes, arguments));
}

/// Executes a case. Where the index of the block decides no jump, the first, the middle and the last block stand for
/// all; else sixteen do.
Expected<Counts> counts_of(const KernelCase& one, const LoadedKernel& kernel) {
  const ExecutedLaunch launch = launch_of(one, kernel);
  const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  Profile profile(kernel, graph);
  const std::uint64_t all = launch.blocks(), most = std::min<std::uint64_t>(all, program.path_by_block ? 16 : 3);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < most; ++i) blocks.push_back(most == 1 ? 0 : i * (all - 1) / (most - 1));
  WARPCLOCK_TRY(execute(kernel, launch, program, blocks, profile));
  const double scale = static_cast<double>(all) / static_cast<double>(most);
  Counts made;
  const auto counts = profile.instructions();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Instruction& instruction = kernel.listing.instructions[i];
    made.pipes[counted_pipe(instruction)] += scale * static_cast<double>(counts[i].executed);
    const double bytes = scale * sector_bytes * static_cast<double>(counts[i].sectors);
    const std::string& opcode = instruction.opcode;
    if (opcode == "LDG" || opcode == "LDGSTS") made.loaded_bytes += bytes;
    if (opcode == "STG") made.stored_bytes += bytes;
    made.spills |= opcode == "LDL" || opcode == "STL";
  }
  made.loaded_bytes += scale * static_cast<double>(profile.copied_bytes());
  return made;
}

/// Why a GPU counts other bytes than the sectors of the accesses, by how the id of a case begins.
struct Exception {
  std::string_view study;
  bool loads = false;
  int counted = 0;  ///< -1: fewer bytes, 1: more
  std::string_view why;
};
constexpr auto exceptions = std::to_array<Exception>({
    {"layer_norm", true, -1, "L1 has the scale and the shift, which all rows share"},
    {"attention[scores=registers", true, -1, "L1 has the other half of each sector of the queries"},
    {"attention_global", true, -1, "L1 has the keys and values, or the other half of each sector"},
    {"attention_tiles", true, -1, "L1 has the keys and values of another block, or the other half of each sector"},
    {"hgemm_naive", true, -1, "L1 has what warps share"},
    {"memcpy_async[blocks=1,rounds=64,by=unaligned", true, -1, "L1 has the other bytes of each sector"},
    {"memcpy_async[blocks=16,rounds=8,by=unaligned", true, -1, "L1 has the other bytes of each sector"},
    {"gemm[", true, -1, "L1 has what warps share"},
    {"copy_hot", true, -1, "L1 has some of the data that blocks read again"},
    {"attention[scores=registers", false, -1, "stores of halves of a sector are merged"},
    {"attention_global", false, -1, "stores of halves of a sector are merged"},
    {"attention_tiles[scores=registers", false, -1, "stores of halves of a sector are merged"},
    {"attention_groups", false, -1, "stores of halves of a sector are merged"},
    {"hgemm_layout[warps=1,step_bytes=7680,layout=padded", true, 1,
     "cp.async to rows with padding asks twice for sectors"},
    {"hgemm_layout[warps=8,step_bytes=20480,layout=padded", true, 1,
     "cp.async to rows with padding asks twice for sectors"},
    {"hgemm[warps=8,stages=3,layout=padded", true, 1, "cp.async to rows with padding asks twice for sectors"},
    {"registers", true, 1, "spilled registers that L1 has lost"},
    {"registers", false, 1, "spilled registers"},
    {"launch_bounds", true, 1, "spilled registers that L1 has lost"},
    {"launch_bounds", false, 1, "spilled registers"},
});

const Exception* exception_for(const std::string& id, bool loads) {
  const auto* const found = std::ranges::find_if(
      exceptions, [&](const Exception& one) { return one.loads == loads && id.starts_with(one.study); });
  return found == exceptions.end() ? nullptr : found;
}

/// The shares of two pipes are in the ratio of what was executed: both were counted in the same pass, and the cycles of
/// that pass cancel.
void compare_pipes(const Counts& executed, const Row& row) {
  constexpr std::array<std::pair<const char*, double>, 5> peaks = {
      {{"fma", 4}, {"alu", 2}, {"xu", 0.5}, {"lsu", 1}, {"uniform", 2}}};
  const auto share = [](const std::map<std::string, double>& counted, const std::string& pipe) {
    return counted.at("sm__inst_executed_pipe_" + pipe + ".avg.pct_of_peak_sustained_active");
  };
  const auto number = [&](const char* pipe) {
    const auto found = executed.pipes.find(pipe);
    return found == executed.pipes.end() ? 0.0 : found->second;
  };
  for (const auto& counted : row.kernel.counted) {
    for (const auto& [pipe, peak] : peaks) {
      const double wanted = number(pipe) / peak * share(counted, "fma"),
                   found = number("fma") / 4 * share(counted, pipe);
      EXPECT_NEAR(wanted, found, 1e-9 * std::max(wanted, found)) << row.id << " " << pipe;
    }
  }
}

void compare_bytes(const std::string& counter, double executed, bool loads, const Row& row) {
  std::vector<double> counted;
  for (const auto& launch : row.kernel.counted) counted.push_back(launch.at(counter));
  ASSERT_FALSE(counted.empty()) << row.id;
  const auto [least, most] = std::ranges::minmax(counted);
  const Exception* const except = exception_for(row.id, loads);
  if (except == nullptr) {
    EXPECT_TRUE(std::ranges::find(counted, executed) != counted.end())
        << row.id << " " << counter << ": executed " << executed << ", counted " << least << " to " << most;
  } else if (except->counted < 0) {
    EXPECT_LE(least, executed) << row.id << ": " << except->why;
  } else {
    EXPECT_GE(most, executed) << row.id << ": " << except->why;
  }
}

TEST(ExecutedCounts, AreThoseOfBothGpus) {
  if (std::string_view(WARPCLOCK_TOOLKIT_VERSION) != "13.0") GTEST_SKIP() << "the records are of CUDA 13.0";
  const std::string root = WARPCLOCK_SOURCE_DIR;
  std::map<std::string, std::vector<Row>> rows;
  for (const char* gpu : {"nvidia-h200", "nvidia-h100-80gb-hbm3"}) {
    for (Row& row : must(read_record(root + "/reports/" + gpu + "/cases.json.gz", {{RecordFile::Cases}})).rows)
      rows[row.id].push_back(std::move(row));
  }
  const testing::TemporaryFolder folder;
  LoadOptions how;
  how.arch = {90, true};
  how.nvdisasm = find_nvdisasm("").value();
  auto builder = CaseBuilder(root + "/configs", how, folder / "cache");
  constexpr std::int64_t sms = 132;
  const std::string file = root + "/configs/cases.yaml";
  const auto cases = must(kernel_cases(must(read_studies(file, must(read_file(file)))), sms));
  const auto built = builder.build(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].id);
    ASSERT_TRUE(built[i]) << built[i].error().message();
    const auto executed = counts_of(cases[i], *built[i]->kernel);
    ASSERT_TRUE(executed) << executed.error().message();
    ASSERT_EQ(rows[cases[i].id].size(), 2U);
    for (const Row& row : rows[cases[i].id]) {
      compare_pipes(*executed, row);
      compare_bytes("l1tex__m_l1tex2xbar_write_bytes.sum", executed->stored_bytes, false, row);
      compare_bytes("l1tex__m_xbar2l1tex_read_bytes.sum", executed->loaded_bytes, true, row);
    }
  }
}

}  // namespace
}  // namespace warpclock
