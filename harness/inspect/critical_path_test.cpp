#include "inspect/critical_path.hpp"

#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"

namespace warpclock {
namespace {

using testing::make_listing;

Entry instruction_entry(const std::string& form, const std::vector<std::pair<std::string, double>>& latencies) {
  Entry entry{.name = form};
  for (const auto& [name, value] : latencies)
    entry.leaves.push_back({"latency." + name, value, value, value, "cycles", "machine.json", {form}, ""});
  return entry;
}

Machine some_machine() {
  Machine machine{.gpu = "some GPU", .folder = "some-gpu", .arch = "sm_90a"};
  machine.instructions = {instruction_entry("@PT FFMA R#, R#, R#, R#", {{"a", 4}, {"b", 5}, {"c", 3}}),
                          instruction_entry("@PT FADD R#, R#, R#", {{"a", 6}, {"b", 6}}),
                          instruction_entry("@PT FADD R#, -R#, R#", {{"a", 7}, {"b", 6}}),
                          instruction_entry("@PT LDS R#, [R#+#]", {{"a", 23}})};
  return machine;
}

TripPaths paths_of(const std::string& assembly, std::vector<TripBlock> trip = {}) {
  const Machine machine = some_machine();
  const LatencyTable latencies(&machine, {90, true});
  const Listing listing = make_listing(assembly);
  if (trip.empty()) trip = {{0, listing.instructions.size(), {}, true}};
  return trip_paths(listing, trip, latencies);
}

std::vector<std::int64_t> addresses(const CriticalPath& path) { return mapped(path.chain, &ChainLink::address); }

TEST(CriticalPath, CountsTheOperandThroughWhichAResultComesBack) {
  EXPECT_EQ(paths_of("FFMA R1, R1, R2, R3").carried.cycles, 4);
  EXPECT_EQ(paths_of("FFMA R1, R2, R1, R3").carried.cycles, 5);
  EXPECT_EQ(paths_of("FFMA R1, R2, R3, R1").carried.cycles, 3);
  EXPECT_EQ(paths_of("FFMA R1, R2, R3, R4").carried.cycles, 0) << "no result is read again";
}

TEST(CriticalPath, OfATripBeginsWithWhatWasThereBefore) {
  const TripPaths paths = paths_of("LDS R1, [R9]\nFFMA R2, R1, R5, R6\nFADD R3, R2, R7\nFFMA R8, R8, R5, R6");
  EXPECT_EQ(paths.trip.cycles, 23 + 4 + 6);
  EXPECT_THAT(addresses(paths.trip), ElementsAre(0x00, 0x10, 0x20));
  EXPECT_EQ(paths.carried.cycles, 4) << "the load does not wait for the trip before";
  EXPECT_THAT(addresses(paths.carried), ElementsAre(0x30));
  EXPECT_THAT(paths.trip.unknown, IsEmpty());
}

TEST(CriticalPath, OverSeveralTripsIsItsMean) {
  // R2 of a trip becomes R1 of the next one, and by R3 R2 of the one after.
  const CriticalPath path = paths_of("FFMA R3, R1, R5, R6\nFADD R1, R2, R7\nFFMA R2, R3, R5, R6").carried;
  EXPECT_DOUBLE_EQ(path.cycles, (4 + 6 + 4) / 2.0);
  EXPECT_EQ(path.trips, 2);
  EXPECT_THAT(addresses(path), ElementsAre(0x00, 0x20, 0x10));
}

TEST(CriticalPath, KeepsWhatAPredicateMayNotWrite) {
  EXPECT_EQ(paths_of("FFMA R1, R1, R5, R6\nFADD R1, R7, R7").carried.cycles, 0) << "R1 is always made anew";
  EXPECT_EQ(paths_of("FFMA R1, R1, R5, R6\n@P0 FADD R1, R7, R7").carried.cycles, 4);
}

TEST(CriticalPath, FollowsEachPathThroughTheTrip) {
  const std::string code = "FFMA R1, R1, R5, R6\nFADD R2, R1, R7\nFADD R2, R2, R7\nFFMA R3, R2, R5, R6";
  // The second and the third instruction are on two sides of a branch.
  const std::vector<TripBlock> sides = {
      {0, 1, {}, false}, {1, 2, {0}, false}, {2, 3, {0}, false}, {3, 4, {1, 2}, true}};
  EXPECT_EQ(paths_of(code).trip.cycles, 5 + 6 + 6 + 4) << "from R5 on";
  EXPECT_EQ(paths_of(code, sides).trip.cycles, 5 + 6 + 4);
  EXPECT_EQ(paths_of(code).carried.cycles, 4);
  EXPECT_EQ(paths_of(code, sides).carried.cycles, 6) << "R2 of the other side's trip";
}

TEST(CriticalPath, NamesLatenciesThatItDoesNotKnow) {
  const TripPaths paths = paths_of("LDG.E R1, desc[UR4][R2.64]\nFFMA R8, R8, R1, R6\nFOO R9, R9");
  EXPECT_EQ(paths.carried.cycles, 4);
  EXPECT_THAT(paths.carried.unknown, ElementsAre("FOO: no row has this form"));
  EXPECT_THAT(paths.trip.unknown, ElementsAre("FOO: no row has this form", "LDG.E: the level that answers decides it"));
}

TEST(CriticalPath, GoesThroughSpilledRegisters) {
  const TripPaths paths = paths_of("LDL R1, [R0+0x10]\nFFMA R1, R1, R5, R6\nSTL [R0+0x10], R1\nLDL R2, [R0+0x20]");
  EXPECT_EQ(paths.carried.cycles, 4);
  EXPECT_THAT(addresses(paths.carried), ElementsAre(0x00, 0x10, 0x20));
  EXPECT_THAT(paths.carried.unknown, ElementsAre(HasSubstr("LDL"), HasSubstr("STL")));
}

TEST(LatencyTable, SaysWhereALatencyIsFrom) {
  const Machine machine = some_machine();
  const LatencyTable table(&machine, {90, true});
  const auto of = [&](const std::string& code, std::size_t source) {
    return table.of(testing::instruction(code), source);
  };
  EXPECT_EQ(of("@P1 FFMA R8, R7.reuse, R6, R5", 1).basis, "measured");
  EXPECT_EQ(of("@P1 FFMA R8, R7.reuse, R6, R5", 1).cycles, 5);
  EXPECT_EQ(of("FADD R1, R2, -R3", 1).basis, "opcode") << "all forms with a latency from b agree";
  EXPECT_EQ(of("FADD R1, R2, -R3", 1).cycles, 6);
  EXPECT_EQ(of("FADD R1, R2, -R3", 0).basis, "encoded") << "the forms differ in a";
  EXPECT_EQ(of("FADD R1, R2, -R3", 0).cycles, 4);
  EXPECT_EQ(of("FFMA R8, R7, R6, RZ", 0).basis, "opcode");
  EXPECT_EQ(of("LDG.E R1, desc[UR4][R2.64]", 0).cycles, std::nullopt);
  EXPECT_EQ(LatencyTable(nullptr, {90, true}).of(testing::instruction("FFMA R8, R7, R6, R5"), 1).basis, "encoded");
}

}  // namespace
}  // namespace warpclock
