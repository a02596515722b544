#pragma once

#include "record/kernel_record.hpp"

namespace warpclock::testing {

/// A table with a row of each kind. Its measurements are made up: it tests how rows are written, read and shown.
inline KernelTable example_kernels() {
  KernelTable table;
  table.provenance.commit = "0123456789";
  table.provenance.version = "0.1.0";
  table.provenance.date = "2026-11-24T02:00:00Z";
  table.device.name = "NVIDIA Fake 9000";
  table.device.slug = "nvidia-fake-9000";
  table.device.arch = "sm_90a";
  table.device.sms = 4;
  table.model = "NVIDIA H200";
  table.model_records = {"result.json 0123456 2026-11-24"};
  const auto add = [&](const std::string& study, const std::string& variant) -> KernelRow& {
    KernelRow& row = table.rows.emplace_back();
    row.id = study + "[variant=" + variant + "]";
    row.study = study;
    row.says = "what <" + study + "> does";
    row.parameters = {{"variant", variant}};
    row.source = study + ".cu";
    row.kernel = study;
    row.hash = "0a1b2c3d";
    row.grid = {8, 2, 1}, row.block = {128, 1, 1};
    row.prediction = {.low = 900,
                      .high = 1000,
                      .limiter = "L2",
                      .bounds = {{"L2", "", 0.9}, {"unit lsu", "", 0.4}},
                      .blocks_per_sm = 4,
                      .waves = 1,
                      .unknown = {"S2R: latency"},
                      .assumed = {"L2 answers"}};
    row.outcome = Outcome::Measured;
    row.clock.sm_mhz = 1980;
    return row;
  };
  KernelMeasurement seen{.by = "sm__cycles_active.max",
                         .cycles = 1002,
                         .cycles_low = 1000,
                         .cycles_high = 1004,
                         .us = 0.5,
                         .us_low = 0.5,
                         .us_high = 0.6,
                         .empty_us = 2,
                         .limiter = "L2",
                         .shares = {{"L2", "l1tex__m_xbar2l1tex_read_bytes.sum", 0.8}, {"issue", "smsp__x", 0.3}}};
  KernelRow& good = add("copy", "plain");
  good.measurement = seen;
  good.call_us = {2.5, 2.6}, good.empty_us = {2, 2};
  good.counted = {{{"sm__cycles_active.max", 1002}}};
  good.library = {.name = "cuBLAS",
                  .version = "13.1.0",
                  .us = 0.41,
                  .us_low = 0.4,
                  .us_high = 0.42,
                  .share = 0.82,
                  .call_us = {2.4, 2.42}};
  KernelRow& wrong = add("copy", "cold");
  wrong.cold = wrong.held_out = true;
  seen.cycles = 2000, seen.cycles_low = 1990, seen.cycles_high = 2010;
  seen.limiter = "DRAM", seen.shares = {{"DRAM", "dram__bytes_read.sum + dram__bytes_write.sum", 0.9}};
  wrong.measurement = seen;
  wrong.library = {.name = "cuBLAS", .version = "", .call_us = {}, .missing = "there is no libcublas.so.13"};
  KernelRow& timed = add("scan", "events");
  seen.by = "events", seen.limiter = "", seen.shares = {}, seen.cycles = 990;
  timed.measurement = seen;
  timed.counters_missing = "no permission";
  KernelRow& failed = add("scan", "hangs");
  failed.outcome = Outcome::Failed;
  failed.reason = {"run", "watchdog", "no answer in 10 s: the worker was killed"};
  KernelRow& refused = add("scan", "refused");
  refused.prediction = {.refused = "how often the jump at 0x0100 is taken is not known"};
  refused.outcome = Outcome::Skipped;
  refused.reason = {"run", "not-run", "nothing was measured"};
  return table;
}

}  // namespace warpclock::testing
