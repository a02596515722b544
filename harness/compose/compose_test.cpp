#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/lookup.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"
#include "compose/hole_source.hpp"
#include "compose/placing.hpp"
#include "fields/form_table.hpp"
#include "verify/verdict.hpp"

namespace warpclock {
namespace {

constexpr std::size_t room = 96;

Expected<Hole> hole_for(const std::string& arch, const std::string& source = hole_source(room, 2)) {
  return make_hole(parse_arch(arch).value(), find_nvdisasm().value(), source);
}

const WordForm& form_of(const std::string& arch, const std::string& key) {
  const WordForm* form = forms_of(parse_arch(arch).value()).find(key);
  EXPECT_NE(form, nullptr) << key;
  static const WordForm none;
  return form == nullptr ? none : *form;
}

struct Chain {
  int n = 12, stall = 7;
};

Expected<Filling> chain_of(const std::string& arch, const Hole& hole, const std::string& key, Chain chain) {
  static std::map<std::string, Movers> movers;
  movers[arch] = movers_among(forms_of(parse_arch(arch).value()).all());
  Placer placer(hole, movers[arch]);
  std::vector<Copy> copies;
  for (int i = 0; i < chain.n; ++i) {
    auto copy = WARPCLOCK_TRY(placer.place(form_of(arch, key), {.through = 0}));
    copy.stall = chain.stall;
    copies.push_back(std::move(copy));
  }
  return placer.finish(copies);
}

/// A hole in the cache is not made again: a changed entry shows. A damaged one is.
TEST(HoleCache, KeepsWhatWasMade) {
  const testing::TemporaryFolder folder;
  auto cache = Cache::open(folder.path());
  const Arch arch = parse_arch("sm_90a").value();
  const auto make = [&] { return make_hole(arch, find_nvdisasm().value(), hole_source(8, 1), &cache); };
  const auto made = must(make());
  std::filesystem::path entry, image;
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    (file.path().extension() == ".case" ? entry : image) = file.path();
  const std::string key = entry.stem().string();
  CachedCase known = must(cache.find(key)).entry;
  EXPECT_EQ(make()->image, made.image);
  known.listing = replace_all(known.listing, "LOP3", "LOP4");
  cache.store(key, known);
  EXPECT_THAT(failure_of(make()).text, HasSubstr("LOP4"));
  std::filesystem::remove(entry);
  EXPECT_EQ(make()->image, made.image);
}

class Compose : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Arch, Compose, ::testing::Values("sm_80", "sm_90a", "sm_100a", "sm_120a"),
                         [](const auto& of) { return of.param; });

/// nvdisasm reads back exactly the composed words between two clock reads, and the verifier finds the chain.
TEST_P(Compose, ChainsAreReadBackAndVerified) {
  const auto hole = must(hole_for(GetParam()));
  EXPECT_EQ(hole.quads.size(), result_quads + constant_quads);
  ASSERT_EQ(hole.kernels.size(), 2);
  for (const auto& [key, opcode] : {std::pair{"@PT FFMA R#, R#, R#, R#", "FFMA"},
                                    {"@PT HADD2 R#, R#, R#", "HADD2"},
                                    {"@PT HMMA.16816.F32 R#, R#, R#, R#", "HMMA.16816.F32"},
                                    {"@PT SHFL.BFLY PT, R#, R#, R#, #", "SHFL.BFLY"}}) {
    const auto filling = must(chain_of(GetParam(), hole, key, {}));
    const std::vector<Filling> fillings{{}, filling};
    const auto image = must(fill_hole(hole, fillings));
    const auto listings = must(listings_of(parse_arch(GetParam()).value(), find_nvdisasm().value(), image));
    const auto listing = std::ranges::find(listings, hole.kernels[1].symbol, &Listing::kernel);
    ASSERT_NE(listing, listings.end());
    Expectation expect;
    expect.target = {opcode};
    expect.count = {{std::string("n")}};
    expect.chain = true;
    expect.operand = 0;
    expect.close = Close::Issue;
    const Verdict verdict = verify(*listing, expect, {}, 12);
    EXPECT_TRUE(verdict.verified()) << opcode << ": " << verdict.code << ": " << verdict.text;
    ASSERT_EQ(verdict.close - verdict.open - 1, filling.window.size()) << "nothing else is in the window";
    for (std::size_t i = 0; i < filling.window.size(); ++i) {
      const Instruction& one = listing->instructions[verdict.open + 1 + i];
      EXPECT_EQ((Word{one.low, one.high}), filling.window[i]);
      EXPECT_EQ(one.control.stall, 7);
    }
    EXPECT_EQ(verdict.encoded_cycles.value_or(7), 7);
    EXPECT_EQ(verdict.encoded_cycles.has_value(), std::string(opcode) != "SHFL.BFLY") << "a scoreboard says when";
  }
}

class ComposeOn90 : public ::testing::Test {
 protected:
  static const Hole& hole() {
    static const Hole made = hole_for("sm_90a").value();
    return made;
  }
  static std::vector<Instruction> filled(const Filling& filling) {
    const auto image = must(fill_hole(hole(), std::span(&filling, 1)));
    const auto listings = listings_of(parse_arch("sm_90a").value(), find_nvdisasm().value(), image).value();
    const auto listing = std::ranges::find(listings, hole().kernels[0].symbol, &Listing::kernel);
    const auto first = listing->instructions.begin() + static_cast<std::ptrdiff_t>(hole().kernels[0].open);
    return {first, first + static_cast<std::ptrdiff_t>(hole().kernels[0].room + 2)};
  }
};

TEST_F(ComposeOn90, TheClosingReadWaitsForEveryScoreboard) {
  const auto filling = must(chain_of("sm_90a", hole(), "@PT SHFL.BFLY PT, R#, R#, R#, #", {.n = 6, .stall = 8}));
  const std::vector<Instruction> code = filled(filling);
  const auto is_read = [](const Instruction& one) { return one.opcode == "CS2R"; };
  const auto open = std::ranges::find_if(code, is_read), close = std::find_if(open + 1, code.end(), is_read);
  ASSERT_NE(close, code.end());
  EXPECT_EQ(open - code.begin(), hole_rest) << "the warps leave the barrier before they read the clock";
  EXPECT_EQ(close - open - 1, 6);
  EXPECT_EQ(close->control.wait_mask & 63U, 63U);
  for (auto rest = close + 1; rest != code.end(); ++rest) EXPECT_EQ(rest->opcode, "NOP");
}

TEST_F(ComposeOn90, WarpsMeetBehindWhatIsBeforeTheWindow) {
  auto filling = must(chain_of("sm_90a", hole(), "@PT SHFL.BFLY PT, R#, R#, R#, #", {.n = 2, .stall = 8}));
  filling.before = {filling.window.front()};
  const std::vector<Instruction> code = filled(filling);
  EXPECT_EQ(code[0].opcode, "SHFL");
  const Instruction& barrier = code[1 + hole_rest];
  EXPECT_EQ(barrier.opcode, "BAR");
  EXPECT_EQ(barrier.control.wait_mask, 1U << code[0].control.write_barrier);
  EXPECT_EQ(code[2 + 2 * hole_rest].opcode, "CS2R");
}

TEST_F(ComposeOn90, AHoleHasAnEnd) {
  const auto most = static_cast<int>(room_for_window(hole(), {}));
  EXPECT_EQ(most, static_cast<int>(room - 2 * hole_rest));
  const auto fits = chain_of("sm_90a", hole(), "@PT FFMA R#, R#, R#, R#", {.n = most});
  EXPECT_TRUE(fill_hole(hole(), std::span(&*fits, 1)));
  const auto more = chain_of("sm_90a", hole(), "@PT FFMA R#, R#, R#, R#", {.n = most + 1});
  EXPECT_THAT(fill_hole(hole(), std::span(&*more, 1)).error().text, HasSubstr("89 words are too many for 88"));
  const std::vector<Filling> three(3);
  EXPECT_THAT(fill_hole(hole(), three).error().text, HasSubstr("3 fillings are too many for 2 kernels"));
}

TEST_F(ComposeOn90, ALongDistanceIsFilledWithNoOperations) {
  const auto filling = must(chain_of("sm_90a", hole(), "@PT FFMA R#, R#, R#, R#", {.n = 2, .stall = 33}));
  const auto stalls = mapped(filling.window, [](const Word& word) { return decode_control(word.high).stall; });
  EXPECT_THAT(stalls, ElementsAre(15, 15, 3, 15, 15, 3));
}

TEST_F(ComposeOn90, AnotherKernelIsNoHole) {
  const auto why = [](const std::string& from, const std::string& to) {
    const auto made = hole_for("sm_90a", replace_all(hole_source(room, 1), from, to));
    return made ? "a hole" : made.error().text;
  };
  EXPECT_EQ(why("lop3.b32", "lop3.b32"), "a hole");
  EXPECT_THAT(why("lop3.b32 wq0_0, wq0_0", "lop3.b32 wq0_0, wq0_3"), HasSubstr("in it"));
  EXPECT_THAT(why("mov.u64 w_closed, %clock64;", "mov.u64 w_closed, 0;"), HasSubstr("the clock is read 1 times"));
  EXPECT_THAT(why("{wq5_0, wq5_1, wq5_2, wq5_3}, [", "{wq5_0, wq5_1, wq5_3, wq5_2}, ["),
              HasSubstr("stores what was not loaded"));
  EXPECT_THAT(why("bar.sync 0;", "bar.sync 0; add.u32 wq6_1, wq6_1, 3;"), HasSubstr("writes to a quad"));
}

}  // namespace
}  // namespace warpclock
