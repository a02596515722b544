#include "gpu/worker/protocol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

Job some_job() {
  return {.id = "async_copy/latency[bytes=16,cache=\"cg\"]",
          .cubin_path = "/tmp/with space\n/\xc3\xa9.cubin",
          .kernels = {{16, "k0_16"}, {1LL << 40, "k0_64", 4, "/tmp/b.cubin", 64, 0, 3, false}},
          .launch = {.blocks = 3,
                     .blocks_per_sm = 2,
                     .warps = 8,
                     .cluster = 4,
                     .shared_bytes = 65536,
                     .warmups = 2,
                     .launches = 7},
          .data = {.bytes = 1LL << 33, .fill = Fill::Pointers, .stride = 128, .cold = true},
          .facts = {"errors"},
          .counters = {"lts__t_sectors.sum", "x"},
          .at_once = true,
          .once = true,
          .timed = false,
          .ptx_path = "/tmp/a.ptx"};
}

Observation some_observation() {
  return {.samples = {{16, {74, 74.5}}, {64, {}}},
          .facts = {{"errors", 0}},
          .counters = {{"a", 1e300}},
          .counters_missing = "no permission: \"see\" \\ this",
          .clock = {.sm_mhz = 1979.25,
                    .memory_mhz = 3201,
                    .throttle = {"sw-power-cap"},
                    .temperature_c = 41,
                    .energy_j = 130.5,
                    .energy_s = 0.25},
          .timer = {.ratio = 0.999985, .error = 1e-6, .seconds = 60},
          .board_w = 112.5};
}

DeviceFacts some_device() {
  return {.name = "NVIDIA H200",
          .slug = "nvidia-h200",
          .arch = "sm_90a",
          .chip = "GH100",
          .sms = 132,
          .l2_bytes = 62914560,
          .memory_bytes = 150'000'000'000,
          .shared_per_sm_bytes = 233472,
          .shared_per_block_bytes = 232448,
          .memory_bus_bits = 6016,
          .sm_clock_max_mhz = 1980,
          .memory_clock_max_mhz = 3201,
          .ecc = "on",
          .driver = "580.159.03",
          .uuid = "GPU-5f0c",
          .pci = "0000:00:06.0",
          .vbios = "96.00.99.00.01",
          .board = "692-2G520-0200-000",
          .persistence = "on",
          .sm_clock_set_mhz = 1980,
          .memory_clock_set_mhz = 3201,
          .power_limit_w = 700};
}

TEST(Protocol, JobsTravelWhole) {
  const Job job = some_job();
  const std::string line = to_line(job);
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const auto back = must(parse_job(line));
  EXPECT_EQ(to_line(back), line);
  EXPECT_EQ(back.id, job.id);
  EXPECT_EQ(back.cubin_path, job.cubin_path);
  EXPECT_EQ(back.kernels, job.kernels);
  EXPECT_EQ(back.launch.cluster, 4);
  EXPECT_EQ(back.launch.launches, 7);
  EXPECT_EQ(back.data.bytes, 1LL << 33);
  EXPECT_EQ(back.data.fill, Fill::Pointers);
  EXPECT_TRUE(back.data.cold);
  EXPECT_EQ(back.counters, job.counters);
  EXPECT_FALSE(back.timed);
  EXPECT_EQ(back.ptx_path, job.ptx_path);
  EXPECT_TRUE(back.at_once);
  EXPECT_TRUE(back.once);
}

TEST(Protocol, CallsTravelWhole) {
  Job job = some_job();
  job.call = {.symbol = "saxpy",
              .grid = {8, 2, 1},
              .block = {32, 4, 1},
              .shared_bytes = 1024,
              .cold = true,
              .launches = 3,
              .arguments = {{4096, CallType::F16, CallFill::Iota, 0}, {0, CallType::F64, CallFill::Zeros, -2.5}},
              .library = {48, 1LL << 20, 64}};
  EXPECT_EQ(must(parse_job(to_line(job))).call, job.call);
  Observation seen = some_observation();
  seen.call_us = {3.5, 4}, seen.empty_us = {2};
  seen.library = {"13.1.0", {120.5, 121}, "not \"missing\""};
  seen.jit_us = {12000.5}, seen.load_us = {210, 205.25};
  const auto result = must(parse_event(to_line(ResultEvent{"a/b", seen})));
  EXPECT_EQ(std::get<ResultEvent>(result).observation.call_us, seen.call_us);
  EXPECT_EQ(std::get<ResultEvent>(result).observation.empty_us, seen.empty_us);
  EXPECT_EQ(std::get<ResultEvent>(result).observation.library, seen.library);
  EXPECT_EQ(std::get<ResultEvent>(result).observation.jit_us, seen.jit_us);
  EXPECT_EQ(std::get<ResultEvent>(result).observation.load_us, seen.load_us);
}

TEST(Protocol, EveryFillTravels) {
  for (const Fill fill : {Fill::Zeros, Fill::Bits, Fill::Unit, Fill::Lanes, Fill::Pointers, Fill::Chase}) {
    Job job = some_job();
    job.data.fill = fill;
    EXPECT_EQ(parse_job(to_line(job)).value().data.fill, fill);
  }
}

