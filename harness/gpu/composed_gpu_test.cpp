#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "code/forms_fixture.hpp"
#include "compose/copies.hpp"
#include "compose/hole_fixture.hpp"
#include "gpu/worker.hpp"

namespace warpclock {
namespace {

constexpr std::size_t hole_room = 80;

/// Windows for sm_90a.
class ComposedGpuTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = Worker::start({});
    ASSERT_TRUE(started) << started.error().message();
    worker_ = new Worker(std::move(*started));
    auto made = testing::make_hole("sm_90a", hole_source(hole_room));
    ASSERT_TRUE(made) << made.error().text;
    hole_ = new Hole(*std::move(made));
  }
  static void TearDownTestSuite() {
    delete worker_;
    delete hole_;
  }
  void SetUp() override { ASSERT_TRUE(worker_ != nullptr && hole_ != nullptr); }

  /// What 32 threads made of their registers.
  static std::optional<std::vector<double>> result_of(const WordForm& form, const CopyPlan& copies) {
    const auto words = compose_copies(form, hole_->quads, copies);
    EXPECT_TRUE(words) << words.error().text;
    const auto image = words ? fill_hole(*hole_, *words) : std::unexpected(words.error());
    EXPECT_TRUE(image) << image.error().text;
    if (!image) return std::nullopt;
    const std::string path = ::testing::TempDir() + "composed_gpu_test.cubin";
    std::ofstream(path, std::ios::binary) << *image;
    Job job;
    job.id = "composed";
    job.cubin_path = path;
    job.kernels = {{copies.n, "hole"}};
    job.launch.launches = 1;
    job.places = Places::Written;
    auto seen = worker_->run(job);
    std::filesystem::remove(path);
    EXPECT_TRUE(seen) << seen.error().message();
    if (!seen) return std::nullopt;
    seen->places.resize(32);
    return seen->places;
  }

  static inline Worker* worker_ = nullptr;
  static inline Hole* hole_ = nullptr;
};

// An FFMA takes 4 cycles on every architecture since sm_70.
TEST_F(ComposedGpuTest, AStaleReadShowsInTheResult) {
  const WordForm form = testing::form_of("sm_90a", "FFMA");
  for (const int n : {5, 8, 61}) {
    const auto with = [&](int stall) {
      return result_of(form, {.n = n, .through = 0, .stall = stall, .yield = stall >= 12});
    };
    const auto right = with(15);
    ASSERT_TRUE(right);
    EXPECT_NE(right->front(), (*right)[1]) << "each thread has numbers of its own";
    EXPECT_EQ(with(15), right);
    EXPECT_EQ(with(4), right);
    EXPECT_NE(with(3), right);
    EXPECT_NE(with(1), right);
  }
}

TEST_F(ComposedGpuTest, AScoreboardIsWaitedFor) {
  const WordForm form = testing::form_of("sm_90a", "SHFL.BFLY");
  const auto right = result_of(form, {.n = 9, .through = 0, .stall = 15, .yield = true});
  ASSERT_TRUE(right);
  EXPECT_EQ(result_of(form, {.n = 9, .through = 0, .stall = 2}), right);
}

}  // namespace
}  // namespace warpclock
