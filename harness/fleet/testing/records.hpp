#pragma once

#include <fmt/format.h>

#include <string>

#include "record/record.hpp"

namespace warpclock::testing {

/// A record of one row of 500 cycles and one encoded latency of 4, for a GPU of this number.
inline Record gpu_record(int gpu, double cycles, double latency = 4, const std::string& model = "Simulated") {
  Record record;
  record.device.name = model;
  record.device.uuid = fmt::format("GPU-{:08}", gpu);
  record.provenance.host = fmt::format("node{}", gpu / 4);
  record.provenance.date = "2026-01-01T00:00:00Z";
  Row chase, shuffle;
  chase.id = "memory/chase[path=cg]";
  chase.probe = "memory/chase";
  chase.estimates = {{"latency", cycles, cycles, cycles, "cycles", "slope", 10, ""}};
  chase.clock.sm_mhz = 1980;
  shuffle.id = shuffle.probe = "shuffle/latency";
  shuffle.window.encoded_cycles = 4;
  shuffle.estimates = {{"latency", latency, latency, latency, "cycles", "slope", 10, ""}};
  record.rows = {chase, shuffle};
  return record;
}

}  // namespace warpclock::testing
