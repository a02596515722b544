#include "capture/predict_capture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/hash.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "capture/capture.hpp"

namespace warpclock {
namespace {

KernelFacts facts() {
  KernelFacts made;
  made.parameters = {{0, 8}, {8, 8}, {16, 4}};
  return made;
}

CapturedLaunch launch() {
  return {.grid = {132, 1, 1},
          .block = {32, 2, 1},
          .shared_bytes = 64,
          .parameters = {{0, "0010000000000000"}, {8, "0018000000000000"}, {16, "41000000"}},
          .pointers = {{0, 0x800, 0x4000, 0x800}, {8, 0x1000, 0x4000, 0x800}}};
}

TEST(CapturedLaunch, IsWhatOptionsSay) {
  const testing::TemporaryFolder folder;
  const PredictOptions what = must(options_of(launch(), facts(), folder / ""));
  EXPECT_EQ(what.blocks, 132);
  EXPECT_EQ(what.threads, 64);
  EXPECT_EQ(what.dynamic_bytes, 64);
  EXPECT_THAT(what.shape.cluster, ElementsAre(0, 0, 0));
  ASSERT_EQ(what.shape.arguments.size(), 3U);
  EXPECT_EQ(what.shape.arguments[2].bytes, std::string("\x41\0\0\0", 4));
  const auto& buffers = what.shape.buffers;
  ASSERT_EQ(buffers.size(), 3U) << "before the first pointer, between both, from the second on";
  EXPECT_EQ(buffers[0].address, 0x800U);
  EXPECT_EQ(buffers[0].bytes, 0x800);
  EXPECT_EQ(buffers[1].address, 0x1000U);
  EXPECT_EQ(buffers[1].bytes, 0x800);
  EXPECT_EQ(buffers[2].bytes, 0x3000);
}

TEST(CapturedLaunch, HasWhatWasKeptOfItsBuffers) {
  const testing::TemporaryFolder folder;
  const std::string held(0x900, 'h'), hash = hash_hex(held);
  std::filesystem::create_directories(folder / capture_data);
  testing::write((folder / capture_data) + "/" + hash, held);
  CapturedLaunch one = launch();
  one.pointers[0].data = hash, one.pointers[0].data_bytes = std::ssize(held);
  const PredictOptions what = must(options_of(one, facts(), folder / ""));
  EXPECT_EQ(what.shape.buffers[1].contents, std::string(0x800, 'h')) << "to the next pointer";
  EXPECT_THAT(what.assumed, IsEmpty());
  one.pointers[1].data = hash, one.pointers[1].data_bytes = std::ssize(held);
  const PredictOptions longer = must(options_of(one, facts(), folder / ""));
  EXPECT_EQ(longer.shape.buffers[2].contents, held);
  EXPECT_FALSE(longer.shape.buffers[2].once);
  EXPECT_THAT(longer.assumed, ElementsAre("beyond what was kept of it, a buffer holds the same again"));
  one.pointers[0].data = std::string(32, '0');
  EXPECT_THAT(failure_of(options_of(one, facts(), folder / "")), IsError("io", HasSubstr("")));
}

TEST(CapturedLaunch, SaysWhyItIsNoLaunch) {
  CapturedLaunch one = launch();
  one.missing = "gone";
  EXPECT_THAT(failure_of(options_of(one, facts(), "")), IsError("capture", "gone"));
  one = launch();
  one.parameters[1].bytes = "00";
  EXPECT_THAT(failure_of(options_of(one, facts(), "")),
              IsError("capture", "the launch has no parameter of 8 bytes at 8, which the kernel has"));
}

TEST(CapturedLaunch, HasItsCluster) {
  CapturedLaunch one = launch();
  one.cluster = {1, 2, 1};
  EXPECT_THAT(must(options_of(one, facts(), "")).shape.cluster, ElementsAre(1, 2, 1));
}

TEST(PredictionSheet, CutsTheNamesOfTemplatesForReadersAlone) {
  Capture capture;
  capture.devices.emplace_back();
  capture.kernels.push_back({.symbol = std::string(5000, 'k')});
  capture.launches.push_back(launch());
  const Sheet sheet = sheet_of(capture, {});
  for (const Table& table : sheet.tables) {
    for (const auto& row : table.rows) {
      const auto name = std::ranges::find_if(row, [](const Cell& cell) { return cell.text.starts_with("kkk"); });
      ASSERT_NE(name, row.end()) << table.key;
      EXPECT_EQ(name->text, std::string(100, 'k') + "…");
      EXPECT_EQ(name->value, Json(std::string(5000, 'k')));
    }
  }
  EXPECT_EQ(sheet.tables.size(), 2U) << "kernels and launches";
}

TEST(CauseKind, HasNoNumbers) {
  EXPECT_EQ(cause_kind("loop 12 (0x0a40, gemm.cu:7) has 0.5 trips of sm_90"),
            "loop # (#, gemm.cu:#) has # trips of sm_90");
  EXPECT_EQ(cause_kind("LDS.128 at 4096"), "LDS.# at #");
}

}  // namespace
}  // namespace warpclock
