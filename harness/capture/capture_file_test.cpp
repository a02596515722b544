#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "capture/capture.hpp"
#include "capture/capture_program.hpp"
#include "capture/testing/seen.hpp"

namespace warpclock {
namespace {

Capture assembled() {
  Capture capture{.program = "warpclock", .command = {"python3", "train.py"}, .exit_status = 3, .seconds = 1.5};
  assemble(capture, {read_spool(testing::seen_text)}, {{std::string(32, 'a'), {{"add", "code"}}}});
  return capture;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(CaptureSheet, NamesEachGpu) {
  Capture capture;
  capture.devices = {{.name = "NVIDIA H100", .arch = "sm_90", .sms = 132}, {.arch = "sm_80", .sms = 108}};
  const Sheet sheet = capture_sheet(capture);
  EXPECT_THAT(to_text(sheet, Style(false)),
              ::testing::ContainsRegex("  GPU +NVIDIA H100 .sm_90, 132 SMs.\n +unknown .sm_80"));
  EXPECT_EQ(to_json(sheet).at("gpus"), Json::array({"NVIDIA H100 (sm_90, 132 SMs)", "unknown (sm_80, 108 SMs)"}));
}

TEST(CaptureFile, ReadsWhatItWrites) {
  const Capture capture = assembled();
  EXPECT_EQ(must(parse_capture(to_json(capture), "a")), capture);
  const testing::TemporaryFolder folder;
  testing::write(folder / capture_record, gzip_compress(to_json(capture)));
  EXPECT_EQ(must(read_capture(folder / "")), capture);
  EXPECT_TRUE(is_capture(folder / ""));
  EXPECT_TRUE(is_capture(folder / capture_record));
  EXPECT_EQ(capture_folder("a/b/capture.json.gz"), "a/b");
  EXPECT_EQ(capture_folder("capture.json"), ".");
  EXPECT_FALSE(is_capture(folder / "none"));
}

TEST(CaptureFile, ASchemaNamesEachKey) {
  const std::string schema = capture_schema(), text = to_json(assembled());
  for (const char* key : {"schema", "launches", "pointers", "buffer_bytes", "median_ns", "cooperative"}) {
    EXPECT_THAT(schema, HasSubstr("\"" + std::string(key) + "\""));
    EXPECT_THAT(text, HasSubstr("\"" + std::string(key) + "\""));
  }
}

TEST(CaptureFile, SaysWhatIsWrongWithARecord) {
  const std::string good = to_json(assembled());
  const auto error = [](const std::string& text) { return failure_of(parse_capture(text, "a.json")); };
  EXPECT_THAT(error("{"), IsError("json", HasSubstr("")));
  EXPECT_THAT(error(replaced(good, "\"major\":1", "\"major\":2")),
              IsError("record-version", "schema 2.x.x is not 1.x.x, which this program reads"));
  EXPECT_THAT(error(replaced(good, "\"record\":\"capture\"", "\"record\":\"cases\"")),
              IsError("record", "it is no capture"));
  EXPECT_THAT(error(replaced(good, "\"kernel\":0", "\"kernel\":9")),
              IsError("record", "launches[0]: there is no such kernel"));
  EXPECT_THAT(error(replaced(good, "[132,2,1]", "[132,2]")), IsError("record", HasSubstr("three extents above 0")));
  EXPECT_THAT(error(replaced(good, "\"41000000\"", "\"4100000\"")),
              IsError("record", "launches[0]: a parameter is no bytes"));
  EXPECT_THAT(error(replaced(good, "\"buffer_bytes\":16384", "\"buffer_bytes\":12")),
              IsError("record", "launches[0]: a pointer is not in its buffer"));
  EXPECT_THAT(error(replaced(good, "\"below\":{\"bytes\":4096,\"ago\":2}", "\"below\":{\"bytes\":-4096,\"ago\":2}")),
              IsError("record", HasSubstr("a place below a pointer is above it")));
  EXPECT_THAT(error(replaced(good, std::string(32, 'b'), "../../etc/passwd")),
              IsError("record", "launches[0]: the name of a file of data is no hash"));
  EXPECT_THAT(error(replaced(good, std::string(32, 'a'), "../" + std::string(29, 'a'))),
              IsError("record", "the name of a cubin is no hash"));
}

TEST(CaptureFile, TakesNoFileForAnother) {
  const testing::TemporaryFolder folder;
  const std::string hash = hash_hex("abc");
  std::filesystem::create_directories(folder / capture_code);
  testing::write((folder / capture_code) + "/" + hash, "abc");
  EXPECT_EQ(must(read_kept(folder / "", capture_code, hash)), "abc");
  testing::write((folder / capture_code) + "/" + hash, "abd");
  EXPECT_THAT(failure_of(read_kept(folder / "", capture_code, hash)),
              IsError("record", "the file is not what its name says"));
}

TEST(CaptureFile, TakesAnyText) {
  std::mt19937 random(53);
  const std::string good = to_json(assembled());
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (std::size_t k = 0; k < 1 + random() % 4; ++k) text[random() % text.size()] = "0 9a-x:\",[]{}"[random() % 13];
    if (const auto capture = parse_capture(text, "a")) {
      ++read;
      for (const CapturedLaunch& one : capture->launches) ASSERT_LT(one.kernel, std::ssize(capture->kernels));
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace warpclock
