#include "measure/resume/run_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

/// What decides the rows of one run.
struct Setting {
  std::map<std::string, std::string> configs = {{"configs/a.yaml", "launch: {warps: 1}\n"}, {"configs/b.yaml", "c"}};
  std::map<std::string, std::string> sources = {{"a.cu", "code"}};
  DeviceFacts device;
  std::string host = "node1", counters_missing;
  std::vector<std::string> tools = {"nvrtc 13.0", "ptxas 13.0", "nvdisasm 13.0"}, flags;
  std::vector<Case> cases = std::vector<Case>(1);

  Setting() {
    device.name = "NVIDIA H200";
    device.uuid = "GPU-5f";
    device.pci = "0000:1B:00.0";
    device.driver = "580.1";
    device.sm_clock_set_mhz = 1980;
    cases.front().id = "a/b";
  }

  [[nodiscard]] RunKey key() const {
    return run_key(cases, {configs, sources, device, host, counters_missing, tools, flags});
  }
};

/// The parts of the key that a change of the setting changes.
std::vector<std::string> changed_by(const std::function<void(Setting&)>& change) {
  Setting before, after;
  change(after);
  const RunKey a = before.key(), b = after.key();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) names.push_back(a[i].first);
  return names;
}

TEST(RunKey, ChangesWithWhateverDecidesARow) {
  EXPECT_THAT(changed_by([](Setting&) {}), IsEmpty());
  EXPECT_THAT(changed_by([](Setting& s) { s.device.uuid = "GPU-60"; }), Contains("GPU"));
  EXPECT_THAT(changed_by([](Setting& s) { s.device.driver = "580.2"; }), Contains("driver"));
  EXPECT_THAT(changed_by([](Setting& s) { s.device.sm_clock_set_mhz = 1410; }), ElementsAre("state of the GPU"));
  EXPECT_THAT(changed_by([](Setting& s) { s.device.power_limit_w = 300; }), ElementsAre("state of the GPU"));
  EXPECT_THAT(changed_by([](Setting& s) { s.counters_missing = "no permission"; }), ElementsAre("counters"));
  EXPECT_THAT(changed_by([](Setting& s) { s.flags = {"--benchmark_repetitions=3"}; }), ElementsAre("options"));
  EXPECT_THAT(changed_by([](Setting& s) { s.sources["a.cu"] = "other"; }), ElementsAre("probes"));
  EXPECT_THAT(changed_by([](Setting& s) { s.cases.front().id = "a/c"; }), ElementsAre("cases"));
  EXPECT_THAT(changed_by([](Setting& s) { s.cases.front().measures = {{}}; }), ElementsAre("cases"));
  for (std::size_t i = 0; i < Setting().tools.size(); ++i)
    EXPECT_THAT(changed_by([i](Setting& s) { s.tools[i] += ".1"; }), ElementsAre("tools"));
}

TEST(RunKey, AGpuWithoutAUuidIsKnownByItsPlace) {
  const auto nameless = [](const char* host, const char* pci) {
    Setting setting;
    setting.device.uuid = "";
    setting.device.pci = pci;
    setting.host = host;
    return setting.key();
  };
  EXPECT_EQ(nameless("node1", "1"), nameless("node1", "1"));
  EXPECT_NE(nameless("node1", "1"), nameless("node2", "1"));
  EXPECT_NE(nameless("node1", "1"), nameless("node1", "2"));
  EXPECT_THAT(changed_by([](Setting& s) { s.host = "a new name of the container"; }), IsEmpty());
}

TEST(RunKey, ErrorsThatAreCountedMeanwhileChangeNothing) {
  EXPECT_THAT(changed_by([](Setting& s) { s.device.memory_errors["corrected"] = 1; }), IsEmpty());
}

TEST(RunKey, TextThatMovesToAnotherFieldChangesIt) {
  EXPECT_THAT(changed_by([](Setting& s) {
                s.configs = {{"configs/a.yaml", "launch: {warps: 1}\nconfigs/b.yaml"}, {"", "c"}};
              }),
              ElementsAre("configs"));
  EXPECT_THAT(changed_by([](Setting& s) {
                s.tools = {"nvrtc 13.0ptxas 13.0", "", "nvdisasm 13.0"};
              }),
              ElementsAre("tools"));
}

// So each key of each stanza does: launch, data, repeat, window, premises, measures, ...
TEST(RunKey, ChangesWithEveryLineOfEveryConfig) {
  const auto configs = embedded_configs();
  Setting setting;
  std::size_t tried = 0;
  for (const char* const name : {"shuffle.yaml", "cache.yaml", "matrix.yaml"}) {
    const std::string text = configs.at(name);
    setting.configs = {{name, text}};
    const RunKey whole = setting.key();
    const auto all = lines(text);
    for (std::size_t i = 0; i < all.size(); ++i, ++tried) {
      auto changed = all;
      changed[i] += " ";
      setting.configs[name] = join(changed, "\n");
      ASSERT_NE(setting.key(), whole) << name << ":" << i + 1;
    }
    setting.configs[name] = text;
    EXPECT_EQ(setting.key(), whole);
  }
  EXPECT_GT(tried, 100U);
}

}  // namespace
}  // namespace warpclock
