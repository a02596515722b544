#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "advise/advisers.hpp"
#include "advise/testing/source.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {
namespace {

using BankAddresses = std::array<std::uint32_t, 32>;

BankAddresses every(std::int64_t distance) {
  BankAddresses lanes{};
  for (std::size_t i = 0; i < lanes.size(); ++i)
    lanes.at(i) = static_cast<std::uint32_t>(static_cast<std::int64_t>(i) * distance);
  return lanes;
}

/// The places of probes/geometry/bank_places.cuh, written a second time.
BankAddresses places(const Row& row) {
  const std::int64_t at = whole(row, "at"), bytes = whole(row, "bytes");
  const std::string pattern = word_of(row, "pattern");
  BankAddresses lanes{};
  for (std::int64_t i = 0; i < 32; ++i) {
    std::int64_t words = i * at;
    if (pattern == "degree") words = i % at * 32 + i / at;
    if (pattern == "share") words = i / at;
    if (pattern == "interleave") words = i % at;
    lanes.at(static_cast<std::size_t>(i)) = static_cast<std::uint32_t>(words * bytes);
  }
  return lanes;
}

TEST(Wavefronts, OfEveryCommittedRowOfBanksAreTheCountedOnes) {
  ASSERT_GE(testing::committed_gpus().size(), 2U);
  for (const auto& one : testing::committed_gpus()) {
    std::size_t compared = 0;
    for (const char* probe : {"bank", "bank_wide", "conflict", "broadcast", "store_conflict", "store_same"}) {
      for (const RecordRow& at : rows_of(one.gpu, std::string("geometry/") + probe, "wavefronts")) {
        const int bytes = static_cast<int>(whole(*at.row, "bytes"));
        const BankUse use = std::string(probe).starts_with("store") ? BankUse::Store : BankUse::Load;
        const double counted = wavefronts_of(places(*at.row), bytes, use);
        // A counter may see a wavefront of the kernel's own set-up: 4.001.
        EXPECT_EQ(counted, std::round(at.estimate->value)) << one.machine.folder << " " << at.row->id;
        EXPECT_NEAR(at.estimate->value, std::round(at.estimate->value), 0.01) << at.row->id;
        ++compared;
      }
    }
    EXPECT_EQ(compared, 206U) << one.machine.folder;
  }
}

TEST(Wavefronts, OfStoresAreTheirCycles) {
  for (const auto& one : testing::committed_gpus()) {
    const auto rows = rows_of(one.gpu, "geometry/store_stride", "store");
    EXPECT_EQ(rows.size(), 21U);
    for (const RecordRow& at : rows) {
      const int bytes = static_cast<int>(whole(*at.row, "bytes"));
      EXPECT_EQ(wavefronts_of(places(*at.row), bytes, BankUse::Store), std::round(at.estimate->value)) << at.row->id;
    }
  }
}

TEST(Wavefronts, OfMatrixLoadsAndStoresAreTheirCycles) {
  for (const auto& one : testing::committed_gpus()) {
    for (const auto& [probe, count, near] :
         {std::tuple("matrix/ldmatrix_conflicts", 11U, 0.01), std::tuple("matrix/stmatrix_conflicts", 9U, 0.06)}) {
      const auto rows = rows_of(one.gpu, probe, "throughput");
      EXPECT_EQ(rows.size(), count) << probe;
      for (const RecordRow& at : rows) {
        const double cycles = 128.0 * 4 / at.estimate->value;
        EXPECT_NEAR(matrix_wavefronts(every(whole(*at.row, "stride")), 16) / cycles, 1, near) << at.row->id;
      }
    }
  }
}

TEST(Wavefronts, OfLanesInAnyOrderOfAGroupAreTheSame) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const int bytes = std::vector{4, 8, 16}.at(random() % 3);
    const std::size_t group = 128 / static_cast<std::size_t>(bytes);
    BankAddresses lanes{};
    for (auto& lane : lanes) lane = static_cast<std::uint32_t>(random() % 512) * static_cast<std::uint32_t>(bytes);
    const double before = wavefronts_of(lanes, bytes, BankUse::Store);
    EXPECT_GE(before, bytes / 4);
    EXPECT_LE(before, 32);
    EXPECT_LE(wavefronts_of(lanes, bytes, BankUse::Load), before);
    for (std::size_t first = 0; first < lanes.size(); first += group)
      std::shuffle(lanes.begin() + static_cast<std::ptrdiff_t>(first),
                   lanes.begin() + static_cast<std::ptrdiff_t>(first + group), random);
    EXPECT_EQ(wavefronts_of(lanes, bytes, BankUse::Store), before);
  }
}

TEST(Swizzled, MovesEachByteToAPlaceOfItsOwnInItsLine) {
  for (const std::int64_t span : {32, 64, 128}) {
    std::set<std::int64_t> seen;
    for (std::int64_t at = 0; at < 4096; ++at) {
      const std::int64_t to = swizzled(at, span);
      EXPECT_TRUE(seen.insert(to).second);
      EXPECT_EQ(to / span, at / span);
      EXPECT_EQ(to % 16, at % 16);
    }
  }
}

