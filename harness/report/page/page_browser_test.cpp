#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "fleet/fleet.hpp"
#include "fleet/observations.hpp"
#include "inspect/inspect.hpp"
#include "inspect/testing/recorded.hpp"
#include "model/testing/measured.hpp"
#include "predict/predict.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/kernels.hpp"
#include "record/testing/machine.hpp"
#include "record/testing/memory.hpp"
#include "record/testing/record.hpp"
#include "report/page/page.hpp"
#include "report/page/testing/chromium.hpp"

namespace warpclock {
namespace {

TEST(HtmlInChromium, TheReportStandsOnItsOwn) {
  testing::expect_whole("report.html", [] { return render_record(finished(testing::example_record())); });
}

TEST(HtmlInChromium, TheMemorySystemAndItsCurvesStandOnTheirOwn) {
  testing::expect_whole("memory.html", [] { return render_record(testing::whole_memory_record()); });
}

/// A record in which every text breaks out of any place where it becomes markup.
Record hostile_record() {
  const std::string poison =
      "\"'><img src=x onerror=\"window.poisoned=1\"></script><script>document.title='poisoned'</script>\xE2\x80\xAE";
  Record record = testing::example_record();
  DeviceFacts& device = record.device;
  for (std::string* text :
       {&device.name, &device.arch, &device.chip, &device.ecc, &record.provenance.commit, &record.provenance.version,
        &record.provenance.toolkit, &record.provenance.driver, &record.provenance.date, &record.provenance.counters}) {
    *text = poison;
  }
  record.provenance.argv = {poison, poison};
  device.peers = {poison};
  for (ProbeRecord& probe : record.probes) {
    probe.name += poison, probe.family += poison, probe.asks = probe.varies = poison;
    probe.chart.x += probe.chart.x.empty() ? "" : poison, probe.chart.y += probe.chart.y.empty() ? "" : poison;
    probe.chart.series += probe.chart.series.empty() ? "" : poison;
  }
  for (MetricRecord& metric : record.metrics) metric = {poison, poison, poison};
  for (Row& row : record.rows) {
    row.id += poison, row.probe += poison, row.family += poison, row.arch = poison;
    for (auto& [name, value] : row.parameters) {
      name += poison;
      if (auto* word = std::get_if<std::string>(&value)) *word += poison;
    }
    row.reason = {poison, poison, poison};
    row.window.verdict = row.window.sass_hash = row.window.label = row.ptx = row.counters_missing = poison;
    for (auto& [opcode, count] : row.window.opcodes) opcode += poison;
    for (std::string& line : row.window.sass) line += poison;
    for (Measure& measure : row.measures) measure.name = measure.note = measure.unit = poison;
    for (Estimate& e : row.estimates) e.name += poison, e.unit = e.note = poison;
    for (Premise& p : row.premises) p.text = p.why_unknown = poison;
    row.facts[poison] = row.counters[poison] = 1;
    row.clock.throttle = {poison};
  }
  record = finished(std::move(record));
  for (ProbeRecord& probe : record.probes)
    for (Headline& answer : probe.answers) answer.value = answer.all_sms = answer.detail = poison;
  return record;
}

TEST(HtmlInChromium, NoTextOfARecordBecomesMarkup) {
  testing::expect_whole(
      "hostile.html",
      [] {
        PagePlace place;
        place.links = {{"<img src=x>", "#", "\"><img src=x>"}};
        return render_record(hostile_record(), place);
      },
      true);
}

TEST(HtmlInChromium, TheInstructionsOfAGpuStandOnTheirOwn) {
  const std::vector<Record> tables = {testing::example_instructions()};
  testing::expect_whole("instructions.html", [&] { return render_instruction_html(tables); });
}

TEST(HtmlInChromium, TheInstructionsOfTwoGpusStandOnTheirOwn) {
  std::vector<Record> tables(2, testing::example_instructions());
  tables[1].device.name = "NVIDIA B200";
  tables[1].rows.erase(tables[1].rows.begin());
  PagePlace place;
  place.all = "index.html";
  testing::expect_whole("instructions-2.html", [&] { return render_instruction_html(tables, place); });
}

TEST(HtmlInChromium, NumbersOfOtherMachineCodeAreMarked) {
  std::vector<Record> tables(2, testing::example_instructions());
  Row& other = tables[1].rows[0];
  for (Estimate& estimate : other.estimates) estimate.value *= 2, estimate.low *= 2, estimate.high *= 2;
  for (InstructionRun& run : other.instruction.runs) run.sass_hash = "another";
  const std::string marks = "[...document.querySelectorAll('.tall .mark')].filter(m => m.textContent.startsWith('~'))";
  const std::string said = "document.querySelector('#main > p.note')?.textContent ?? ''";
  testing::expect_facts("instructions-2-other.html", [&] { return render_instruction_html(tables); },
                        {{marks + ".length", 1},
                         {marks + "[0].title.includes('timed other machine code')", true},
                         {"(" + said + ").startsWith('~, rows: 1. ')", true}});
  tables[1] = tables[0];
  testing::expect_facts("instructions-2-same.html", [&] { return render_instruction_html(tables); },
                        {{marks + ".length", 0}, {"(" + said + ").startsWith('~')", false}});
}

TEST(HtmlInChromium, ThreeThousandInstructionsStandOnTheirOwn) {
  testing::expect_whole("instructions-3000.html", [] {
    const std::vector<Record> tables = {testing::many_instructions(3000)};
    return render_instruction_html(tables);
  });
}

TEST(HtmlInChromium, AnInspectionStandsOnItsOwn) {
  testing::expect_whole("inspection.html", [] {
    return render_inspection(inspect("kernels.cubin", testing::recorded_kernels(), {}).value());
  });
}

TEST(HtmlInChromium, ATimelineShowsTheLimiter) {
  testing::expect_whole("prediction.html", [] {
    const Machine machine = testing::committed_machine("nvidia-h200");
    PredictOptions options{.blocks = 132, .threads = 512};
    options.trips[0] = 64;
    options.level = MemoryLevel::L2;
    options.timeline = 2000;
    return render_predictions({predict(testing::recorded_kernel("spills"), machine, options).value()});
  });
}

TEST(HtmlInChromium, TheMachineInstructionsStandOnTheirOwn) {
  testing::expect_whole("machine.html", [] {
    PagePlace place;
    for (const char* name : {"full", "kernels", "memory", "peer", "instructions"})
      place.links.push_back({name, "machine.html", ""});
    return render_record(testing::example_machine(), place);
  });
}

TEST(HtmlInChromium, TheCommittedPagesLeadToEachOtherAndAreFound) {
  testing::expect_page({{"site", WARPCLOCK_SOURCE_DIR "/reports/index.html"}});
}

TEST(HtmlInChromium, FifteenHundredMachineInstructionsStandOnTheirOwn) {
  testing::expect_whole("machine-1500.html", [] { return render_record(testing::many_machine(1500)); });
}

TEST(HtmlInChromium, PredictedKernelsStandOnTheirOwn) {
  testing::expect_whole("cases.html", [] { return render_record(testing::example_kernels()); });
}

TEST(HtmlInChromium, AnOverviewStandsOnItsOwn) {
  testing::expect_whole(
      "gpu.html",
      [] {
        Record record = hostile_record();
        const Record table = testing::example_instructions();
        PagePlace place;
        place.gpu = "index.html";
        return render_gpu({.folder = "x\"><img src=x>", .results = {{"", &record}}, .table = &table}, place);
      },
      true);
}

TEST(HtmlInChromium, TheCommittedFleetStandsOnItsOwn) {
  testing::expect_whole("fleet.html", [] {
    return render_fleet(judge_fleet(read_fleet(WARPCLOCK_SOURCE_DIR "/reports", {}).value()), nullptr);
  });
}

TEST(HtmlInChromium, NoTextOfAFileBecomesMarkup) {
  testing::expect_whole(
      "hostile-inspection.html",
      [] {
        const std::string bad =
            "\"'><img src=x onerror=\"window.poisoned=1\"></script><script>document.title='poisoned'</script>";
        Inspection inspection = inspect("kernels.cubin", testing::recorded_kernels(), {}).value();
        inspection.file = inspection.kind = inspection.arch = inspection.latencies = bad;
        KernelInspection& kernel = inspection.kernels.at(0);
        kernel.readable = kernel.name = bad;
        for (ListedInstruction& each : kernel.listing) each.text = each.file = each.wait = bad;
        return render_inspection(inspection);
      },
      true);
}

TEST(HtmlInChromium, NoTextOfATableBecomesMarkup) {
  testing::expect_whole(
      "hostile-machine.html",
      [] {
        const std::string poison = "\"'><img src=x onerror=\"window.poisoned=1\"></script><!--<script>\xE2\x80\xAE";
        Record table = testing::example_machine();
        table.device.name = table.device.arch = table.provenance.commit = poison;
        for (Row& row : table.rows) {
          row.id += poison, row.machine.text += poison;
          if (row.outcome != Outcome::Measured) row.reason = {poison, poison, poison};
          for (OperandPath& each : row.machine.paths) each.operand = each.through = each.note = poison;
          for (IssueCell& each : row.machine.cells) each.note = poison;
        }
        return render_record(table);
      },
      true);
  testing::expect_whole(
      "hostile-instructions.html",
      [] {
        const std::string poison = "\"'><img src=x onerror=\"window.poisoned=1\"></script><!--<script>\xE2\x80\xAE";
        std::vector<Record> tables = {testing::example_instructions()};
        tables[0].device.name = poison;
        for (Row& row : tables[0].rows) {
          row.id += poison, row.ptx += poison, row.family = row.instruction.section = row.instruction.types = poison;
          row.reason = {poison, poison, poison};
          row.instruction.labels = row.pipes = row.instruction.became = {poison};
          for (Estimate& estimate : row.estimates) estimate.note = poison;
        }
        return render_instruction_html(tables);
      },
      true);
}

}  // namespace
}  // namespace warpclock
