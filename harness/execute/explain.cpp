#include "execute/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "inspect/flow_graph.hpp"

namespace warpclock {
namespace {

/// The number of the argument that this place of the constant bank is in.
std::optional<std::size_t> argument_at(const LoadedKernel& kernel, const ExecutedLaunch& launch, std::uint32_t offset) {
  const auto& parameters = kernel.facts.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto begin = launch.places.arguments + static_cast<std::uint32_t>(parameters[i].at);
    if (offset >= begin && offset < begin + static_cast<std::uint32_t>(parameters[i].bytes)) return i;
  }
  return std::nullopt;
}

std::string line_of(const LoadedKernel& kernel, std::size_t index) {
  if (index >= kernel.lines.size() || kernel.lines[index].file.empty()) return "";
  return fmt::format(" ({}:{})", std::filesystem::path(kernel.lines[index].file).filename().string(),
                     kernel.lines[index].line);
}

/// "the trips of loop 0 (gemm.cu:14)" for what a jump of a loop does.
std::string decided_thing(const LoadedKernel& kernel, const CodeStep& step, const std::string& what) {
  const bool clause = what.starts_with("wh");
  if (step.kind != StepKind::Jump)
    return fmt::format("{}{} {}", what, clause ? ":" : " of", instruction_place(kernel, step.index));
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    const BasicBlock& block = graph.blocks[b];
    if (step.index < block.first || step.index >= block.end || block.loop == no_index) continue;
    const Loop& loop = graph.loops[block.loop];
    const std::size_t header = graph.blocks[loop.header].first;
    const bool leaves = std::ranges::any_of(block.next, [&](std::size_t next) {
      return next == loop.header || !std::ranges::binary_search(loop.blocks, next);
    });
    if (leaves) return fmt::format("the trips of loop {}{}", block.loop, line_of(kernel, header));
  }
  return "whether it jumps: " + instruction_place(kernel, step.index);
}

}  // namespace

std::string instruction_place(const LoadedKernel& kernel, std::size_t index) {
  if (index >= kernel.listing.instructions.size()) return "the end of the kernel";
  const Instruction& instruction = kernel.listing.instructions[index];
  return fmt::format("{:#06x} {}{}", instruction.address, instruction.name(), line_of(kernel, index));
}

Error unknown_error(const LoadedKernel& kernel, const ExecutedLaunch& launch, const CodeStep& step, Origin origin,
                    const std::string& what) {
  const std::string decided = decided_thing(kernel, step, what);
  const auto made = [&](const std::string& cause, const std::string& fix) {
    return Error{"unknown", fmt::format("{} decides {}{}", cause, decided, fix.empty() ? "" : ": " + fix), {}};
  };
  if (origin.kind == Origin::Kind::Constant) {
    const auto argument = origin.at >> bank_shift == 0 ? argument_at(kernel, launch, origin.at) : std::nullopt;
    if (argument) {
      constexpr int address_bytes = 8;
      std::string fix = fmt::format("give --arg {}=…", *argument);
      if (kernel.facts.parameters[*argument].bytes == address_bytes)
        fix += fmt::format(" or, if it is the address of a buffer, --buffer {}=SIZE", *argument);
      return made(fmt::format("argument {}", *argument), fix);
    }
    return made(fmt::format("c[{:#x}][{:#x}], which no argument is in,", origin.at >> bank_shift, origin.at & 0xffffU),
                "constant memory is not followed");
  }
  if (origin.kind == Origin::Kind::None) return made("a register that nothing has written", "");
  const auto& code = kernel.listing.instructions;
  const std::string place = instruction_place(kernel, origin.at);
  const bool loads = origin.at < code.size() &&
                     (code[origin.at].opcode.starts_with("LD") || code[origin.at].opcode.starts_with("ATOM"));
  if (loads)
    return made("what " + place + " loads", "give what its buffer holds: --buffer N=SIZE:iota, random or FILE");
  return made("the result of " + place, "which is not followed");
}

std::string outside_of_buffers(const ExecutedLaunch& launch, std::size_t lane, std::uint64_t address) {
  const LaunchBuffer* nearest = nullptr;
  for (const LaunchBuffer& one : launch.buffers) {
    if (one.address <= address && (nearest == nullptr || one.address > nearest->address)) nearest = &one;
  }
  constexpr std::uint64_t near = std::uint64_t{1} << 39;
  if (nearest == nullptr || address - nearest->address >= near)
    return fmt::format(
        "lane {} accesses {:#x}, which is in no buffer: give the ones that the kernel uses, --buffer N=SIZE", lane,
        address);
  if (nearest->argument == LaunchBuffer::none)
    return fmt::format("lane {} accesses byte {} of a variable of the module, which has {}", lane,
                       address - nearest->address, nearest->bytes);
  return fmt::format("lane {} accesses byte {} of the buffer of argument {}, which has {}: give --buffer {}=SIZE", lane,
                     address - nearest->address, nearest->argument, nearest->bytes, nearest->argument);
}

std::string counted_places(const std::map<std::size_t, int>& at, const std::function<std::string(std::size_t)>& place) {
  constexpr std::size_t most = 4;
  std::vector<std::string> places;
  for (const auto& [key, count] : at) {
    if (places.size() < most) places.push_back(fmt::format("{} at {}", count, place(key)));
  }
  return join(places, ", ");
}

Error deadlock_error(const LoadedKernel& kernel, const CodeProgram& program, std::span<const ExecutedWarp> warps) {
  std::map<std::size_t, int> at;
  for (const ExecutedWarp& warp : warps) {
    for (const WarpSplit& split : warp.splits) at[split.step] += split.step > 0 ? 1 : 0;
  }
  at.erase(0);
  const auto place = [&](std::size_t step) { return instruction_place(kernel, program.steps[step - 1].index); };
  return {"deadlock", "all warps wait for each other: " + counted_places(at, place), {}};
}

}  // namespace warpclock
