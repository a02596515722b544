#include "verify/instruction/verify_instruction.hpp"

#include <functional>

#include "base/testing/matchers.hpp"
#include "verify/testing/windows.hpp"
#include "verify/window.hpp"

// Real windows, each damaged in one way, and the code that reports the damage.

namespace warpclock {
namespace {

using testing::Windows;

Experiment latency(std::size_t from, std::size_t to) {
  return {.question = Question::Latency, .links = {{from, to}}, .ilp = 1};
}

/// Index of the `nth` instruction of this opcode in the window.
std::size_t nth(const Listing& listing, const std::string& opcode, std::size_t n) {
  const std::size_t open = clock_reads(listing).front();
  for (std::size_t i = open + 1; i < listing.instructions.size(); ++i) {
    if (listing.instructions[i].opcode == opcode && n-- == 0) return i;
  }
  ADD_FAILURE() << "too few " << opcode;
  return open + 1;
}

void rename(Instruction& one, const std::string& opcode) {
  one.text.replace(one.text.find(one.opcode), one.opcode.size(), opcode);
  one.opcode = opcode;
}

using Damage = std::function<void(Listing&)>;

Damage each(const std::string& opcode, const std::function<void(Listing&, std::size_t)>& act) {
  return [=](Listing& listing) {
    const std::size_t open = clock_reads(listing).front(), close = clock_reads(listing).back();
    for (std::size_t i = close; i-- > open + 1;) {
      if (listing.instructions[i].opcode == opcode) act(listing, i);
    }
  };
}

void erase(Listing& listing, std::size_t i) {
  listing.instructions.erase(listing.instructions.begin() + static_cast<std::ptrdiff_t>(i));
}

void insert(Listing& listing, std::size_t i, const Instruction& one) {
  listing.instructions.insert(listing.instructions.begin() + static_cast<std::ptrdiff_t>(i), one);
}

/// Adds an addition whose registers no other instruction uses.
void add_beside(Listing& listing, std::size_t i) {
  Instruction one = listing.instructions[i];
  rename(one, "FADD");
  one.operands = {"R200", "R200", "R201"};
  insert(listing, i, one);
}

std::string damaged(Windows windows, const Damage& damage, std::size_t first = 0) {
  for (std::size_t i = first; i < windows.kernels.size(); ++i) damage(windows.kernels[i].listing);
  const InstructionVerdict found = windows.verdict();
  EXPECT_EQ(found.text.empty(), found.verified());
  return found.code;
}

constexpr std::size_t largest = 2;

void accepts_the_sound(const std::vector<Windows>& all) {
  for (const Windows& windows : all) {
    const InstructionVerdict found = windows.verdict();
    EXPECT_EQ(found.code, "verified") << windows.instruction.text << ": " << found.text;
    EXPECT_EQ(found.verdicts.size(), 3U);
  }
}

void rejects_a_count_that_is_not_even(const Windows& fma) {
  const auto drop = [](Listing& listing) { erase(listing, nth(listing, "FFMA", 3)); };
  EXPECT_EQ(damaged(fma, drop, largest), "count");
  EXPECT_EQ(damaged(fma, drop), "count") << "one less in all of them, the same for each further copy";
  const auto drop_two = [&](Listing& listing) {
    drop(listing);
    drop(listing);
  };
  EXPECT_EQ(damaged(fma, drop_two, largest), "folded");
  EXPECT_EQ(damaged(fma, each("FFMA", erase)), "folded");
}

void rejects_what_one_instance_does_not_become(const Windows& fma) {
  EXPECT_EQ(damaged(fma, each("FFMA", add_beside)), "foreign-opcode");
  EXPECT_EQ(damaged(fma, [](Listing& listing) { add_beside(listing, nth(listing, "FFMA", 2)); }), "foreign-opcode");
  EXPECT_EQ(
      damaged(fma, each("FFMA", [](Listing& listing, std::size_t i) { rename(listing.instructions[i], "FMUL"); })),
      "rewritten");
}

void rejects_a_chain_that_is_cut(const Windows& fma) {
  const auto cut = [](Listing& listing, std::size_t i) {
    for (std::size_t source = 1; source < 4; ++source) listing.instructions[i].operands[source] = "R201";
  };
  EXPECT_EQ(damaged(fma, each("FFMA", cut)), "open-window") << "nobody reads any of them";
  EXPECT_EQ(damaged(
                fma, [&](Listing& listing) { cut(listing, nth(listing, "FFMA", 12)); }, largest),
            "broken-chain");
}

void rejects_clocks_that_differ(const Windows& fma) {
  const auto close = [](Listing& listing) -> Instruction& { return listing.instructions[clock_reads(listing).back()]; };
  EXPECT_EQ(damaged(fma,
                    [&](Listing& listing) {
                      close(listing).modifiers = {"32"};
                      close(listing).text = "CS2R.32 R4, SR_CLOCKLO";
                    }),
            "clock-mismatch");
  EXPECT_EQ(damaged(
                fma, [&](Listing& listing) { rename(close(listing), "S2UR"); }, largest),
            "clock-mismatch");
}

void rejects_a_tail_that_nobody_waits_for(const Windows& popc) {
  const auto forget = [](Listing& listing) {
    const std::size_t close = clock_reads(listing).back();
    for (std::size_t i = close; i-- > nth(listing, "POPC", 5);) {
      if (listing.instructions[i].opcode == "LOP3") return erase(listing, i);
    }
    ADD_FAILURE() << "no consumer";
  };
  EXPECT_EQ(damaged(popc, forget), "open-window");
}

void rejects_what_was_under_way(const Windows& fma) {
  const auto await = [](Listing& listing) {
    const std::size_t open = clock_reads(listing).front();
    Instruction load = listing.instructions[open + 1];
    rename(load, "LDG");
    load.operands = {"R210", "[R212.64]"};
    load.control = {.stall = 1, .yield = false, .write_barrier = 5, .read_barrier = -1, .wait_mask = 0};
    insert(listing, open, load);
    listing.instructions[nth(listing, "FFMA", 2)].control.wait_mask = 1U << 5;
  };
  EXPECT_EQ(damaged(fma, await), "leaky-window");
}

/// A link cannot be subtracted if its wait is not encoded.
void rejects_links_that_cannot_be_taken_off(const Windows& compare) {
  ASSERT_EQ(compare.verdict().via.size(), 1U);
  EXPECT_EQ(damaged(compare, each("SEL",
                                  [](Listing& listing, std::size_t i) {
                                    if (i + 1 < clock_reads(listing).back())
                                      listing.instructions[i + 1].control.wait_mask = 1;
                                  })),
            "unknown-link");
  EXPECT_NE(damaged(compare, each("SEL", erase)), "verified");
}

void takes_off_what_links(const std::vector<Windows>& all) {
  const InstructionVerdict fma = all[0].verdict();
  EXPECT_EQ(fma.encoded_cycles, 4.0);
  EXPECT_TRUE(fma.via.empty());
  const InstructionVerdict compare = all[2].verdict();
  ASSERT_EQ(compare.via.size(), 1U);
  EXPECT_EQ(compare.via.front().first, "SEL");
  EXPECT_EQ(compare.encoded_cycles.value_or(0) - compare.via.front().second, 4);
  EXPECT_FALSE(all[1].verdict().encoded_cycles) << "POPC waits for a scoreboard";
}

void rejects_kinds_of_a_throughput(const Windows& four) {
  const auto link = [](Listing& listing, std::size_t i) {
    add_beside(listing, i);
    rename(listing.instructions[i], "IADD3");
  };
  EXPECT_EQ(damaged(four, each("FFMA", link)), "foreign-opcode") << "what may link a latency may not be here";
}

TEST(VerifyInstruction, LetsCopiesShareOnlyWhatDoesNotDependOnTheChain) {
  const std::vector<Windows> all = testing::windows_of({{"isspacep.const {p}, {a}", latency(0, 1)}});
  ASSERT_EQ(all.size(), 1U);
  accepts_the_sound(all);
  EXPECT_THAT(all[0].verdict().note, HasSubstr("ULDC.64 is done once"));
  EXPECT_NE(damaged(all[0], each("ISETP",
                                 [](Listing& listing, std::size_t i) {
                                   if (listing.instructions[i].name().ends_with("EX")) erase(listing, i);
                                 })),
            "verified")
      << "half of the comparison is gone";
}

TEST(VerifyInstruction, CountsTheCopiesInTheLoopThatTheyAreSaidToBeIn) {
  Experiment looped{.question = Question::Throughput, .links = {{0, 1}}, .ilp = 4, .trips = 8};
  Experiment straight = looped;
  straight.trips = 1;
  const std::string fma = "fma.rn.f32 {d}, {a}, {b}, {c}";
  std::vector<Windows> all = testing::windows_of({{fma, looped}, {fma, straight}});
  ASSERT_EQ(all.size(), 2U);
  accepts_the_sound(all);
  all[1].experiment = looped;
  EXPECT_EQ(all[1].verdict().code, "count") << "there is no loop";
  EXPECT_THAT(all[1].verdict().text, HasSubstr("no loop"));
  all[0].experiment = straight;
  EXPECT_EQ(all[0].verdict().code, "foreign-opcode") << "there is a loop that nobody asked for";
}

TEST(VerifyInstruction, EachDamageHasItsCode) {
  std::vector<Windows> all = testing::windows_of({
      {"fma.rn.f32 {d}, {a}, {b}, {c}", latency(0, 1)},
      {"popc.b32 {d}, {a}", latency(0, 1)},
      {"setp.eq.s32 {p}, {a}, {b}", latency(0, 1)},
      {"fma.rn.f32 {d}, {a}, {b}, {c}", {.question = Question::Throughput, .links = {{0, 1}}, .ilp = 4}},
  });
  ASSERT_EQ(all.size(), 4U);
  accepts_the_sound(all);
  takes_off_what_links(all);
  rejects_a_count_that_is_not_even(all[0]);
  rejects_what_one_instance_does_not_become(all[0]);
  rejects_a_chain_that_is_cut(all[0]);
  rejects_clocks_that_differ(all[0]);
  rejects_what_was_under_way(all[0]);
  rejects_a_tail_that_nobody_waits_for(all[1]);
  rejects_links_that_cannot_be_taken_off(all[2]);
  rejects_kinds_of_a_throughput(all[3]);
}

}  // namespace
}  // namespace warpclock
