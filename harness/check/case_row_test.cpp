#include "check/case_row.hpp"

#include <gtest/gtest.h>

#include "base/lookup.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "gpu/counters/counters.hpp"
#include "model/testing/measured.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

Row example_row() {
  Row row;
  row.id = "copy[hint=cs]";
  row.kind = RowKind::Kernel;
  row.probe = "copy";
  row.kernel.prediction = {.limiter = "L2", .bounds = {{"L2", "", 0.9}, {"unit lsu", "", 0.4}}};
  row.estimates = {{"predicted", 950, 900, 1000, "cycles", "model"}};
  return row;
}

/// An estimate of a row that has it.
Estimate& of(Row& row, const std::string& name) { return *std::ranges::find(row.estimates, name, &Estimate::name); }

/// What a worker would answer: 5 counted launches of 1,000 cycles.
Observation answer() {
  Observation seen;
  seen.call_us = {3, 2.5, 2.5, 2.6, 2.5, 2.5, 9};
  seen.empty_us = {2, 2, 2.1};
  seen.clock.sm_mhz = 1980;
  for (int i = 0; i < 5; ++i)
    seen.counted.push_back({{cycles_counter, 1000.0 + i},
                            {"smsp__issue_active.avg.pct_of_peak_sustained_active", 70},
                            {"lts__t_sectors_srcunit_tex_op_read.sum", 132 * 1000 * 1.0},
                            {"l1tex__m_xbar2l1tex_read_bytes.sum", 132 * 1000 * 32.0}});
  return seen;
}

Machine small_machine() {
  Machine machine;
  machine.gpu = "a GPU", machine.stated.sms = 132;
  Entry load;
  load.name = "l2.load";
  load.leaves.push_back({.name = "rate.all_sms", .value = 40});
  load.leaves.push_back({.name = "rate.all_sms.same_lines", .value = 60});
  machine.transfers.push_back(load);
  return machine;
}

TEST(CaseRow, CyclesAreOfTheCounterAndTimesOfEvents) {
  Row row = example_row();
  add_answer(row, answer(), small_machine());
  EXPECT_EQ(row.outcome, Outcome::Measured);
  EXPECT_EQ(*estimate_in(row, "cycles"), (Estimate{"cycles", 1002, 1000, 1004, "cycles", cycles_counter, 5}));
  EXPECT_DOUBLE_EQ(of(row, "time").value, 0.5);
  EXPECT_EQ(of(row, "empty_time").value, 2);
  const auto error = must(error_of(row));
  EXPECT_NEAR(error.low, -10.18, 0.01);
  EXPECT_NEAR(error.high, -0.2, 0.01);
  EXPECT_FALSE(error.holds());
  EXPECT_EQ(error_text(error), "-10.2 to -0.2 %");
}

TEST(CaseRow, WithoutCountersTheClockTurnsTimesIntoCycles) {
  Row row = example_row();
  Observation seen = answer();
  seen.counted.clear();
  seen.counters_missing = "no permission";
  add_answer(row, seen, small_machine());
  EXPECT_EQ(of(row, "cycles").method, "events");
  EXPECT_DOUBLE_EQ(of(row, "cycles").value, 990);
  EXPECT_EQ(limiter_agrees(row), std::nullopt);
  EXPECT_THAT(row_text(row, Style(false)), HasSubstr("limiter    not known: no permission"));

  const double low = of(row, "cycles").low, high = of(row, "cycles").high;
  seen.clock.sm_low_mhz = 0.9 * 1980, seen.clock.sm_high_mhz = 1.1 * 1980;
  row = example_row();
  add_answer(row, seen, small_machine());
  EXPECT_DOUBLE_EQ(of(row, "cycles").low, 0.9 * low) << "the clock moved";
  EXPECT_DOUBLE_EQ(of(row, "cycles").high, 1.1 * high);

  seen.clock.sm_mhz = 0;
  row = example_row();
  add_answer(row, seen, small_machine());
  EXPECT_EQ(row.outcome, Outcome::Rejected);
  EXPECT_EQ(row.reason.code, "clock");
  EXPECT_EQ(estimate_in(row, "cycles"), nullptr);
}

