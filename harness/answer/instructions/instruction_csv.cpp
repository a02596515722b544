#include <algorithm>
#include <cmath>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/instructions/instruction_pages.hpp"
#include "base/text.hpp"
#include "record/outcome.hpp"

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

std::string reason(const InstructionRecord& row) {
  if (row.outcome == Outcome::Measured) return {};
  return row.reason.text.empty() ? row.reason.code : row.reason.code + ": " + row.reason.text;
}

std::vector<std::string> fields(const InstructionRecord& row) {
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
          row.types,
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
          join(row.became, " "),
          join(labels_of(row), "; "),
          encoded_list(row)};
}

}  // namespace

std::string render_instruction_csv(const InstructionTable& table) {
  std::string out =
      record({"id", "family", "ptx", "types", "arch", "outcome", "reason", "latency", "latency_min", "latency_max",
              "throughput", "throughput_window", "interval", "saturation", "pipes", "became", "labels", "encoded"});
  for (const InstructionRecord& row : table.rows) out += record(fields(row));
  return out;
}

}  // namespace warpclock
