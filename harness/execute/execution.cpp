#include "execute/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

Expected<std::vector<std::uint64_t>> spread(std::uint64_t blocks, std::uint64_t most) {
  constexpr std::uint64_t most_chosen = 1 << 24;
  std::vector<std::uint64_t> chosen;
  const std::uint64_t count = std::clamp<std::uint64_t>(most, 1, blocks);
  if (count > most_chosen)
    return fail("limit", fmt::format("at most {} blocks are executed: give --blocks N", most_chosen));
  const std::uint64_t gaps = std::max<std::uint64_t>(1, count - 1), last = blocks - 1;
  // The product of both may have more than 64 bits.
  for (std::uint64_t i = 0; i < count; ++i) chosen.push_back(i * (last / gaps) + i * (last % gaps) / gaps);
  return chosen;
}

std::int64_t signed_count(std::uint64_t count) { return static_cast<std::int64_t>(count); }

double mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

ExecutedInstruction instruction_of(const LoadedKernel& kernel, std::size_t index, const InstructionProfile& counts) {
  const Instruction& instruction = kernel.listing.instructions[index];
  ExecutedInstruction made{.address = static_cast<std::int64_t>(instruction.address), .text = instruction.text};
  if (!instruction.predicate.empty() && !made.text.starts_with('@'))
    made.text = "@" + instruction.predicate + " " + made.text;
  if (index < kernel.lines.size() && !kernel.lines[index].file.empty())
    made.line = std::filesystem::path(kernel.lines[index].file).filename().string() + ":" +
                std::to_string(kernel.lines[index].line);
  made.executed = signed_count(counts.executed);
  made.lanes = mean(counts.lanes, counts.executed);
  made.accesses = signed_count(counts.accesses);
  made.access_lanes = mean(counts.access_lanes, counts.accesses);
  if (counts.sectors > 0) made.sectors = mean(counts.sectors, counts.accesses);
  if (counts.wavefronts > 0) made.wavefronts = mean(counts.wavefronts, counts.accesses);
  return made;
}

}  // namespace

Expected<Execution> execution_of(const LoadedKernel& kernel, const ExecutedLaunch& launch, std::uint64_t most_blocks,
                                 const ExecuteLimits& limits) {
  const CodeProgram program = code_program(kernel, launch, Follow::Addresses);
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  Profile profile(kernel, graph);
  const auto blocks = WARPCLOCK_TRY(spread(launch.blocks(), most_blocks));
  WARPCLOCK_TRY(execute(kernel, launch, program, blocks, profile, limits));
  Execution made{.kernel = kernel.listing.kernel,
                 .readable = readable_name(kernel.listing.kernel),
                 .arch = kernel.listing.target,
                 .grid = {launch.grid.begin(), launch.grid.end()},
                 .block = {launch.block.begin(), launch.block.end()},
                 .shared_bytes = launch.shared_bytes,
                 .blocks = signed_count(launch.blocks()),
                 .executed_blocks = signed_count(blocks.size()),
                 .same_path = !program.path_by_block,
                 .copied_bytes = signed_count(profile.copied_bytes())};
  const auto counts = profile.instructions();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    made.warp_instructions += signed_count(counts[i].executed);
    made.instructions.push_back(instruction_of(kernel, i, counts[i]));
  }
  const auto loops = profile.loops();
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Loop& loop = graph.loops[i];
    const auto& code = kernel.listing.instructions;
    const std::size_t end = graph.blocks[loop.blocks.back()].end;
    made.loops.push_back({static_cast<std::int64_t>(i),
                          static_cast<std::int64_t>(code[graph.blocks[loop.header].first].address),
                          static_cast<std::int64_t>(code[end - 1].address), signed_count(loops[i].entries),
                          mean(loops[i].trips, loops[i].entries)});
  }
  return made;
}

}  // namespace warpclock
