#include "measure/resume/journal.hpp"

#include <gtest/gtest.h>

#include "base/files/marked.hpp"
#include "base/files/paths.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/testing/record.hpp"

namespace warpclock {
namespace {

using ::testing::Key;

class JournalTest : public ::testing::Test {
 protected:
  static CaseRecord row(const std::string& id, Outcome outcome = Outcome::Measured) {
    CaseRecord one = testing::example_record().cases.at(1);
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

TEST_F(JournalTest, SaysWhyARowCannotBeAppended) {
  Journal journal = open("2026-01-01T00:00:00Z");
  ASSERT_TRUE(journal.append(row("a")));
  {
    const testing::FileSizeLimit limit(read_file(path_)->size() + 10);
    EXPECT_THAT(failure_of(journal.append(row("b"))), IsError("io", HasSubstr("File too large")));
  }
  EXPECT_THAT(open("2026-01-02T00:00:00Z").rows(), ElementsAre(Key("a")));
}

}  // namespace
}  // namespace warpclock