/// A place is 16 bytes of shared memory; it holds 1 + the number of the 16 bytes of the box that were found there.
TEST(Swizzled, IsWhereTensorCopiesPutEachChunk) {
  for (const auto& one : testing::committed_gpus()) {
    const auto rows = rows_of(one.gpu, "tensor_copy/swizzle_layout", "mismatches");
    EXPECT_EQ(rows.size(), 6U);
    std::size_t compared = 0;
    for (const RecordRow& at : rows) {
      const std::string word = word_of(*at.row, "swizzle");
      const std::int64_t span = word == "none" ? 16 : std::stoll(word);
      for (std::size_t place = 0; place < at.row->places.size(); ++place) {
        const auto chunk = static_cast<std::int64_t>(at.row->places[place]) - 1;
        if (chunk < 0) continue;
        EXPECT_EQ(swizzled(chunk * 16, span), static_cast<std::int64_t>(place) * 16) << at.row->id;
        ++compared;
      }
    }
    EXPECT_GT(compared, 500U) << one.machine.folder;
  }
}

const LayoutChoice& layout(const Advice& advice, const std::string& name, const std::string& lanes = "") {
  for (const LayoutChoice& each : advice.swizzle->layouts) {
    if (each.layout == name && (lanes.empty() || each.lanes == lanes)) return each;
  }
  ADD_FAILURE() << name;
  return advice.swizzle->layouts.front();
}

Advice advised(std::int64_t row_bytes, const std::string& access) {
  return advise_swizzle(testing::source_of(testing::committed("h200")), {row_bytes, access}).value();
}

TEST(SwizzleAdvice, ARowOf128BytesNeedsItsSwizzle) {
  const Advice advice = advised(128, "ldmatrix");
  EXPECT_EQ(advice.swizzle->fewest, 4);
  EXPECT_EQ(layout(advice, "plain").wavefronts, 32);
  EXPECT_EQ(layout(advice, "plain").conflicts, 28);
  EXPECT_EQ(layout(advice, "padded").pitch, 144);
  EXPECT_EQ(layout(advice, "swizzle 32B").wavefronts, 4) << "its boxes are 32 bytes wide";
  EXPECT_EQ(layout(advice, "swizzle 32B").pitch, 32);
  EXPECT_EQ(layout(advice, "swizzle 64B").wavefronts, 4);
  EXPECT_EQ(layout(advice, "swizzle 128B").wavefronts, 4);
  EXPECT_TRUE(layout(advice, "swizzle 128B").checked);
}

TEST(SwizzleAdvice, RowsThatAreShorterThanTheSwizzleAreNotChecked) {
  const Advice advice = advised(64, "stmatrix");
  EXPECT_EQ(layout(advice, "plain").wavefronts, 16);
  EXPECT_EQ(layout(advice, "padded").pitch, 80);
  EXPECT_TRUE(layout(advice, "swizzle 64B").checked);
  EXPECT_FALSE(layout(advice, "swizzle 128B").checked);
}

TEST(SwizzleAdvice, LoadsDownAColumnConflictAndAlongRowsDoNot) {
  const Advice words = advised(128, "lds.32");
  EXPECT_EQ(layout(words, "plain", "down a column").wavefronts, 32);
  EXPECT_EQ(layout(words, "padded", "down a column").pitch, 132);
  EXPECT_EQ(layout(words, "plain", "along rows").conflicts, 0);
  EXPECT_EQ(layout(advised(256, "sts.128"), "plain", "down a column").wavefronts, 32);
}

/// For each length of rows, padding by one access more than a multiple of 128 bytes is enough.
TEST(SwizzleAdvice, PaddingIsAlwaysFoundAndIsTheShortest) {
  for (const std::string& access : swizzle_accesses()) {
    const std::int64_t width = access.ends_with("32") ? 4 : access.ends_with("64") ? 8 : 16;
    for (std::int64_t bytes = width; bytes <= 256; bytes += width) {
      const Advice advice = advised(bytes, access);
      for (const LayoutChoice& each : advice.swizzle->layouts) {
        if (each.layout != "padded") continue;
        EXPECT_TRUE(each.lanes == "along rows" || each.conflicts == 0) << access << " " << bytes;
        EXPECT_LE(each.pitch - bytes, 128) << access << " " << bytes;
      }
    }
  }
}

TEST(SwizzleAdvice, CountsOfAllAccessesHaveTheirErrorBesideThem) {
  for (const std::string& access : swizzle_accesses()) {
    const Advice advice = advised(128, access);
    ASSERT_EQ(advice.checks.size(), 1U) << access;
    EXPECT_LE(advice.checks[0].mean_absolute, access == "stmatrix" ? 0.06 : 0.003) << access;
    EXPECT_GE(advice.checks[0].predictions, 9) << access;
  }
}

TEST(SwizzleAdvice, RefusesRowsAndAccessesThatThereAreNot) {
  const AdviceSource from = testing::source_of(testing::committed("h200"));
  EXPECT_EQ(advise_swizzle(from, {40, "ldmatrix"}).error().text,
            "--row-bytes: rows for ldmatrix are a multiple of 16 bytes long, up to 4096");
  EXPECT_FALSE(advise_swizzle(from, {0, "lds.32"}));
  EXPECT_FALSE(advise_swizzle(from, {-16, "ldmatrix"}));
  EXPECT_FALSE(advise_swizzle(from, {std::int64_t{1} << 40, "ldmatrix"}));
  EXPECT_EQ(advise_swizzle(from, {64, "ldmatrx"}).error().text,
            "--access: unknown access 'ldmatrx' (did you mean 'ldmatrix'?)");
}

}  // namespace
}  // namespace warpclock
