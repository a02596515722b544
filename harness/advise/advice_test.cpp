#include "advise/advice.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advise/advisers.hpp"
#include "advise/testing/source.hpp"
#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/schema.hpp"
#include "base/text.hpp"
#include "inspect/inspect.hpp"
#include "inspect/testing/recorded.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

/// An answer to each question.
std::vector<Advice> answers(const AdviceSource& from) {
  InspectOptions what;
  what.threads = 256;
  what.dynamic_bytes = 100000;
  what.machine = &from.machine;
  const Inspection file = inspect("kernels.cubin", testing::recorded_kernels(), what).value();
  return {advise_pipeline(from, {"128x256x64", "f16", MemoryLevel::L2}).value(),
          advise_bandwidth(from, {.level = MemoryLevel::Dram, .bytes = 1 << 28, .warps = 8}),
          advise_swizzle(from, {64, "ldmatrix"}).value(), advise_attention(from, {}).value(),
          advise_occupancy(from, file).value()};
}

TEST(AdviceText, AndJsonAreTheAcceptedTexts) {
  const MeasuredGpu gpu = testing::cut_gpu();
  const Machine machine = testing::cut_machine();
  std::string text, json;
  for (const Advice& one : answers({gpu, machine})) {
    text += to_text(advice_sheet(one), Style(false)) + "\n";
    json += to_json(one) + "\n";
  }
  testing::expect_golden("answers.txt", text, "advise");
  testing::expect_golden("answers.json", json, "advise");
}

TEST(AdviceJson, IsWhatItsSchemaSays) {
  const std::string schema = advice_schema();
  std::string text;
  for (const Advice& answer : answers(testing::source_of(testing::committed("h200")))) {
    text = to_json(answer);
    const std::string said = testing::schema_complaint(schema, text);
    if (said == "skip") GTEST_SKIP() << "no validator here (install python3-jsonschema)";
    EXPECT_EQ(said, "");
  }
  EXPECT_NE(testing::schema_complaint(schema, replace_all(text, "\"gpu\":", "\"card\":")), "");
  EXPECT_NE(testing::schema_complaint(schema, replace_all(text, "\"blocks\": ", "\"blocks\": 0.5")), "");
}

TEST(AdviceText, HasTheRowsAndTheErrorsOfEachAnswer) {
  for (const auto& one : testing::committed_gpus()) {
    for (const Advice& answer : answers(testing::source_of(one))) {
      const std::string text = to_text(advice_sheet(answer), Style(false));
      for (const UsedNumber& used : answer.used) {
        EXPECT_TRUE(text.contains(used.name)) << used.name;
        EXPECT_FALSE(used.rows.empty() || used.date.empty() || used.gpu.empty() || used.commit.empty()) << used.name;
      }
      for (const ModelCheck& check : answer.checks) EXPECT_TRUE(text.contains(check.row)) << check.row;
      for (const std::string& sentence : answer.unknown) EXPECT_TRUE(text.contains(sentence)) << sentence;
      EXPECT_FALSE(answer.used.empty());
      EXPECT_FALSE(answer.unknown.empty() && !answer.swizzle);
    }
  }
}

/// The errors of all answers of a GPU.
std::vector<ModelCheck> all_checks(const AdviceSource& from) {
  std::vector<ModelCheck> all;
  const auto add = [&](const Advice& advice) {
    for (const ModelCheck& check : advice.checks)
      if (std::ranges::find(all, check) == all.end()) all.push_back(check);
  };
  add(advise_pipeline(from, {"128x128x64", "f16", MemoryLevel::L2, Tiles::Shared}).value());
  for (const MemoryLevel level : {MemoryLevel::L2, MemoryLevel::Dram}) {
    add(advise_pipeline(from, {"128x128x64", "f16", level}).value());
    add(advise_bandwidth(from, {.level = level}));
  }
  for (const char* access : {"ldmatrix", "stmatrix", "lds.32", "sts.32"})
    add(advise_swizzle(from, {64, access}).value());
  add(advise_attention(from, {}).value());
  return all;
}

TEST(AdviceDocument, HasTheErrorsOfBothGpus) {
  const auto h200 = all_checks(testing::source_of(testing::committed("h200")));
  const auto h100 = all_checks(testing::source_of(testing::committed("h100")));
  ASSERT_EQ(h200.size(), h100.size());
  EXPECT_GE(h200.size(), 12U);
  std::vector<double> kernels, others;
  for (const auto& checks : {h200, h100})
    for (const ModelCheck& check : checks)
      (check.of.contains("whole kernels") ? kernels : others).push_back(100 * check.mean_absolute);
  const std::string text = replace_all(read_file(WARPCLOCK_SOURCE_DIR "/docs/advise.md").value(), "\n", " ");
  for (const auto& errors : {kernels, others}) {
    const auto [low, high] = std::ranges::minmax(errors);
    EXPECT_THAT(text, HasSubstr(fmt::format("{:.1f} to {:.1f} %", low, high)));
  }
}

}  // namespace
}  // namespace warpclock
