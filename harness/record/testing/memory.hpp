#pragma once

#include <string>
#include <utility>

#include "record/record.hpp"
#include "record/testing/record.hpp"

namespace warpclock::testing {

inline Row measured_case(const std::string& probe, const Parameters& parameters, Estimate estimate) {
  Row one = example_case(probe, parameters, "LDG.E.64.STRONG.SM");
  one.clock.sm_mhz = 2000;
  one.estimates = {std::move(estimate)};
  return one;
}

inline Estimate rate(double value) { return {"rate", value, value - 1, value + 1, "B/clk/SM", "rate"}; }
inline Estimate latency(double value) { return {"latency", value, value - 0.5, value + 0.5, "cycles", "slope"}; }

/// A GPU with some of everything in the drawing, and with invented numbers.
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
    record.rows.push_back(
        measured_case("memory/constant_chase", {{"footprint", size}}, latency(size <= 2048 ? 20 : 90)));
  }
  for (const std::int64_t size : {1 << 14, 1 << 20, 8 << 20}) {
    Row one = measured_case("memory/chase", {{"path", std::string("ca")}, {"footprint", size}},
                            latency(size == 1 << 14   ? 40
                                    : size == 1 << 20 ? 200
                                                      : 300));
    one.counters = {{"l1_hit_rate", size == 1 << 14 ? 100 : 0}, {"l2_hit_rate_ld", size == 1 << 14 ? 0 : 100}};
    record.rows.push_back(std::move(one));
  }
  for (const std::int64_t size : {1 << 24, 1 << 30}) {
    record.rows.push_back(measured_case("bandwidth/read", {{"share", std::string("own")}, {"footprint", size}},
                                        rate(size == 1 << 24 ? 40 : 8)));
  }
  record.rows.push_back(
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

/// The same with everything for which the drawing has a place.
inline Record whole_memory_record() {
  Record record = memory_record();
  const auto found = [&](const std::string& probe, Parameters parameters, const std::string& name, double value,
                         const std::string& where) {
    Feature one;
    one.probe = probe;
    one.parameters = std::move(parameters);
    one.name = name;
    one.value = one.low = one.high = value;
    one.unit = name.starts_with("latency") || name.starts_with("load") ? "cycles" : "";
    one.where = where;
    record.features.push_back(std::move(one));
  };
  record.rows.push_back(
      measured_case("memory/shared_chase", {{"bytes", 4}, {"lanes", std::string("same")}}, latency(20)));
  for (const char* probe : {"bandwidth/shared_read", "bandwidth/shared_write", "bandwidth/read_l1"}) {
    record.rows.push_back(measured_case(probe, {{"bytes", 16}}, rate(128)));
    record.rows.back().counters = {{"l1_hit_rate", 100}};
  }
  record.rows.push_back(
      measured_case("bandwidth/read", {{"share", std::string("all")}, {"footprint", 1 << 22}}, rate(60)));
  record.rows.push_back(
      measured_case("bandwidth/read", {{"share", std::string("all")}, {"footprint", 1 << 23}}, rate(62)));
  for (const char* probe : {"bandwidth/write", "bandwidth/copy"}) {
    for (const std::int64_t size : {1 << 22, 1 << 30}) {
      record.rows.push_back(
          measured_case(probe, {{"path", std::string("cg")}, {"footprint", size}}, rate(size == 1 << 22 ? 30 : 7)));
    }
  }
  record.features.push_back(record.features.back());
  record.features.back().probe = "bandwidth/copy";
  record.features.back().to = 1 << 24;
  record.device.shared_per_sm_bytes = 228 << 10;
  found("geometry/bank", {{"bytes", 4}}, "at.period", 32, "");
  found("memory/carveout", {{"carveout", 0}}, "footprint.1", 240 << 10, "L1");
  found("memory/carveout", {{"carveout", 100}}, "footprint.1", 21 << 10, "L1");
  found("geometry/line_l1", {{"path", std::string("ca")}}, "offset.1", 32, "");
  found("geometry/line_l2", {{"path", std::string("cg")}}, "offset.1", 64, "");
  found("memory/chase_paths", {{"path", std::string("cg")}}, "latency.1", 261.5, "L2");
  found("memory/chase_paths", {{"path", std::string("cg")}}, "footprint.1", 16 << 20, "L2");
  const auto half = [&](const std::string& home, const std::string& line, double cycles) {
    record.rows.push_back(measured_case("memory/halves", {{"home", home}, {"line", line}}, latency(cycles)));
  };
  half("near", "held", 251);
  half("far", "copied", 262);
  half("far", "held", 402);
  half("near", "absent", 610);
  half("far", "absent", 790);
  record.rows.push_back(
      measured_case("bandwidth/halves",
                    {{"by", std::string("ld")}, {"home", std::string("far")}, {"line", std::string("held")}}, rate(8)));
  found("memory/dram_chase", {{"path", std::string("cg")}}, "latency.1", 702.2, "DRAM");
  return record;
}

}  // namespace warpclock::testing
