#include "gpu/device/watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using ::testing::IsEmpty;

/// NVML without a GPU.
struct FakeNvml {
  std::deque<unsigned long long> xids;
  unsigned long long corrected = 5, type = 8;
  int registers = 0, sets = 0;

  static FakeNvml& now() {
    static FakeNvml one;
    return one;
  }
  static Nvml opened() {
    now() = {};
    NvmlFunctions f;
    f.event_set = [](void** set) { return *set = &now(), ++now().sets, 0; };
    f.free_event_set = [](void*) { return --now().sets, 0; };
    f.register_events = [](NvmlDevice, unsigned long long types, void*) { return types == 8 ? now().registers : 1; };
    f.wait_for_event = [](void*, void* event, unsigned) {
      if (now().xids.empty()) return 10;  // NVML_ERROR_TIMEOUT
      const std::array<unsigned long long, 3> data = {0, now().type, now().xids.front()};
      std::memcpy(event, data.data(), sizeof data);
      now().xids.pop_front();
      return 0;
    };
    f.ecc_errors = [](NvmlDevice, int type, int, unsigned long long* count) {
      *count = type == 0 ? now().corrected : 0;
      return 0;
    };
    return {f, nullptr};
  }
};

TEST(GpuWatch, SeesWhatHappensAfterItsStart) {
  {
    GpuWatch watch(FakeNvml::opened());
    EXPECT_EQ(watch.seen(), GpuEvents());
    EXPECT_THAT(in_words(watch.seen()), IsEmpty());
    FakeNvml::now().xids = {31, 94, 31};
    FakeNvml::now().corrected = 7;
    const GpuEvents seen = watch.seen();
    EXPECT_EQ(seen, (GpuEvents{{{"31", 2}, {"94", 1}}, {{"corrected", 2}}}));
    EXPECT_EQ(in_words(seen), "Xid 31 (2 times), Xid 94, corrected +2");
    FakeNvml::now().xids = {31};
    EXPECT_EQ(watch.seen().xids.at("31"), 3) << "of the whole time";
  }
  EXPECT_EQ(FakeNvml::now().sets, 0) << "NVML keeps no set";
}

TEST(GpuWatch, TakesNoOtherEventForAnXid) {
  GpuWatch watch(FakeNvml::opened());
  FakeNvml::now().xids = {31};
  FakeNvml::now().type = 2;
  EXPECT_EQ(watch.seen(), GpuEvents());
}

TEST(GpuWatch, WorksWhereNvmlDeliversNoEvents) {
  Nvml without = FakeNvml::opened();
  FakeNvml::now().registers = 3;  // NVML_ERROR_NOT_SUPPORTED
  GpuWatch watch(without);
  FakeNvml::now().xids = {31};
  FakeNvml::now().corrected = 6;
  EXPECT_EQ(watch.seen(), (GpuEvents{{}, {{"corrected", 1}}}));
  EXPECT_EQ(FakeNvml::now().sets, 0);
}

TEST(MemoryErrors, AreSaidIfTheyAreCounted) {
  DeviceFacts device;
  EXPECT_EQ(memory_errors_in_words(device), "");
  device.memory_errors = {{"corrected", 0}, {"retired_pages", 0}};
  EXPECT_EQ(memory_errors_in_words(device), "none");
  device.memory_errors["retired_pages"] = 2;
  EXPECT_EQ(memory_errors_in_words(device), "retired pages 2");
}

}  // namespace
}  // namespace warpclock
