#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "answer/claims.hpp"
#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "inspect/load.hpp"

namespace warpclock {
namespace {

LoadOptions options_for(const Arch& arch) {
  LoadOptions options;
  options.arch = arch;
  options.arch_given = true;
  options.nvdisasm = find_nvdisasm("").value();
  return options;
}

/// What a GPU of sm_90a finds in the compiled source. Of a file for another target it may find nothing.
Expected<LoadedFile> found_in(const ClaimCode& code) {
  const auto path = std::string(WARPCLOCK_SOURCE_DIR "/probes/") + code.source;
  const LoadOptions hopper = options_for({90, true});
  if (code.target.empty()) return load_file(path, hopper);
  const testing::TemporaryFolder folder;
  const bool ptx = code.target.starts_with("compute_");
  const LoadOptions earlier = options_for(must(parse_arch("sm_" + code.target.substr(code.target.find('_') + 1))));
  const std::string file = folder / (ptx ? "a.ptx" : "a.cubin");
  testing::write(file, ptx ? must(ptx_of(path, earlier)).text : must(load_file(path, earlier)).images.front());
  return load_file(file, hopper);
}

std::vector<std::string> instructions_of(const LoadedFile& file, const std::string& kernel) {
  std::vector<std::string> all;
  for (const LoadedKernel& each : file.kernels) {
    if (each.listing.kernel != kernel) continue;
    for (const Instruction& one : each.listing.instructions)
      all.push_back((one.predicate.empty() ? "" : "@" + one.predicate + " ") + one.text);
  }
  return all;
}

// The instructions that claims.yaml counts are in the machine code as often as it says.
TEST(ClaimsCode, IsWhatTheCompilerMakes) {
  if (std::string_view(WARPCLOCK_TOOLKIT_VERSION) != "13.0") GTEST_SKIP() << "claims.yaml counts what CUDA 13.0 makes";
  int counted = 0;
  std::map<std::string, LoadedFile> files;
  for (const ReportedClaim& claim : must(known_claims())) {
    for (const auto* rows : {&claim.holds, &claim.fails, &claim.by_gpu, &claim.beside}) {
      for (const ClaimRow& row : *rows) {
        if (!row.code) continue;
        SCOPED_TRACE(claim.name + ": " + row.says);
        ++counted;
        const std::string key = row.code->source + row.code->target;
        if (!files.contains(key)) {
          auto found = found_in(*row.code);
          const bool nothing = !found && found.error().code == ErrorCode::UnsupportedArch && !row.code->target.empty();
          ASSERT_TRUE(found || nothing) << found.error().message();
          files.emplace(key, found ? *std::move(found) : LoadedFile{});
        }
        const auto all = instructions_of(files.at(key), row.code->kernel);
        ASSERT_TRUE(!all.empty() || !row.code->target.empty()) << row.code->kernel;
        EXPECT_EQ(std::ranges::count_if(all, [&](const auto& text) { return fits_name(text, row.code->has); }),
                  row.code->times);
      }
    }
  }
  EXPECT_GT(counted, 20);
}

using Words = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(ClaimsCode, OfMemcpyAsyncAndOfAMultiplyIsTheSameWordForWord) {
  const auto same = [](const std::string& source, const std::string& one, const std::string& other) {
    std::map<std::string, Words> words;
    for (const LoadedKernel& kernel : must(found_in({source, "", "", "", 0})).kernels)
      for (const Instruction& each : kernel.listing.instructions)
        words[kernel.listing.kernel].emplace_back(each.low, each.high);
    EXPECT_THAT(words[one], Not(IsEmpty()));
    EXPECT_EQ(words[one], words[other]);
  };
  same("claims/memcpy_async.cu", "cp_async", "vectors");
  same("claims/shift.cu", "shift", "multiply");
}

}  // namespace
}  // namespace warpclock
