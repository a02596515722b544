#include "report/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "check/error_summary.hpp"
#include "record/outcome.hpp"
#include "record/outline.hpp"
#include "report/instructions/machine_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/figures.hpp"

namespace warpclock {
namespace {

/// "nvidia-h200" from "nvidia-h200/memory".
std::string gpu_of(const std::string& folder) { return folder.substr(0, folder.find('/')); }

std::string title(const std::string& folder, const Record& record) {
  return markdown_text(record.device.name.empty() ? gpu_of(folder) : record.device.name);
}

/// ", memory" from "nvidia-h200/memory".
std::string suite_suffix(const std::string& folder) {
  const std::size_t slash = folder.find('/');
  return slash == std::string::npos ? "" : ", " + markdown_text(folder.substr(slash + 1));
}

std::string devices(const std::map<std::string, Record>& records) {
  MarkdownTable table({"GPU", "compiled for", "#SMs", "#SM clock requested (MHz)"});
  Tally all{};
  for (const auto& [folder, record] : records) {
    const Tally counts = tally(record);
    std::ranges::transform(all, counts, all.begin(), std::plus());
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (worth_telling(outcomes[i], all[i])) table.column(std::string(word(outcomes[i])), true);
  }
  for (const char* head : {"measured on", "by commit", ""}) table.column(head);
  for (const auto& [folder, record] : records) {
    const std::string to = percent_encoded(folder) + '/';
    const DeviceFacts& device = record.device;
    std::vector<std::string> cells = {"[" + title(folder, record) + suite_suffix(folder) + "](" + to + "report.md)",
                                      markdown_text(device.arch), device.sms > 0 ? std::to_string(device.sms) : "",
                                      device.sm_clock_max_mhz > 0 ? fixed(device.sm_clock_max_mhz, 0) : ""};
    const Tally counts = tally(record);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (worth_telling(outcomes[i], all[i])) cells.push_back(std::to_string(counts[i]));
    }
    cells.push_back(markdown_text(record.provenance.date.substr(0, 10)));
    cells.push_back(markdown_code(record.provenance.commit.substr(0, 12)) +
                    (record.provenance.dirty ? " with local changes" : ""));
    cells.push_back(fmt::format("[charts and code]({0}report.html), [data]({0}result.json.gz)", to));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string instructions(const std::map<std::string, InstructionTable>& tables) {
  if (tables.empty()) return {};
  MarkdownTable out({"GPU"});
  // Only records have unsteady rows.
  std::vector<Outcome> counted(outcomes.begin(), outcomes.end());
  std::erase(counted, Outcome::Unsteady);
  for (const Outcome outcome : counted) out.column(std::string(word(outcome)), true);
  out.column("measured on");
  out.column("");
  for (const auto& [folder, table] : tables) {
    const std::string to = percent_encoded(folder) + '/';
    std::vector<std::string> cells = {fmt::format(
        "[{}]({}instructions.md)", markdown_text(table.device.name.empty() ? folder : table.device.name), to)};
    for (const Outcome outcome : counted) {
      cells.push_back(std::to_string(std::ranges::count(table.rows, outcome, &InstructionRecord::outcome)));
    }
    cells.push_back(markdown_text(table.provenance.date.substr(0, 10)));
    cells.push_back(fmt::format("[search, code, samples]({0}instructions.html), [data]({0}instructions.json.gz)", to));
    out.row(std::move(cells));
  }
  return "## Instructions\n\n" + out.text() +
         (tables.size() > 1 ? "[Side by side](instructions.html)\n\n" : std::string());
}

std::string machine_instructions(const std::map<std::string, MachineTable>& tables) {
  if (tables.empty()) return {};
  MarkdownTable out({"GPU", "#measured", "#without", "measured on", ""});
  for (const auto& [folder, table] : tables) {
    const std::string to = percent_encoded(folder) + '/';
    const MachineCounts all = count_rows(table);
    out.row(
        {fmt::format("[{}]({}machine.md)", markdown_text(table.device.name.empty() ? folder : table.device.name), to),
         std::to_string(all.measured), std::to_string(all.rows - all.measured),
         markdown_text(table.provenance.date.substr(0, 10)),
         fmt::format("[search, evidence]({0}machine.html), [data]({0}machine.json.gz)", to)});
  }
  return "## Machine instructions\n\n" + out.text();
}

std::string kernels_of(const std::map<std::string, KernelTable>& tables) {
  if (tables.empty()) return {};
  MarkdownTable out(
      {"GPU", "#kernels", "#predicted and measured", "#median error (%)", "#worst (%)", "#limiter right", ""});
  for (const auto& [folder, table] : tables) {
    const std::string to = percent_encoded(folder) + '/';
    const ErrorSummary all = summary_of(table.rows);
    const bool any = all.count > 0;
    out.row({fmt::format("[{}{}]({}cases.md)",
                         markdown_text(table.device.name.empty() ? gpu_of(folder) : table.device.name),
                         suite_suffix(folder), to),
             std::to_string(table.rows.size()), std::to_string(all.count), any ? fmt::format("{:.1f}", all.median) : "",
             any ? fmt::format("{:+.1f}", all.worst) : "",
             all.decided > 0 ? fmt::format("{} of {}", all.agreed, all.decided) : "",
             fmt::format("[errors]({0}cases.html), [data]({0}cases.json.gz)", to)});
  }
  return "## Kernels, predicted and measured\n\n" + out.text();
}

}  // namespace

std::string render_gallery(const Reports& reports) {
  std::string out = fmt::format("{}\n# Measured GPUs\n\n", markdown_mark);
  out +=
      "[index.html](index.html) compares the GPUs and leads to all pages. Each GPU has a folder, with a folder in it "
      "for each further suite. ";
  out += reports.machines.empty() ? "`result.json.gz` and `instructions.json.gz`"
                                  : "`result.json.gz`, `instructions.json.gz` and `machine.json.gz`";
  out +=
      " are the records; all other files are rendered from them. `./bootstrap run` adds a GPU, and `warpclock report` "
      "writes this page.\n\n";
  return out + devices(reports.records) + instructions(reports.tables) + machine_instructions(reports.machines) +
         kernels_of(reports.kernels);
}

}  // namespace warpclock
