#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/embedded.hpp"
#include "base/text.hpp"
#include "model/machine.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;

std::string committed() { return embedded_configs().at("model.yaml"); }

/// The error of the committed configuration with the first `from` replaced.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = committed();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "not in the configuration: " + from;
  text.replace(at, from.size(), to);
  const auto config = parse_model_config("m.yaml", text);
  return config ? "" : config.error().message();
}

TEST(ModelConfig, TheCommittedOneIsRead) {
  const auto& config = known_model_config();
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->sections.size() + 3, machine_sections.size());
  for (const auto& [section, rules] : config->sections) EXPECT_FALSE(rules.empty()) << section;
}

TEST(ModelConfig, EveryErrorHasItsPlace) {
  const std::string shared = "latency: {probe: memory/shared_chase, cases: latency, with: {bytes: 4, lanes: same}}";
  EXPECT_THAT(error_with(shared, "latency: {probe: memory/shared_chase}"),
              HasSubstr("says one of 'cases', 'half', 'feature'"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, cases: c, half: c}"), HasSubstr("exclude each other"));
  EXPECT_THAT(error_with(shared, "latency: {cases: c}"), HasSubstr("missing key 'probe'"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, ptx: c, cases: c}"), HasSubstr("without 'probe'"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, cases: c, where: L1}"), HasSubstr("only for features"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, line: c}"), HasSubstr("missing key 'over'"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, cases: c, take: most}"), HasSubstr("unknown value 'most'"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, cases: c, with: {x: [1]}}"),
              HasSubstr("a range is [low, high]"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b, cases: c, with: {x: [1, l3]}}"), HasSubstr("'l3'"));
  EXPECT_THAT(error_with("clock: sm}", "clock: memory}"), HasSubstr("unknown value 'memory'"));
  EXPECT_THAT(error_with("pipeline: TC", "pipeline: TMEM"), HasSubstr("unknown value 'TMEM'"));
  EXPECT_THAT(error_with("capacities:", "capcities:"),
              HasSubstr("unknown key 'capcities' (did you mean 'capacities'?)"));
  EXPECT_THAT(error_with(shared, "latency: {probe: a/b}"), HasSubstr("m.yaml:"));
}

}  // namespace
}  // namespace warpclock