TEST(CaseRow, ALibraryWithoutATimeWasNotTimed) {
  Row row = example_row();
  row.kernel.library = LibraryCall{.name = "cuBLAS"};
  EXPECT_EQ(library_text(row), "cuBLAS was not timed");
}

TEST(CaseRow, ALibraryIsComparedByTheTimeOfEvents) {
  Row row = example_row();
  add_answer(row, answer(), small_machine());
  EXPECT_FALSE(row.kernel.library);
  EXPECT_EQ(library_text(row), "");
  EXPECT_THAT(row_text(row, Style(false)), Not(HasSubstr("library")));

  Observation seen = answer();
  seen.library = {.version = "13.1.0", .us = {2.41, 2.4, 2.42, 9, 2.41, 2.41, 2.41}, .missing = ""};
  add_answer(row, seen, small_machine());
  ASSERT_TRUE(row.kernel.library);
  EXPECT_NEAR(of(row, "library_time").value, 0.41, 1e-9);
  EXPECT_NEAR(of(row, "library_time").low, 0.4, 1e-9);
  EXPECT_NEAR(of(row, "library_time").high, 7, 1e-9) << "seven launches have no narrower interval";
  EXPECT_NEAR(of(row, "cublas").value, 82, 1e-9);
  EXPECT_EQ(row.kernel.library->call_us, seen.library.us);
  EXPECT_THAT(row_text(row, Style(false)), HasSubstr("\n    library    82 % of cuBLAS 13.1.0, 0.41 us by events\n"));
}

TEST(CaseRow, WithoutTheLibraryTheKernelIsMeasuredAllTheSame) {
  Row row = example_row();
  Observation seen = answer();
  seen.library.missing = "there is no libcublas.so.13";
  add_answer(row, seen, small_machine());
  EXPECT_EQ(row.outcome, Outcome::Measured);
  EXPECT_THAT(row_text(row, Style(false)),
              HasSubstr("\n    library    cuBLAS was not timed: there is no libcublas.so.13\n"));
  seen.library = {.version = "13.1.0", .us = {1.9, 1.9}, .missing = ""};
  add_answer(row, seen, small_machine());
  EXPECT_EQ(estimate_in(row, "cublas"), nullptr);
  EXPECT_THAT(row_text(row, Style(false)), HasSubstr("no longer than an empty kernel"));
}

TEST(CaseRow, AFailureIsARowWithItsReason) {
  Row row = example_row();
  add_answer(row, fail("watchdog", "no answer in 10 s: the worker was killed"), small_machine());
  EXPECT_EQ(row.outcome, Outcome::Failed);
  EXPECT_EQ(row.reason.code, "watchdog");
  EXPECT_THAT(row_text(row, Style(false)), HasSubstr("failed     watchdog: no answer in 10 s"));
}

TEST(CaseRow, CountersDecideTheLimiter) {
  Row row = example_row();
  add_answer(row, answer(), small_machine());
  ASSERT_FALSE(row.kernel.shares.empty());
  EXPECT_EQ(row.kernel.limiter, "L2");
  EXPECT_EQ(row.kernel.shares.front().counter, "lts__t_sectors_srcunit_tex_op_read.sum");
  EXPECT_NEAR(row.kernel.shares.front().share, 32 / 40.0 * 1000 / 1002, 1e-6);
  EXPECT_EQ(limiter_agrees(row), true);
  row.kernel.prediction.limiter = "issue";
  EXPECT_EQ(limiter_agrees(row), false);
  row.kernel.shares.front().share = 0.74;
  EXPECT_EQ(limiter_agrees(row), true) << "used nearly as much";
  row.kernel.prediction.limiter = "unit lsu";
  row.kernel.limiter = "pipe lsu";
  EXPECT_EQ(limiter_agrees(row), true) << "counters do not separate them";
}

