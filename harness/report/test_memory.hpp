#pragma once

#include <string>
#include <utility>

#include "report/record.hpp"
#include "report/test_record.hpp"

namespace warpclock::testing {

inline CaseRecord measured_case(const std::string& probe, const Parameters& parameters, Estimate estimate) {
  CaseRecord one = example_case(probe, parameters, "LDG.E.64.STRONG.SM");
  one.clock.sm_mhz = 2000;
  one.estimates = {std::move(estimate)};
  return one;
}

inline Estimate rate(double value) { return {"rate", value, value - 1, value + 1, "B/clk/SM", "rate"}; }
inline Estimate latency(double value) { return {"latency", value, value - 0.5, value + 0.5, "cycles", "slope"}; }

/// A GPU with a bit of everything that the drawing shows, and numbers that no GPU has.
inline Record memory_record() {
  Record record;
  record.device.name = "Example GPU";
  record.device.arch = "sm_90a";
  record.device.sms = 100;
  record.device.l2_bytes = 32 << 20;
  record.device.memory_bytes = std::int64_t{64} << 30;
  record.device.memory_bus_bits = 4096;
  record.device.memory_clock_max_mhz = 2000;
  for (const std::int64_t size : {1024, 2048, 4096, 65536}) {
    record.cases.push_back(
        measured_case("memory/constant_chase", {{"footprint", size}}, latency(size <= 2048 ? 20 : 90)));
  }
  for (const std::int64_t size : {1 << 14, 1 << 20, 8 << 20}) {
    CaseRecord one = measured_case("memory/chase", {{"path", std::string("ca")}, {"footprint", size}},
                                   latency(size == 1 << 14   ? 40
                                           : size == 1 << 20 ? 200
                                                             : 300));
    one.counters = {{"l1_hit_rate", size == 1 << 14 ? 100 : 0}, {"l2_hit_rate_ld", size == 1 << 14 ? 0 : 100}};
    record.cases.push_back(std::move(one));
  }
  for (const std::int64_t size : {1 << 24, 1 << 30}) {
    record.cases.push_back(measured_case("bandwidth/read", {{"share", std::string("own")}, {"footprint", size}},
                                         rate(size == 1 << 24 ? 40 : 8)));
  }
  record.cases.push_back(
      measured_case("memory/shared_chase", {{"bytes", 4}, {"lanes", std::string("own")}}, latency(25)));
  Feature level;
  level.probe = "memory/chase";
  level.parameters = {{"path", std::string("ca")}};
  level.name = "latency.1";
  level.value = 40;
  level.low = 39.5;
  level.high = 40.5;
  level.unit = "cycles";
  level.from = 1024;
  level.to = 1 << 17;
  level.where = "L1";
  record.features.push_back(level);
  level.name = "footprint.1";
  level.value = level.low = 1 << 17;
  level.high = 3 << 16;
  level.unit = "";
  level.from = level.to = 0;
  record.features.push_back(level);
  level.probe = "bandwidth/read";
  level.parameters = {{"share", std::string("own")}};
  level.name = "rate.1";
  level.value = level.low = level.high = 40;
  level.unit = "B/clk/SM";
  level.from = 1 << 22;
  level.to = 1 << 24;
  level.where = "";
  record.features.push_back(level);
  level.name = "rate.2";
  level.value = level.low = level.high = 8;
  level.from = 1 << 26;
  level.to = 1 << 30;
  record.features.push_back(level);
  return record;
}

}  // namespace warpclock::testing
