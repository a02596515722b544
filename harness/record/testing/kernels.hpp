#pragma once

#include <string>

#include "record/record.hpp"

namespace warpclock::testing {

/// A table with a row of each kind. Its measurements are made up: it tests how rows are written, read and shown.
inline Record example_kernels() {
  Record table{.file = RecordFile::Cases};
  table.provenance.commit = "0123456789";
  table.provenance.version = "0.1.0";
  table.provenance.date = "2026-11-24T02:00:00Z";
  table.device.name = "NVIDIA Fake 9000";
  table.device.slug = "nvidia-fake-9000";
  table.device.arch = "sm_90a";
  table.device.sms = 4;
  table.model = "NVIDIA H200";
  table.model_records = {"result.json 0123456 2026-11-24"};
  const auto add = [&](const std::string& study, const std::string& variant) -> Row& {
    Row& row = table.rows.emplace_back();
    row.id = study + "[variant=" + variant + "]";
    row.kind = RowKind::Kernel;
    row.probe = study;
    row.parameters = {{"variant", variant}};
    row.kernel = {.says = "what <" + study + "> does", .source = study + ".cu", .entry = study, .hash = "0a1b2c3d"};
    row.kernel.grid = {8, 2, 1}, row.kernel.block = {128, 1, 1};
    row.kernel.prediction = {.limiter = "L2",
                             .bounds = {{"L2", "", 0.9}, {"unit lsu", "", 0.4}},
                             .blocks_per_sm = 4,
                             .waves = 1,
                             .unknown = {"S2R: latency"},
                             .assumed = {"L2 answers"}};
    row.estimates = {{"predicted", 950, 900, 1000, "cycles", "model"}};
    row.clock.sm_mhz = 1980;
    return row;
  };
  const auto measure = [](Row& row, const std::string& by, double cycles, double low, double high) {
    row.estimates.push_back({"cycles", cycles, low, high, "cycles", by});
    row.estimates.push_back({"time", 0.5, 0.5, 0.6, "us", "events"});
    row.estimates.push_back({"empty_time", 2, 2, 2, "us", "events"});
  };
  const std::string counter = "sm__cycles_active.max";
  Row& good = add("copy", "plain");
  measure(good, counter, 1002, 1000, 1004);
  good.kernel.limiter = "L2";
  good.kernel.shares = {{"L2", "l1tex__m_xbar2l1tex_read_bytes.sum", 0.8}, {"issue", "smsp__x", 0.3}};
  good.kernel.call_us = {2.5, 2.6}, good.kernel.empty_us = {2, 2};
  good.kernel.counted = {{{counter, 1002}}};
  good.kernel.library = {.name = "cuBLAS", .version = "13.1.0", .call_us = {2.4, 2.42}};
  good.estimates.push_back({"library_time", 0.41, 0.4, 0.42, "us", "events"});
  good.estimates.push_back({"cublas", 82, 82, 82, "% of cuBLAS", "events"});
  Row& wrong = add("copy", "cold");
  wrong.kernel.cold = wrong.kernel.held_out = true;
  measure(wrong, counter, 2000, 1990, 2010);
  wrong.kernel.limiter = "DRAM";
  wrong.kernel.shares = {{"DRAM", "dram__bytes_read.sum + dram__bytes_write.sum", 0.9}};
  wrong.kernel.library = {.name = "cuBLAS", .version = "", .call_us = {}, .missing = "there is no libcublas.so.13"};
  Row& timed = add("scan", "events");
  measure(timed, "events", 990, 1990, 2010);
  timed.counters_missing = "no permission";
  Row& failed = add("scan", "hangs");
  failed.outcome = Outcome::Failed;
  failed.reason = {"run", "watchdog", "no answer in 10 s: the worker was killed"};
  Row& refused = add("scan", "refused");
  refused.estimates.clear();
  refused.kernel.prediction = {.refused = "how often the jump at 0x0100 is taken is not known"};
  refused.outcome = Outcome::Skipped;
  refused.reason = {"run", "not-run", "nothing was measured"};
  return table;
}

}  // namespace warpclock::testing