TEST(CaseRow, ALineThatSeveralSmsAskForLeavesL2LessOften) {
  const auto shares = resource_shares({{cycles_counter, 100},
                                       {"lts__t_sectors_srcunit_tex_op_read.sum", 132 * 100 * 0.5},
                                       {"l1tex__m_xbar2l1tex_read_bytes.sum", 132 * 100 * 48.0}},
                                      small_machine());
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares.front().counter, "l1tex__m_xbar2l1tex_read_bytes.sum");
  EXPECT_NEAR(shares.front().share, 48 / 60.0, 1e-9) << "and not 48 / 40, which no hardware reaches";
}

/// `bandwidth/coalesce_stride` with 32 words, 4 bytes of each line: 2 B/clk/SM are one line in two cycles.
TEST(CaseRow, L2AnswersSoManyRequestsInACycle) {
  Machine machine = small_machine();
  machine.transfers.front().leaves.push_back({.name = "rate.all_sms.own_lines", .value = 2});
  const auto shares = resource_shares({{cycles_counter, 100},
                                       {"lts__t_sectors_srcunit_tex_op_read.sum", 132 * 100 * 0.4},
                                       {"lts__t_requests_srcunit_tex_op_read.sum", 132 * 100 * 0.4}},
                                      machine);
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares.front().counter, "lts__t_requests_srcunit_tex_op_read.sum");
  EXPECT_NEAR(shares.front().share, 0.8, 1e-9) << "of sectors 0.32";
}

TEST(CaseRow, TheLoadStoreUnitTakesRequestsAndDoesTurns) {
  const std::string turns = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
                    requests = "l1tex__lsuin_requests.avg.pct_of_peak_sustained_active";
  const auto shares = resource_shares({{turns, 27}, {requests, 54}}, small_machine());
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares.front().counter, requests);
  EXPECT_EQ(resource_shares({{turns, 81}, {requests, 33}}, small_machine()).front().counter, turns);
}

TEST(CaseRow, ResourcesThatAreHardlyUsedLimitNothing) {
  EXPECT_EQ(limiter_of({{"issue", "", 0.59}, {"L2", "", 0.3}}), "one warp alone");
  EXPECT_EQ(limiter_of({{"issue", "", 0.61}}), "issue");
  EXPECT_EQ(limiter_of({}), "");
}

TEST(CaseRow, ReadsAndWritesOfDramShareItsBus) {
  Machine machine = small_machine();
  for (const char* name : {"dram.load", "dram.store"}) {
    Entry entry;
    entry.name = name;
    entry.leaves.push_back({.name = "rate.all_sms", .value = 10});
    machine.transfers.push_back(entry);
  }
  const auto shares = resource_shares({{cycles_counter, 100},
                                       {"dram__bytes_read.sum", 132 * 100 * 4.0},
                                       {"dram__bytes_write.sum", 132 * 100 * 5.0},
                                       {"lts__t_sectors_srcunit_tex_op_read.sum", 132 * 100 * 0.125},
                                       {"l1tex__m_l1tex2xbar_write_bytes.sum", 132 * 100 * 39.0}},
                                      machine);
  ASSERT_EQ(shares.size(), 2U) << "without a row of stores, what L2 takes is not known";
  EXPECT_EQ(shares[0].name, "DRAM");
  EXPECT_NEAR(shares[0].share, 0.9, 1e-9);
  EXPECT_NEAR(shares[1].share, 0.1, 1e-9);
}

TEST(LimitCounters, AreKnownToTheChipsThatCanBeModelled) {
  if (!counters_built()) GTEST_SKIP() << "a build without CUPTI";
  EXPECT_THAT(must(unknown_metrics("GH100", limit_counters())), IsEmpty());
  EXPECT_LE(must(counter_passes("GH100", limit_counters())), 12U) << "each pass launches a kernel ten times";
}

TEST(ErrorSummary, TakesTheMiddleOfEachPrediction) {
  std::vector<Row> rows(3, example_row());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = "row " + std::to_string(i);
    add_answer(rows[i], answer(), small_machine());
  }
  of(rows[1], "predicted").low = of(rows[1], "predicted").high = 1503;
  rows[2].kernel.prediction.limiter = "pipe fma";
  const ErrorSummary all = summary_of(rows);
  EXPECT_EQ(all.count, 3U);
  EXPECT_NEAR(all.median, 5.19, 0.01);
  EXPECT_NEAR(all.worst, 50, 0.01);
  EXPECT_EQ(all.worst_id, "row 1");
  EXPECT_EQ(all.decided, 3U);
  EXPECT_EQ(all.agreed, 2U);
}

