#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "execute/execute.hpp"
#include "execute/profile.hpp"
#include "inspect/load.hpp"

namespace warpclock::testing {

/// A kernel of these lines: instructions, and labels as ".L_0:". Its parameters are 8 bytes each.
inline LoadedKernel kernel_of(const std::vector<std::string>& lines, int parameters = 2) {
  std::string text = ".section .text.k,\"ax\",@progbits\n.text.k:\n";
  std::uint64_t address = 0;
  for (const std::string& line : lines) {
    if (line.ends_with(':')) {
      text += line + "\n";
      continue;
    }
    text += fmt::format("        /*{:04x}*/                   {} ;    /* 0x0000000000000000 */\n", address, line);
    text += "                                                   /* 0x0000000000000000 */\n";
    address += 16;
  }
  LoadedKernel kernel;
  auto listings = parse_listings(text);
  EXPECT_TRUE(listings) << listings.error().message();
  kernel.listing = listings->at(0);
  kernel.listing.target = "sm_90a";
  kernel.facts.entry = true;
  for (int i = 0; i < parameters; ++i) kernel.facts.parameters.push_back({8 * i, 8});
  kernel.facts.shared_bytes = 1024;
  return kernel;
}

inline GivenArgument buffer(int number, std::int64_t bytes, CallFill fill = CallFill::Iota) {
  return {number, {.bytes = bytes, .type = CallType::U32, .fill = fill}};
}
inline GivenArgument number(int which, double value) { return {which, {.type = CallType::I64, .value = value}}; }

/// A launch of these blocks and threads.
inline ExecutedLaunch launch_of(const LoadedKernel& kernel, const std::vector<GivenArgument>& arguments,
                                std::uint32_t threads = 32, std::uint32_t blocks = 1) {
  auto launch = executed_launch(kernel.facts, kernel.listing.target, {blocks, 1, 1}, {threads, 1, 1}, 0, arguments);
  EXPECT_TRUE(launch) << launch.error().message();
  return *launch;
}

struct Executed {
  Expected<void> done;
  std::vector<InstructionProfile> counts;
  std::vector<LoopProfile> loops;
};

inline Executed executed(const LoadedKernel& kernel, const ExecutedLaunch& launch, Follow follow = Follow::Addresses,
                         std::uint64_t limit = 1'000'000) {
  const CodeProgram program = code_program(kernel, launch, follow);
  const FlowGraph graph = flow_graph(kernel.listing, kernel.facts.indirect);
  Profile profile(kernel, graph);
  std::vector<std::uint64_t> blocks(launch.blocks());
  for (std::uint64_t i = 0; i < blocks.size(); ++i) blocks[i] = i;
  Executed made{execute(kernel, launch, program, blocks, profile, {limit}), {}, {}};
  made.counts = profile.instructions(), made.loops = profile.loops();
  return made;
}

}  // namespace warpclock::testing
