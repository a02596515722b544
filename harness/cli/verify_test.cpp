#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/process.hpp"
#include "base/testing/matchers.hpp"

// Windows of architectures beside the four on which every probe is verified.

namespace warpclock {
namespace {

/// Verdicts of the first, middle and last case of each probe that is meant, by id; skipped cases have none.
std::map<std::string, std::string> verdicts(const std::string& arch, const std::vector<std::string>& patterns) {
  std::vector<std::string> command = {WARPCLOCK_PROGRAM, "verify",       "--arch",   arch,
                                      "--suite",         "full,kernels", "--sample", "--json"};
  command.insert(command.end(), patterns.begin(), patterns.end());
  const auto ran = must(run_process(command));
  std::map<std::string, std::string> all;
  for (const auto& row : json_of(ran.out)) all[row["id"]] = row["verdict"];
  return all;
}

// QMMA and IMMA with four-bit inputs are native there, which is not so where the tensor core is newer or older.
TEST(VerifiedWindows, HaveTheNativeProductsOfAda) {
  const auto all = verdicts("sm_89", {"matrix/mma_e4m3", "matrix/mma_f8_nan_e4m3", "matrix/mma_fragments_f8",
                                      "matrix/mma_s4", "matrix/mma_fragments_s4"});
  EXPECT_EQ(all.size(), 10U);
  for (const auto& [id, verdict] : all) EXPECT_EQ(verdict, "verified") << id;
}

TEST(VerifiedWindows, HaveTensorMemoryOnEveryDatacenterBlackwell) {
  for (const std::string arch : {"sm_103a", "sm_110a"}) {
    const auto all = verdicts(arch, {"tcgen05/issue", "tcgen05/load[", "tcgen05/rate_scaled", "tensor_copy/gather"});
    EXPECT_EQ(all.contains("tcgen05/issue[what=mma,kind=i8,types=9,dtype=2]"), arch == "sm_110a");
    EXPECT_EQ(all.size(), 12U);
    for (const auto& [id, verdict] : all) EXPECT_EQ(verdict, "verified") << arch << " " << id;
  }
}

// Before sm_80 a load that L1 may answer is .STRONG.CTA in machine code, and cp.async is no instruction.
TEST(VerifiedWindows, HaveTheLoadsOfTuring) {
  const auto all = verdicts("sm_75", {"memory/chase", "async_copy/plain", "shuffle/latency"});
  EXPECT_EQ(all.size(), 9U);
  for (const auto& [id, verdict] : all) EXPECT_EQ(verdict, "verified") << id;
  EXPECT_TRUE(verdicts("sm_75", {"async_copy/latency"}).empty());
}

// What a family of architectures has is less than what one of them has.
TEST(VerifiedWindows, HaveWhatAFamilyHas) {
  const auto all = verdicts("sm_100f", {"tcgen05/issue", "tcgen05/rate_scaled", "issue/convert_fp4"});
  EXPECT_EQ(all.size(), 6U);
  for (const auto& [id, verdict] : all) EXPECT_EQ(verdict, "verified") << id;
}

}  // namespace
}  // namespace warpclock