TEST(ErrorSummary, SeparatesBlocksByWarpsAndByUse) {
  std::vector<Row> rows(6, example_row());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = "row " + std::to_string(i);
    rows[i].probe = "block";
    rows[i].parameters = {{"warps", i < 3 ? 4 : 8}};
    rows[i].kernel.held_out = i % 2 == 1;
    add_answer(rows[i], answer(), small_machine());
    of(rows[i], "predicted").low = of(rows[i], "predicted").high = 1002 * (1 + 0.01 * static_cast<double>(i));
  }
  const auto starts = [](const std::string& line) { return line.substr(0, line.find("; ")); };
  const auto lines = mapped(error_lines(rows), starts);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "all: 6 kernels, median error 2.5 %, 95 % within 4.8 %, worst +5.0 % (row 5)",
                       "held out: 3 kernels, median error 3.0 %, 95 % within 4.8 %, worst +5.0 % (row 5)",
                       "one warp on a sub-partition, used: 2 kernels, median error 1.0 %, 95 % within 1.9 %, worst "
                       "+2.0 % (row 2)",
                       "one warp on a sub-partition, held out: 1 kernel, median error 1.0 %, 95 % within 1.0 %, worst "
                       "+1.0 % (row 1)",
                       "several warps, used: 1 kernel, median error 4.0 %, 95 % within 4.0 %, worst +4.0 % (row 4)",
                       "several warps, held out: 2 kernels, median error 4.0 %, 95 % within 4.9 %, worst +5.0 % "
                       "(row 5)"}));
}

TEST(ErrorSummary, SeparatesKernelsByTheMemoryThatTheyUse) {
  std::vector<Row> rows(5, example_row());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = "row " + std::to_string(i);
    rows[i].kernel.prediction = {.limiter = "issue"};
    rows[i].estimates = {{"predicted", 100, 100, 100}, {"cycles", 100 / (1 + 0.01 * static_cast<double>(i))}};
    rows[i].kernel.limiter = "issue";
    rows[i].kernel.shares = {{"issue", "a", 0.7}, {"L2", "b", 0.05}, {"DRAM", "c", 0.02}};
  }
  rows[1].kernel.limiter = "DRAM";
  rows[1].kernel.shares.back().share = 0.8;
  rows[2].kernel.shares[1].share = 0.1;
  rows[3].kernel.cold = true;
  rows[4].kernel.shares.clear();
  EXPECT_THAT(
      error_lines(rows),
      ElementsAre(StartsWith("all: 5 kernels"), StartsWith("L2 or DRAM limits them: 1 kernel, median error 1.0 %"),
                  StartsWith("L2 and DRAM are used for less than 10 % of the time: 1 kernel, median error 0.0 %"),
                  StartsWith("others: 3 kernels, median error 3.0 %")));
}

TEST(KernelRecord, IsReadAsItWasWritten) {
  Record table{.file = RecordFile::Cases};
  table.model = "a GPU";
  table.device.name = "another GPU";
  table.device.slug = "another-gpu";
  table.device.arch = "sm_90a";
  table.rows.push_back(example_row());
  table.rows.back().parameters = {{"hint", "cs"}, {"size", 4}};
  table.rows.back().kernel.grid = {132, 2, 1};
  add_answer(table.rows.back(), answer(), small_machine());
  table.rows.push_back(example_row());
  table.rows.back().kernel.prediction = {.refused = "a loop"};
  const Wanted kernels{{RecordFile::Cases}};
  EXPECT_EQ(must(parse_record(to_json(table), "", kernels)), table);
  EXPECT_EQ(parse_record(to_json(table)).error().code, "record-kind");
  EXPECT_EQ(parse_record("{}", "", kernels).error().code, "record");
}

}  // namespace
}  // namespace warpclock
