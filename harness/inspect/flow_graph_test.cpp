#include "inspect/flow_graph.hpp"

#include <gmock/gmock.h>

#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_listing;
using ::testing::SizeIs;

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
  std::vector<bool> always;
  for (const std::size_t block : inner.blocks) always.push_back(on_each_trip(graph, inner, block));
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

TEST(FlowGraph, NamesJumpsThatItCannotFollow) {
  const FlowGraph graph = flow_graph(make_listing("  FADD R1, R1, R2\n  BRX R4 -0x10\n  EXIT\n"));
  EXPECT_THAT(graph.unresolved, ElementsAre(1U));
  EXPECT_THAT(flow_graph(Listing{}).blocks, IsEmpty());
}

}  // namespace
}  // namespace warpclock
