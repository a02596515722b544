#include "measure/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/files/embedded.hpp"
#include "base/files/file.hpp"
#include "base/files/marked.hpp"
#include "base/lookup.hpp"
#include "base/testing/chaos.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/testing/record.hpp"

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

using ::testing::Key;

class JournalTest : public ::testing::Test {
 protected:
  static Row row(const std::string& id, Outcome outcome = Outcome::Measured) {
    Row one = testing::example_record().rows.at(1);
    one.id = id;
    one.outcome = outcome;
    return one;
  }

  Journal open(const std::string& date, bool continues = false) {
    return must(Journal::open(path_, key_, {date, continues}));
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_ / "run.journal";
  RunKey key_ = {{"GPU", "GPU-5f"}, {"configs", "1234"}};
};

TEST_F(JournalTest, GivesBackTheRowsOfAStoppedRun) {
  {
    Journal first = open("2026-01-01T00:00:00Z");
    EXPECT_THAT(first.rows(), IsEmpty());
    ASSERT_TRUE(first.append(row("a")));
    ASSERT_TRUE(first.append(row("b")));
    EXPECT_EQ(first.resumed({"a", "b"}), ResumedRows());
  }
  const Journal second = open("2026-01-02T00:00:00Z");
  EXPECT_THAT(second.rows(), ElementsAre(Key("a"), Key("b")));
  EXPECT_EQ(second.rows().at("a"), row("a"));
  EXPECT_EQ(second.resumed({"a", "b", "c"}), (ResumedRows{2, "2026-01-01T00:00:00Z"}));
  EXPECT_TRUE(may_replace(path_)) << "it is known as a file of this program";
}

TEST_F(JournalTest, IsStartedAnewForAnotherKeyAndSaysWhatDiffers) {
  ASSERT_TRUE(open("2026-01-01T00:00:00Z").append(row("a")));
  key_ = {{"GPU", "GPU-60"}, {"configs", "1234"}};
  const Journal other = open("2026-01-02T00:00:00Z");
  EXPECT_THAT(other.rows(), IsEmpty());
  EXPECT_EQ(other.differs(), "GPU");
  EXPECT_EQ(open("2026-01-03T00:00:00Z").differs(), "") << "there was nothing to take";
}

TEST_F(JournalTest, OfAnEarlierVersionIsStartedAnew) {
  testing::write(path_, "{\"run\":\"0123\"}\n" + std::string("{\"id\":\"a\"}\n"));
  const Journal journal = open("2026-01-02T00:00:00Z");
  EXPECT_THAT(journal.rows(), IsEmpty());
  EXPECT_EQ(journal.differs(), "GPU, configs");
}

TEST_F(JournalTest, CountsTheRowsOfEachEarlierRun) {
  ASSERT_TRUE(open("2026-01-01T00:00:00Z").append(row("failed", Outcome::Failed)));
  ASSERT_TRUE(open("2026-01-02T00:00:00Z").append(row("a")));
  {
    Journal third = open("2026-01-03T00:00:00Z");
    ASSERT_TRUE(third.append(row("failed")));
    ASSERT_TRUE(third.append(row("a"))) << "with its counters";
  }
  const Journal last = open("2026-01-04T00:00:00Z");
  EXPECT_EQ(last.resumed({"a"}), (ResumedRows{1, "2026-01-02T00:00:00Z"}));
  EXPECT_EQ(last.resumed({"failed"}), (ResumedRows{1, "2026-01-03T00:00:00Z"})) << "measured again";
  EXPECT_EQ(last.resumed({"a", "failed"}), (ResumedRows{2, "2026-01-02T00:00:00Z"}));
}

// A run of all GPUs measures in two parts, each a process.
TEST_F(JournalTest, RowsOfAnEarlierPartAreOfTheSameRun) {
  ASSERT_TRUE(open("2026-01-01T00:00:00Z").append(row("a")));
  ASSERT_TRUE(open("2026-01-02T00:00:00Z").append(row("b")));
  const Journal part = open("2026-01-03T00:00:00Z", true);
  EXPECT_EQ(part.resumed({"a", "b"}), (ResumedRows{1, "2026-01-01T00:00:00Z"}));
}

TEST_F(JournalTest, DropsALineThatWasCutOff) {
  {
    Journal first = open("2026-01-01T00:00:00Z");
    ASSERT_TRUE(first.append(row("a")));
    ASSERT_TRUE(first.append(row("b")));
  }
  const std::string whole = read_file(path_).value();
  for (std::size_t size = whole.size() - 2; size > 0; size -= std::min<std::size_t>(size, 97)) {
    testing::write(path_, whole.substr(0, size));
    const Journal again = open("2026-01-02T00:00:00Z");
    EXPECT_LT(again.rows().size(), 2U) << size;
    for (const auto& [id, one] : again.rows()) EXPECT_EQ(one, row(id)) << size;
  }
}

// A number that is another one is a row that nobody measured.
TEST_F(JournalTest, DropsADamagedLine) {
  ASSERT_TRUE(open("2026-01-01T00:00:00Z").append(row("a")));
  const std::string whole = read_file(path_).value();
  std::size_t tried = 0;
  for (std::size_t at = whole.find("{\"id\""); at < whole.size() - 1; at += 3, ++tried) {
    std::string damaged = whole;
    damaged[at] = damaged[at] == '1' ? '2' : '1';
    testing::write(path_, damaged);
    EXPECT_THAT(open("2026-01-02T00:00:00Z").rows(), IsEmpty()) << at;
  }
  EXPECT_GT(tried, 100U);
  testing::write(path_, whole);
  EXPECT_THAT(open("2026-01-02T00:00:00Z").rows(), ElementsAre(Key("a")));
}

TEST_F(JournalTest, SaysWhyARowCannotBeAppended) {
  Journal journal = open("2026-01-01T00:00:00Z");
  ASSERT_TRUE(journal.append(row("a")));
  {
    const testing::FileSizeLimit limit(read_file(path_)->size() + 10);
    EXPECT_THAT(failure_of(journal.append(row("b"))), IsError("io", HasSubstr("File too large")));
  }
  EXPECT_THAT(open("2026-01-02T00:00:00Z").rows(), ElementsAre(Key("a")));
}

/// What decides a row, and changes of it.
using Change = std::function<void(Setting&, const std::string& text, int number, testing::Chaos&)>;
const std::vector<Change>& changes() {
  using Text = const std::string&;
  static const std::vector<Change> all = {
      [](Setting& s, Text text, int, auto&) { s.device.uuid = "GPU-" + text; },
      [](Setting& s, Text text, int, auto&) { s.device.uuid = "", s.host = s.device.pci = text; },
      [](Setting& s, Text text, int, auto&) { s.device.driver = text; },
      [](Setting& s, Text, int number, auto&) { s.device.sm_clock_set_mhz = number; },
      [](Setting& s, Text, int number, auto&) { s.device.memory_clock_set_mhz = number; },
      [](Setting& s, Text, int number, auto&) { s.device.power_limit_w = number; },
      [](Setting& s, Text text, int, auto&) { s.device.vbios = text; },
      [](Setting& s, Text text, int, auto&) { s.device.ecc = text; },
      [](Setting& s, Text text, int, auto&) { s.device.name = s.device.arch = text; },
      [](Setting& s, Text text, int, auto&) { s.counters_missing = text; },
      [](Setting& s, Text text, int, auto&) { s.flags.push_back(text); },
      [](Setting& s, Text text, int, auto&) { s.sources.emplace(text, ""); },
      [](Setting& s, Text, int, testing::Chaos& chaos) { chaos.damage(s.sources.at("a.cu")); },
      [](Setting& s, Text, int, testing::Chaos& chaos) { chaos.damage(s.configs.at("configs/a.yaml")); },
      [](Setting& s, Text, int, testing::Chaos& chaos) { chaos.damage(chaos.one_of(s.tools)); },
      [](Setting& s, Text text, int, auto&) { s.cases.front().id += text; }};
  return all;
}

// Promised in docs/promises.md: no row is taken over where anything that decides it is another one.
TEST_F(JournalTest, TakesNoRowIntoARunInWhichSomethingWasChanged) {
  testing::Chaos chaos(300);
  for (std::size_t i = 0; i < chaos.cases(); ++i) {
    Setting before, after;
    const std::size_t several = chaos.one_in(10) ? 0 : 1 + chaos.below(3), first = chaos.below(changes().size());
    for (std::size_t k = first; k < first + several; ++k)
      changes()[k % changes().size()](after, std::to_string(chaos.below(1'000'000)), -1 - static_cast<int>(i), chaos);
    std::filesystem::remove(path_);
    ASSERT_TRUE(must(Journal::open(path_, before.key(), {"2026-01-01T00:00:00Z"})).append(row("a")));
    const Journal next = must(Journal::open(path_, after.key(), {"2026-01-02T00:00:00Z"}));
    ASSERT_EQ(next.rows().size(), several == 0 ? 1U : 0U) << i << ": " << next.differs();
    ASSERT_EQ(next.differs().empty(), several == 0) << i;
  }
}

TEST_F(JournalTest, OfWhateverDamageHasNoRowThatWasNotWritten) {
  testing::Chaos chaos(300);
  std::map<std::string, Row> written;
  {
    Journal first = open("2026-01-01T00:00:00Z");
    for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(first.append(written[id] = row(id)));
  }
  const std::string whole = read_file(path_).value();
  for (std::size_t i = 0; i < chaos.cases(); ++i) {
    std::string damaged = whole;
    for (std::size_t k = 0; k <= chaos.below(4); ++k) chaos.damage(damaged);
    if (chaos.one_in(4)) damaged.resize(chaos.below(damaged.size()));
    if (chaos.one_in(4)) damaged.insert(chaos.below(damaged.size() + 1), damaged, chaos.below(damaged.size() + 1), 900);
    testing::write(path_, damaged);
    const auto again = Journal::open(path_, key_, {"2026-01-02T00:00:00Z"});
    // Without its head it may be a file of somebody else.
    if (!again) {
      ASSERT_EQ(again.error().code, "not-generated") << i;
      continue;
    }
    for (const auto& [id, one] : again->rows()) {
      ASSERT_TRUE(written.contains(id)) << i;
      ASSERT_EQ(one, written.at(id)) << i;
    }
  }
}

}  // namespace
}  // namespace warpclock