TEST(Protocol, EventsTravelWhole) {
  const auto hello = must(parse_event(to_line(HelloEvent{some_device(), "no permission", {"python3"}, 2451.5, 310})));
  EXPECT_EQ(std::get<HelloEvent>(hello).device, some_device());
  EXPECT_EQ(std::get<HelloEvent>(hello).counters_missing, "no permission");
  EXPECT_EQ(std::get<HelloEvent>(hello).others, std::vector<std::string>{"python3"});
  EXPECT_EQ(std::get<HelloEvent>(hello).wait_us, 2451.5);
  EXPECT_EQ(std::get<HelloEvent>(hello).pause_us, 310);

  const auto result = must(parse_event(to_line(ResultEvent{"a/b", some_observation()})));
  const auto& seen = std::get<ResultEvent>(result);
  EXPECT_EQ(seen.id, "a/b");
  EXPECT_EQ(seen.observation.samples.at(0).cycles, (std::vector<double>{74, 74.5}));
  EXPECT_EQ(seen.observation.counters.at("a"), 1e300);
  EXPECT_EQ(seen.observation.counters_missing, some_observation().counters_missing);
  EXPECT_EQ(seen.observation.clock.sm_mhz, 1979.25);
  EXPECT_EQ(seen.observation.clock, some_observation().clock);
  EXPECT_EQ(seen.observation.timer, some_observation().timer);
  EXPECT_EQ(seen.observation.board_w, 112.5);

  const auto error = parse_event(to_line(ErrorEvent{"a/b", {"launch", "too many", "x:1"}}));
  EXPECT_EQ(std::get<ErrorEvent>(error.value()).error.place, "x:1");
  const auto fatal = parse_event(to_line(FatalEvent{{"fault", "gone", ""}}));
  EXPECT_EQ(std::get<FatalEvent>(fatal.value()).error.code, "fault");
}

TEST(Protocol, NumbersThatJsonLacksTravel) {
  Observation odd;
  odd.samples = {{1,
                  {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()}}};
  const auto back = must(parse_event(to_line(ResultEvent{"x", odd})));
  const auto& cycles = std::get<ResultEvent>(back).observation.samples.at(0).cycles;
  EXPECT_TRUE(std::isnan(cycles.at(0)));
  EXPECT_EQ(cycles.at(1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(cycles.at(2), -std::numeric_limits<double>::infinity());
}

TEST(Protocol, BytesThatAreNoTextTravelAsReplacements) {
  const auto back = must(parse_event(to_line(FatalEvent{{"fault", "bad \xff byte", ""}})));
  EXPECT_EQ(std::get<FatalEvent>(back).error.text, "bad \xef\xbf\xbd byte");
}

std::string with(std::string line, const std::string& from, const std::string& to) {
  const auto at = line.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return line.replace(at, from.size(), to);
}

TEST(Protocol, RefusesWhatItDoesNotWrite) {
  const std::string line = to_line(some_job());
  ASSERT_TRUE(parse_job(line));
  const std::vector<std::pair<std::string, std::string>> bad = {
      {with(line, "\"timed\":false", "\"timed\":0"), "timed"},
      {with(line, "\"timed\":false", "\"timed\":false,\"more\":1"), "not known"},
      {with(line, ",\"timed\":false", ""), "'timed' is missing"},
      {with(line, "\"timed\":false", "\"timed\":false,\"timed\":false"), "twice"},
      {with(line, "\"warps\":8", "\"warps\":8,\"warps\":9"), "twice"},
      {with(line, "\"warps\":8", "\"warps\":8.5"), "launch.warps"},
      {with(line, "\"warps\":8", "\"warps\":18446744073709551615"), "launch.warps"},
      {with(line, "\"warmups\":2", "\"warmups\":4294967296"), "launch.warmups"},
      {with(line, "\"pointers\"", "\"holes\""), "data.fill"},
      {with(line, "\"n\":16,", ""), "kernels[0]"},
      {with(line, "\"symbol\":\"k0_16\"", "\"symbol\":1"), "kernels[0].symbol"},
      {with(line, "[\"errors\"]", "[null]"), "facts[0]"},
      {line + line, ""},
      {line.substr(0, line.size() - 1), ""},
      {"", ""},
      {"null", "not an object"},
      {"[]", "not an object"},
      {std::string("\0\0", 2), ""},
  };
  for (const auto& [text, hint] : bad) {
    EXPECT_THAT(failure_of(parse_job(text)), IsError("protocol", HasSubstr(hint))) << text;
  }
  for (const char* text : {"{}", "{\"event\":1}", "{\"event\":\"what\"}", "{\"event\":\"result\",\"id\":\"x\"}",
                           "{\"event\":\"fatal\",\"error\":{\"code\":\"a\",\"text\":\"b\",\"place\":\"\"},\"x\":1}"}) {
    EXPECT_EQ(parse_event(text).error().code, "protocol") << text;
  }
}

TEST(Protocol, DamagedLinesNeverCrash) {
  std::mt19937 random(1);
  const std::vector<std::string> lines = {to_line(some_job()), to_line(ResultEvent{"a/b", some_observation()}),
                                          to_line(HelloEvent{some_device(), "", {}, 0}), std::string(100'000, '['),
                                          std::string(100'000, '{')};
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string line = lines[static_cast<std::size_t>(round) % 3];
    const auto edits = 1 + random() % 4;
    for (unsigned i = 0; i < edits; ++i) {
      const std::size_t at = random() % line.size();
      switch (random() % 4) {
        case 0:
          line[at] = static_cast<char>(random());
          break;
        case 1:
          line.erase(at, random() % 9);
          break;
        case 2:
          line.insert(at, line.substr(random() % line.size(), random() % 20));
          break;
        default:
          line[at] = "{}[]\",:0-e"[random() % 10];
      }
    }
    // A damaged line may still be valid. What is read from it must then be stable.
    if (const auto job = parse_job(line)) {
      EXPECT_EQ(to_line(parse_job(to_line(*job)).value()), to_line(*job));
    } else if (const auto event = parse_event(line)) {
      EXPECT_EQ(to_line(parse_event(to_line(*event)).value()), to_line(*event));
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_FALSE(parse_job(lines[3]));
  EXPECT_FALSE(parse_event(lines[4]));
}

}  // namespace
}  // namespace warpclock
