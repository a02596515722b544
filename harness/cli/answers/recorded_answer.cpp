#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "model/measured.hpp"
#include "record/outcome.hpp"
#include "report/instructions/instruction_cells.hpp"

namespace warpclock {
namespace {

/// "fma.rn.f32" of "fp32/fma.rn.f32"; empty for a row with chosen operands, "fp32/fma.rn.f32[a=denormal]".
std::string mnemonic_of(const InstructionRecord& row) {
  return row.id.ends_with(']') ? "" : row.id.substr(row.id.find('/') + 1);
}

/// Rows of chosen operands and values, "fma.rn.f32[a=denormal]", have the PTX of the instruction without them.
bool is_chosen(const InstructionRecord& row) { return row.id.ends_with(']') && row.id.contains('='); }

bool is_measured(const InstructionRecord& row) {
  return row.outcome == Outcome::Measured && !mnemonic_of(row).empty() && !row.estimates.empty();
}

/// Whether the parts are among those of a mnemonic, in order, and the first is its first.
bool means(const std::vector<std::string>& parts, const std::vector<std::string>& mnemonic) {
  if (parts.front() != mnemonic.front()) return false;
  std::size_t next = 0;
  for (const std::string& part : mnemonic) next += next < parts.size() && part == parts[next];
  return next == parts.size();
}

/// The text with each integer in decimal, the mask of a whole warp as -1, and .shared::cta as .shared: compilers write
/// either.
std::string with_same_constants(const std::string& ptx) {
  std::vector<std::string> words = split(replace_all(ptx, ".shared::cta", ".shared"), ' ');
  const bool masked = words.front().contains(".sync");
  for (std::string& text : words) {
    const bool comma = text.ends_with(',');
    std::string_view digits = std::string_view(text).substr(0, text.size() - (comma ? 1 : 0));
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16) digits.remove_prefix(2);
    const auto value = whole_number<std::uint64_t>(digits, base);
    if (!value) continue;
    text = masked && *value == 0xffffffff ? "-1" : std::to_string(*value);
    if (comma) text += ',';
  }
  return join(words, " ");
}

/// "29 cycles, 4 for SEL subtracted" is what a record notes as "via SEL (4 cycles, encoded)".
std::string note_in_words(const std::string& note) {
  constexpr std::string_view via = "via ", encoded = " cycles, encoded)";
  std::vector<std::string> parts = split(replace_all(note, "; ", "\n"), '\n');
  for (std::string& part : parts) {
    if (!part.starts_with(via)) continue;
    std::string links;
    for (const std::string& link : split(replace_all(part.substr(via.size()), "), ", ")\n"), '\n')) {
      const std::size_t at = link.rfind(" (");
      if (at == std::string::npos || !link.ends_with(encoded)) return note;
      const std::string cycles = link.substr(at + 2, link.size() - encoded.size() - at - 2);
      links += fmt::format("{}{} for {}", links.empty() ? "" : ", ", cycles, link.substr(0, at));
    }
    part = links + " subtracted";
  }
  return join(parts, "; ");
}

/// A number of cycles. Other numbers are in rates_text() as far as a person asks for them; JSON has all.
std::string line(const Estimate& estimate) {
  std::string text = fmt::format("  {:<16} {:.2f} {}", estimate.name, estimate.value, estimate.unit);
  if (estimate.high - estimate.low >= 0.05) text += fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
  return text + (estimate.note.empty() ? "" : "  (" + note_in_words(estimate.note) + ")") + "\n";
}

bool is_rate(const Estimate& estimate) {
  return estimate.name == "throughput" || estimate.name == "interval" || estimate.name == "saturation" ||
         estimate.name == "issue";
}

}  // namespace

Expected<std::vector<RecordedTable>> recorded_tables(const GpuChoice& choice) {
  std::vector<RecordedTable> tables;
  const auto folders = WARPCLOCK_TRY(answering_folders(choice));
  for (const std::filesystem::path& folder : folders) {
    auto table = WARPCLOCK_TRY(read_gpu_instructions(folder));
    if (table)
      tables.push_back({(folder / "instructions.json").string(), *std::move(table)});
    else if (!choice.gpu.empty())
      return fail("gpu", "there is no instructions.json; `warpclock catalogue` measures one", folder.string());
  }
  return tables;
}

