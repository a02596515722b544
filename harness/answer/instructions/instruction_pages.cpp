#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answer/instructions/instruction_cells.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

std::string field(const std::string& text) {
  const bool quoted =
      text.find_first_of(",\"\r\n") != std::string::npos || text.starts_with(' ') || text.ends_with(' ');
  return quoted ? '"' + replace_all(text, "\"", "\"\"") + '"' : text;
}

std::string record(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& each : fields) out += (&each == fields.data() ? "" : ",") + field(each);
  return out + "\r\n";
}

std::string csv_number(double value) { return std::isfinite(value) ? human_number(value, 6) : std::string(); }

std::string csv_number(const Estimate* estimate) { return estimate ? csv_number(estimate->value) : std::string(); }

std::string reason(const Row& row) {
  if (row.outcome == Outcome::Measured) return {};
  return row.reason.text.empty() ? row.reason.code : row.reason.code + ": " + row.reason.text;
}

std::vector<std::string> fields(const Row& row) {
  std::string least, most;
  const std::vector<OperandLatency> all = latencies(row);
  if (!all.empty()) {
    const auto value = [](const OperandLatency& each) { return each.measured->value; };
    const auto [low, high] = std::ranges::minmax(all, {}, value);
    least = csv_number(low.measured->value);
    most = csv_number(high.measured->value);
  }
  return {row.id,
          row.family,
          row.ptx,
          row.instruction.types,
          row.arch,
          std::string(word(row.outcome)),
          reason(row),
          latency_list(row),
          least,
          most,
          csv_number(published(row, "throughput")),
          rate_window(row),
          csv_number(published(row, "interval")),
          csv_number(published(row, "saturation")),
          join(row.pipes, " "),
          join(row.instruction.became, " "),
          join(labels_of(row), "; "),
          encoded_list(row)};
}

}  // namespace

std::string render_instruction_csv(const Record& table) {
  std::string out =
      record({"id", "family", "ptx", "types", "arch", "outcome", "reason", "latency", "latency_min", "latency_max",
              "throughput", "throughput_window", "interval", "saturation", "pipes", "became", "labels", "encoded"});
  for (const Row& row : table.rows) out += record(fields(row));
  return out;
}

namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : fmt::format(" {}=\"{}\"", name, escape(value));
}

std::string attribute(std::string_view name, double value) {
  return attribute(name, std::isfinite(value) ? human_number(value, 6) : std::string());
}

std::string attribute(std::string_view name, const Estimate* estimate) {
  return estimate ? attribute(name, estimate->value) : std::string();
}

std::string via(const Row& row, const std::string& measure) {
  const auto run = std::ranges::find(row.instruction.runs, measure, &InstructionRun::measure);
  if (run == row.instruction.runs.end()) return {};
  std::vector<std::string> pieces;
  for (const auto& [companion, cycles] : run->via) pieces.push_back(companion + ':' + human_number(cycles, 6));
  return join(pieces, " ");
}

std::string latency(const Row& row, const OperandLatency& each, const std::string& target) {
  return "      <latency" + attribute("start_op", each.operand) + attribute("target_op", target) +
         attribute("cycles", each.measured) + attribute("low", each.measured->low) +
         attribute("high", each.measured->high) + attribute("encoded", each.encoded) +
         attribute("via", via(row, each.measured->name)) + "/>\n";
}

std::string instruction(const Row& row) {
  std::string out =
      "    <instruction" + attribute("id", row.id) + attribute("ptx", row.ptx) + attribute("family", row.family) +
      attribute("section", row.instruction.section) + attribute("types", row.instruction.types) +
      attribute("outcome", word(row.outcome)) + attribute("sass", join(row.instruction.became, " ")) +
      attribute("pipes", join(row.pipes, " ")) + attribute("labels", join(labels_of(row), "; ")) +
      attribute("throughput", published(row, "throughput")) + attribute("throughput_window", rate_window(row)) +
      attribute("interval", published(row, "interval")) + attribute("saturation", published(row, "saturation")) + ">\n";
  const std::vector<std::string> operands = placeholders(row.ptx);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    out += fmt::format("      <operand idx=\"{}\"{}/>\n", i + 1, attribute("name", operands[i]));
  }
  const std::string target = operands.empty() ? std::string() : operands.front();
  for (const OperandLatency& each : latencies(row)) out += latency(row, each, target);
  if (row.outcome != Outcome::Measured) {
    out += "      <reason" + attribute("stage", row.reason.stage) + attribute("code", row.reason.code) + ">" +
           escape(row.reason.text) + "</reason>\n";
  }
  for (const std::string& finding : row.instruction.findings)
    out += "      <finding>" + escape(finding) + "</finding>\n";
  return out + "    </instruction>\n";
}

}  // namespace

std::string render_instruction_xml(std::span<const Record> tables) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root>\n";
  for (const Record& table : tables) {
    const Provenance& p = table.provenance;
    out += "  <architecture" + attribute("name", table.device.arch) + attribute("device", table.device.name) +
           attribute("chip", table.device.chip) + attribute("driver", table.device.driver) +
           attribute("toolkit", p.toolkit) + attribute("version", p.version) + attribute("commit", p.commit) +
           attribute("date", p.date) + ">\n";
    for (const Row& row : table.rows) out += instruction(row);
    out += "  </architecture>\n";
  }
  return out + "</root>\n";
}

}  // namespace warpclock
