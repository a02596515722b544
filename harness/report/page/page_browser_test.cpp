#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "fleet/judge.hpp"
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
#include "report/page/file_pages.hpp"
#include "report/page/fleet_page.hpp"
#include "report/page/kernel_page.hpp"
#include "report/page/overview_pages.hpp"
#include "report/page/suite_page.hpp"
#include "report/page/table_pages.hpp"

namespace warpclock {
namespace {

/// Runs a script of this folder, given with its options, on a page or none. Returns 77 if no browser can run it.
int run_script(const std::vector<std::string>& script, const std::string& path, std::string& said) {
  std::vector<std::string> command = {"python3", WARPCLOCK_SOURCE_DIR "/harness/report/page/" + script[0]};
  if (!path.empty()) command.push_back(path);
  command.insert(command.end(), script.begin() + 1, script.end());
  const auto result = run_process(command, {.input = "", .timeout = std::chrono::minutes(4)});
  said = result ? result->out + result->err : result.error().text;
  if (!result) return result.error().code == "process" ? 77 : 1;
  return result->exit_code;
}

/// Runs the script on the result of `page` if there is a browser, because large pages take a while. WARPCLOCK_PAGES
/// names a folder in which the pages are kept.
void check_in_chromium(const std::vector<std::string>& script, const std::string& name,
                       const std::function<std::string()>& page) {
  const char* const kept = std::getenv("WARPCLOCK_PAGES");
  std::string said;
  if (kept == nullptr && run_script(script, {}, said) == 77) GTEST_SKIP() << said;
  const testing::TemporaryFolder folder;
  const std::string path = folder / name;
  testing::write(path, page());
  if (kept != nullptr) {
    std::filesystem::copy_file(path, std::string(kept) + '/' + name, std::filesystem::copy_options::overwrite_existing);
  }
  const int status = run_script(script, path, said);
  if (status == 77) GTEST_SKIP() << said;
  EXPECT_EQ(status, 0) << said;
  std::cout << said;
}

TEST(HtmlInChromium, TheReportStandsOnItsOwn) {
  check_in_chromium({"page_check.py"}, "report.html", [] { return render_suite(testing::example_record()); });
}

TEST(HtmlInChromium, TheMemorySystemAndItsCurvesStandOnTheirOwn) {
  check_in_chromium({"page_check.py"}, "memory.html", [] { return render_suite(testing::whole_memory_record()); });
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
    probe.name += poison, probe.family += poison, probe.asks = poison;
    probe.chart.x += probe.chart.x.empty() ? "" : poison, probe.chart.y += probe.chart.y.empty() ? "" : poison;
    probe.chart.series += probe.chart.series.empty() ? "" : poison;
  }
  for (MetricRecord& metric : record.metrics) metric = {poison, poison, poison};
  for (CaseRecord& row : record.cases) {
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
  return record;
}

TEST(HtmlInChromium, NoTextOfARecordBecomesMarkup) {
  check_in_chromium({"page_check.py", "--hostile"}, "hostile.html", [] {
    PagePlace place;
    place.links = {{"<img src=x>", "#", "\"><img src=x>"}};
    return render_suite(hostile_record(), place);
  });
}

TEST(HtmlInChromium, TheInstructionsOfAGpuStandOnTheirOwn) {
  const std::vector<InstructionTable> tables = {testing::example_instructions()};
  check_in_chromium({"page_check.py"}, "instructions.html", [&] { return render_instruction_html(tables); });
}

TEST(HtmlInChromium, TheInstructionsOfTwoGpusStandOnTheirOwn) {
  std::vector<InstructionTable> tables(2, testing::example_instructions());
  tables[1].device.name = "NVIDIA B200";
  tables[1].rows.erase(tables[1].rows.begin());
  PagePlace place;
  place.all = "index.html";
  check_in_chromium({"page_check.py"}, "instructions-2.html", [&] { return render_instruction_html(tables, place); });
}

TEST(HtmlInChromium, ThreeThousandInstructionsStandOnTheirOwn) {
  check_in_chromium({"page_check.py"}, "instructions-3000.html", [] {
    const std::vector<InstructionTable> tables = {testing::many_instructions(3000)};
    return render_instruction_html(tables);
  });
}

TEST(HtmlInChromium, AnInspectionStandsOnItsOwn) {
  check_in_chromium({"page_check.py"}, "inspection.html", [] {
    return render_inspection(inspect("kernels.cubin", testing::recorded_kernels(), {}).value());
  });
}

TEST(HtmlInChromium, ATimelineShowsTheLimiter) {
  check_in_chromium({"page_check.py"}, "prediction.html", [] {
    const Machine machine = testing::committed_machine("nvidia-h200");
    PredictOptions options{.blocks = 132, .threads = 512};
    options.trips[0] = 64;
    options.level = MemoryLevel::L2;
    options.timeline = 2000;
    return render_predictions({predict(testing::recorded_kernel("spills"), machine, options).value()});
  });
}

TEST(HtmlInChromium, TheMachineInstructionsStandOnTheirOwn) {
  check_in_chromium({"page_check.py"}, "machine.html", [] {
    PagePlace place;
    for (const char* name : {"full", "kernels", "memory", "peer", "instructions"})
      place.links.push_back({name, "machine.html", ""});
    return render_machine_html(testing::example_machine(), place);
  });
}

TEST(HtmlInChromium, TheCommittedPagesLeadToEachOtherAndAreFound) {
  std::string said;
  const int status = run_script({"pages_check.py"}, WARPCLOCK_SOURCE_DIR "/reports/index.html", said);
  if (status == 77) GTEST_SKIP() << said;
  EXPECT_EQ(status, 0) << said;
  std::cout << said;
}

TEST(HtmlInChromium, FifteenHundredMachineInstructionsStandOnTheirOwn) {
  check_in_chromium({"page_check.py"}, "machine-1500.html",
                    [] { return render_machine_html(testing::many_machine(1500)); });
}

TEST(HtmlInChromium, PredictedKernelsStandOnTheirOwn) {
  check_in_chromium({"page_check.py"}, "cases.html", [] { return render_kernel_html(testing::example_kernels()); });
}

TEST(HtmlInChromium, AnOverviewStandsOnItsOwn) {
  check_in_chromium({"page_check.py", "--hostile"}, "gpu.html", [] {
    Record record = hostile_record();
    const InstructionTable table = testing::example_instructions();
    PagePlace place;
    place.gpu = "index.html";
    return render_gpu({.folder = "x\"><img src=x>", .results = {{"", &record}}, .table = &table}, place);
  });
}

TEST(HtmlInChromium, TheCommittedFleetStandsOnItsOwn) {
  check_in_chromium({"page_check.py"}, "fleet.html", [] {
    return render_fleet(judge_fleet(read_fleet(WARPCLOCK_SOURCE_DIR "/reports", {}).value()), nullptr);
  });
}

TEST(HtmlInChromium, NoTextOfAFileBecomesMarkup) {
  check_in_chromium({"page_check.py", "--hostile"}, "hostile-inspection.html", [] {
    const std::string bad =
        "\"'><img src=x onerror=\"window.poisoned=1\"></script><script>document.title='poisoned'</script>";
    Inspection inspection = inspect("kernels.cubin", testing::recorded_kernels(), {}).value();
    inspection.file = inspection.kind = inspection.arch = inspection.latencies = bad;
    KernelInspection& kernel = inspection.kernels.at(0);
    kernel.readable = kernel.name = bad;
    for (ListedInstruction& each : kernel.listing) each.text = each.file = each.wait = bad;
    return render_inspection(inspection);
  });
}

TEST(HtmlInChromium, NoTextOfATableBecomesMarkup) {
  check_in_chromium({"page_check.py", "--hostile"}, "hostile-machine.html", [] {
    const std::string poison = "\"'><img src=x onerror=\"window.poisoned=1\"></script><!--<script>\xE2\x80\xAE";
    MachineTable table = testing::example_machine();
    table.device.name = table.device.arch = table.provenance.commit = poison;
    for (MachineRow& row : table.rows) {
      row.key += poison, row.text += poison;
      if (row.reason) row.reason = Error{poison, poison, poison};
      for (DependencyLatency& each : row.latencies) each.operand = each.through = each.note = poison;
      for (IssueCell& each : row.cells) each.note = poison;
    }
    return render_machine_html(table);
  });
  check_in_chromium({"page_check.py", "--hostile"}, "hostile-instructions.html", [] {
    const std::string poison = "\"'><img src=x onerror=\"window.poisoned=1\"></script><!--<script>\xE2\x80\xAE";
    std::vector<InstructionTable> tables = {testing::example_instructions()};
    tables[0].device.name = poison;
    for (InstructionRecord& row : tables[0].rows) {
      row.id += poison, row.ptx += poison, row.family = row.section = row.types = poison;
      row.reason = {poison, poison, poison};
      row.labels = row.pipes = row.became = {poison};
      for (Estimate& estimate : row.estimates) estimate.note = poison;
    }
    return render_instruction_html(tables);
  });
}

}  // namespace
}  // namespace warpclock
