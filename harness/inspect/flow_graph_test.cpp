#include "inspect/flow_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

const Listing nested = make_listing(R"(
  MOV R0, RZ
outer:
  IADD3 R0, R0, 0x1, RZ
inner:
  FADD R1, R1, R2
@P1 BRA `(skip)
  FADD R3, R3, R2
skip:
@P0 BRA `(inner)
  BAR.SYNC.DEFER_BLOCKING 0x0
@P2 BRA `(outer)
  EXIT
pad:
  BRA `(pad)
)");

TEST(FlowGraph, FindsLoopsAndTheirNesting) {
  const FlowGraph graph = flow_graph(nested);
  ASSERT_THAT(graph.loops, SizeIs(2)) << "the endless loop behind EXIT is never reached";
  const Loop &outer = graph.loops[0], &inner = graph.loops[1];
  EXPECT_EQ(graph.blocks[outer.header].first, 1U);
  EXPECT_EQ(graph.blocks[inner.header].first, 2U);
  EXPECT_EQ(outer.depth, 1);
  EXPECT_EQ(inner.depth, 2);
  EXPECT_EQ(inner.parent, 0U);
  EXPECT_EQ(outer.parent, no_index);
  EXPECT_THAT(inner.blocks, SizeIs(3));
  EXPECT_THAT(outer.blocks, SizeIs(5));
  EXPECT_FALSE(graph.irreducible);
  EXPECT_THAT(graph.unresolved, IsEmpty());
}

TEST(FlowGraph, TellsWhatEachTripPasses) {
  const FlowGraph graph = flow_graph(nested);
  const Loop& inner = graph.loops.at(1);
  const auto always = mapped(inner.blocks, [&](const std::size_t block) { return on_each_trip(graph, inner, block); });
  EXPECT_THAT(always, ElementsAre(true, false, true));
}

TEST(FlowGraph, MergesTwoBackEdgesToOneHeader) {
  const FlowGraph graph = flow_graph(make_listing(R"(
top:
  FADD R1, R1, R2
@P0 BRA `(top)
  FADD R3, R3, R2
@P1 BRA `(top)
  EXIT
)"));
  ASSERT_THAT(graph.loops, SizeIs(1));
  EXPECT_THAT(graph.loops[0].latches, SizeIs(2));
  EXPECT_TRUE(on_each_trip(graph, graph.loops[0], 0));
  EXPECT_FALSE(on_each_trip(graph, graph.loops[0], 1)) << "the first edge back skips it";
}

TEST(FlowGraph, SaysThatACycleWithTwoEntriesIsNoLoop) {
  const FlowGraph graph = flow_graph(make_listing(R"(
@P0 BRA `(second)
first:
  FADD R1, R1, R2
second:
  FADD R3, R3, R2
@P1 BRA `(first)
  EXIT
)"));
  EXPECT_TRUE(graph.irreducible);
  EXPECT_THAT(graph.loops, IsEmpty());
}

TEST(FlowGraph, LeavesOutLoopsThatHoldTooManyBlocksTogether) {
  const auto nested = [](int loops) {
    std::string code;
    for (int i = 0; i < loops; ++i) code += fmt::format("l{}:\nNOP\n", i);
    for (int i = loops - 1; i >= 0; --i) code += fmt::format("@P0 BRA `(l{})\n", i);
    return flow_graph(make_listing(code + "EXIT\n"));
  };
  const FlowGraph few = nested(100), many = nested(5000);
  EXPECT_FALSE(few.too_nested);
  ASSERT_THAT(few.loops, SizeIs(100));
  EXPECT_EQ(few.loops.back().depth, 100);
  EXPECT_TRUE(many.too_nested);
  EXPECT_THAT(many.loops, IsEmpty());
}

TEST(FlowGraph, NamesJumpsThatItCannotFollow) {
  const FlowGraph graph = flow_graph(make_listing("  FADD R1, R1, R2\n  BRX R4 -0x10\n  EXIT\n"));
  EXPECT_THAT(graph.unresolved, ElementsAre(1U));
  EXPECT_THAT(flow_graph(Listing{}).blocks, IsEmpty());
}

TEST(FlowGraph, FollowsAJumpThroughARegisterWhereTheCubinListsItsTargets) {
  const Listing listing = make_listing("  FADD R1, R1, R2\n  BRX R4 -0x10\n  FADD R1, R1, R2\n  EXIT\n");
  const FlowGraph graph = flow_graph(listing, {{0x10, {0x0, 0x20, 0x38, 0x400}}});
  EXPECT_THAT(graph.unresolved, IsEmpty());
  ASSERT_THAT(graph.blocks, SizeIs(2)) << "two of the addresses are no instructions";
  EXPECT_THAT(graph.blocks[0].next, ElementsAre(0U, 1U));
  EXPECT_THAT(graph.loops, SizeIs(1));
}

/// Random jumps between random instructions.
Listing random_listing(std::mt19937& random) {
  const auto size = 3 + random() % 12;
  std::string assembly;
  for (std::size_t i = 0; i < size; ++i) {
    assembly += fmt::format("at{}:\n", i);
    const bool jump = random() % 3 == 0;
    if (jump) assembly += fmt::format("{} BRA `(at{})\n", random() % 4 == 0 ? "" : "@P0", random() % size);
    if (!jump) assembly += random() % 10 == 0 ? "@P1 EXIT\n" : "FADD R1, R1, R2\n";
  }
  return make_listing(assembly + "EXIT\n");
}

/// The blocks that can be reached from `from` without passing `without`.
std::vector<bool> reached(const FlowGraph& graph, std::size_t from, std::size_t without) {
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<std::size_t> open;
  if (from != without) open.push_back(from);
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    for (const std::size_t next : graph.blocks[block].next) {
      if (next != without) open.push_back(next);
    }
  }
  return seen;
}

TEST(FlowGraph, IsWhatTheDefinitionsSayOfRandomCode) {
  std::mt19937 random(1);
  std::size_t loops = 0, irreducible = 0;
  for (int round = 0; round < 2000; ++round) {
    const FlowGraph graph = flow_graph(random_listing(random));
    const std::size_t count = graph.blocks.size();
    const auto all = reached(graph, 0, no_index);
    std::set<std::size_t> headers;
    for (std::size_t a = 0; a < count; ++a) {
      ASSERT_EQ(graph.blocks[a].reached, all[a]);
      const auto around = reached(graph, 0, a);
      for (std::size_t b = 0; b < count; ++b) {
        if (!all[a] || !all[b]) continue;
        ASSERT_EQ(dominates(graph, a, b), !around[b]) << a << " over " << b;
        if (!around[b] && std::ranges::find(graph.blocks[b].next, a) != graph.blocks[b].next.end()) headers.insert(a);
      }
    }
    irreducible += graph.irreducible ? 1 : 0;
    ASSERT_EQ(graph.loops.size(), headers.size());
    for (const Loop& loop : graph.loops) {
      ++loops;
      ASSERT_TRUE(headers.contains(loop.header));
      for (const std::size_t block : loop.blocks) {
        ASSERT_TRUE(dominates(graph, loop.header, block));
        const bool back = std::ranges::any_of(loop.latches, [&](std::size_t latch) {
          return block == latch || block == loop.header || reached(graph, block, loop.header)[latch];
        });
        ASSERT_TRUE(back);
      }
    }
  }
  EXPECT_GT(loops, 1000U);
  EXPECT_GT(irreducible, 50U);
}

}  // namespace
}  // namespace warpclock
