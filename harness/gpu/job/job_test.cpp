#include "gpu/job/job.hpp"

#include <string>
#include <thread>
#include <vector>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

/// A worker that records its jobs and never has more than it should at a time.
class TimingLineTest : public ::testing::Test {
 protected:
  Expected<Observation> answer() {
    EXPECT_FALSE(posted_.empty());
    const Job job = posted_.front();
    posted_.pop_front();
    events_.push_back("take " + job.id);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (job.id == "lost") return fail("device-lost", "no new worker");
    if (job.id == "bad") return fail("fault", "illegal address");
    Observation seen;
    seen.clock.sm_mhz = static_cast<double>(job.launch.launches);
    return seen;
  }
  void post(const Job& job) {
    events_.push_back("post " + job.id);
    posted_.push_back(job);
    EXPECT_LE(posted_.size(), TimingLine::most_posted);
  }
  /// Requests a second job for rows called "again".
  std::optional<Job> look(std::size_t row, const Job& job, const Expected<Observation>& seen, bool again) {
    seen_.push_back(std::to_string(row) + " " + (seen ? std::to_string(int(seen->clock.sm_mhz)) : seen.error().code));
    if (job.id != "again" || again) return std::nullopt;
    Job longer = job;
    longer.launch.launches *= 7;
    return longer;
  }
  static Job job(const std::string& id) {
    Job made;
    made.id = id;
    made.launch.launches = 2;
    return made;
  }

  std::deque<Job> posted_;
  std::vector<std::string> events_, seen_;
  TimingLine line_{{[this](const Job& job) { post(job); }, [this] { return answer(); }},
                   [this](std::size_t row, const Job& job, const Expected<Observation>& seen, bool again) {
                     return look(row, job, seen, again);
                   }};
};

TEST_F(TimingLineTest, TheNextJobIsPostedBeforeAnAnswerIsWaitedFor) {
  for (const char* id : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(line_.add(seen_.size(), job(id)));
  ASSERT_TRUE(line_.finish());
  EXPECT_THAT(events_, ElementsAre("post a", "post b", "post c", "post d", "take a", "post e", "take b", "take c",
                                   "take d", "take e"));
  EXPECT_TRUE(line_.finish());
}

TEST_F(TimingLineTest, ARowThatIsTimedAgainWaitsForWhatIsPosted) {
  ASSERT_TRUE(line_.add(5, job("again")));
  ASSERT_TRUE(line_.add(6, job("b")));
  ASSERT_TRUE(line_.add(7, job("c")));
  ASSERT_TRUE(line_.add(8, job("d")));
  ASSERT_TRUE(line_.add(9, job("bad")));
  ASSERT_TRUE(line_.finish());
  EXPECT_THAT(seen_, ElementsAre("5 2", "6 2", "7 2", "8 2", "5 14", "9 fault"));
  EXPECT_EQ(line_.again(), 1U);
}

TEST_F(TimingLineTest, ALostDeviceEndsIt) {
  ASSERT_TRUE(line_.add(0, job("lost")));
  for (const char* id : {"b", "c", "d"}) ASSERT_TRUE(line_.add(1, job(id)));
  EXPECT_EQ(failure_of(line_.add(2, job("e"))).code, "device-lost");
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(TimingLineTest, TheWorkerIsBusyOnceAtATime) {
  const auto start = Time::now();
  ASSERT_TRUE(line_.add(0, job("again")));
  ASSERT_TRUE(line_.add(1, job("b")));
  ASSERT_TRUE(line_.finish());
  EXPECT_LE(line_.busy_s(), seconds_since(start));
  EXPECT_GE(line_.busy_s(), 0.006);
  EXPECT_GE(line_.again_s(), 0.002);
  EXPECT_LT(line_.again_s(), line_.busy_s() - 0.002);
}

}  // namespace
}  // namespace warpclock