std::vector<RecordedAnswer> recorded_answers(const std::vector<RecordedTable>& tables, const std::string& ptx) {
  std::vector<RecordedAnswer> answers;
  const std::string wanted = with_same_constants(ptx);
  for (const RecordedTable& from : tables) {
    const auto row = std::ranges::find_if(from.table.rows, [&](const InstructionRecord& one) {
      return one.outcome == Outcome::Measured && !one.estimates.empty() && !is_chosen(one) &&
             with_same_constants(one.ptx) == wanted;
    });
    if (row != from.table.rows.end()) answers.push_back({&from, &*row});
  }
  return answers;
}

std::vector<RecordedAnswer> recorded_by_name(const std::vector<RecordedTable>& tables, const std::string& name) {
  std::vector<RecordedAnswer> answers;
  if (name.empty() || name.find_first_of(" \t{}%;,") != std::string::npos) return answers;
  const std::vector<std::string> parts = split(name, '.');
  for (const RecordedTable& from : tables) {
    std::size_t fewest = 0;
    std::vector<RecordedAnswer> of_table;
    for (const InstructionRecord& row : from.table.rows) {
      if (!is_measured(row)) continue;
      const std::vector<std::string> mnemonic = split(mnemonic_of(row), '.');
      if (!means(parts, mnemonic) || (fewest > 0 && mnemonic.size() > fewest)) continue;
      if (mnemonic.size() < fewest) of_table.clear();
      fewest = mnemonic.size();
      of_table.push_back({&from, &row});
    }
    std::ranges::copy(of_table, std::back_inserter(answers));
  }
  return answers;
}

std::string headline(const InstructionRecord& row) {
  const std::vector<OperandLatency> all = latencies(row);
  const auto same = [&](const OperandLatency& one) { return one.measured->value == all.front().measured->value; };
  if (!all.empty() && std::ranges::all_of(all, same)) return fmt::format("{:.1f} cycles", all.front().measured->value);
  if (!all.empty()) return latency_groups(row) + " cycles";
  const Estimate* rate = published(row, "throughput");
  return rate == nullptr ? "no latency" : fmt::format("{:.1f} results/clk/SM", rate->value);
}

std::string recorded_text(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject,
                          const Style& style) {
  const auto& [provenance, device, rows, guide] = answer.from->table;
  const InstructionRecord& row = *answer.row;
  std::string text =
      fmt::format("{}: {} ({})\n", title_of(asked), style.bold(headline(row)), measured_when(device, provenance));
  if (subject != nullptr) text += form_text(asked, *subject, style);
  if (subject == nullptr) text += fmt::format("  {:<16} {}\n", "ptx", style.dim(row.ptx));
  for (const Estimate& estimate : row.estimates)
    if (!is_rate(estimate)) text += line(estimate);
  if (subject != nullptr) text += not_measured_text(subject->instruction, row, style);
  text += rates_text(row, false, style);
  text += fmt::format("  {:<16} {}: {}\n", "machine code", row.arch, opcode_groups(row.became, "x"));
  for (const std::string& label : labels_of(row)) text += fmt::format("  {:<16} {}\n", "note", label);
  for (const std::string& finding : row.findings) text += fmt::format("  {:<16} {}\n", "finding", finding);
  text += style.dim(fmt::format("  {:<16} {} of {}, commit {}", "row", row.id, answer.from->file,
                                provenance.commit.substr(0, 8))) +
          "\n";
  return text;
}

nlohmann::ordered_json recorded_json(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject) {
  const auto& [provenance, device, rows, guide] = answer.from->table;
  const InstructionRecord& row = *answer.row;
  nlohmann::ordered_json out = asked_json(asked);
  out["answer"] = headline(row);
  out["by"] = measured_when(device, provenance);
  out["ptx"] = row.ptx;
  out["arch"] = row.arch;
  out["outcome"] = word(row.outcome);
  out["became"] = row.became;
  out["labels"] = labels_of(row);
  out["pipes"] = row.pipes;
  out["constants"] = subject == nullptr ? nlohmann::ordered_json::array() : constants_json(*subject);
  out["recorded"] = {{"gpu", device.name},
                     {"date", provenance.date},
                     {"commit", provenance.commit},
                     {"file", answer.from->file},
                     {"row", row.id}};
  out["estimates"] = nlohmann::ordered_json::array();
  for (const Estimate& estimate : row.estimates) out["estimates"].push_back(json_of(estimate));
  if (subject != nullptr) out["not_measured"] = not_measured_json(subject->instruction, row);
  out["findings"] = row.findings;
  if (row.clock.sm_mhz > 0) out["sm_mhz"] = row.clock.sm_mhz;
  return out;
}

}  // namespace warpclock
