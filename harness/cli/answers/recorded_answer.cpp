#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "fields/form_table.hpp"
#include "model/measured.hpp"
#include "ptx/catalogue/spelling.hpp"
#include "ptx/describe.hpp"
#include "ptx/types.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

/// "results", or what else a rate of the row counts.
std::string counted_as(const Row& row) {
  static const auto table = opcode_table();
  const auto line = parse_ptx(row.ptx);
  if (!table || !line) return "results";
  const auto instruction = describe(*line, *table);
  return instruction ? counted_as(*instruction) : "results";
}

/// ", 28.0 for 8": what as many warps of an SM spend on one each, if it has no result.
std::string of_eight_warps(const Row& row) {
  constexpr int warps = 8, lanes = 32;
  const ThroughputPoint* point = find_by(row.instruction.curve, warps, &ThroughputPoint::warps);
  if (point == nullptr || point->rate <= 0 || counted_as(row) == "results") return {};
  return fmt::format(", {:.1f} for {}", warps * lanes / point->rate, warps);
}

constexpr std::size_t most_names = 6;

/// "4.0 cycles"
std::string cycles_in_words(const Row& row) {
  const std::vector<OperandLatency> all = latencies(row);
  const auto same = [&](const OperandLatency& one) { return one.measured->value == all.front().measured->value; };
  if (!all.empty() && std::ranges::all_of(all, same)) return fmt::format("{:.1f} cycles", all.front().measured->value);
  if (!all.empty()) return latency_groups(row) + " cycles";
  // Without a result nothing waits: what a warp spends on each is what is asked for.
  if (const Estimate* issue = published(row, "issue"))
    return fmt::format("{:.1f} cycles for one warp", issue->value) + of_eight_warps(row);
  const Estimate* interval = published(row, "interval");
  return interval == nullptr ? "no latency" : fmt::format("one warp instruction every {:.1f} cycles", interval->value);
}

}  // namespace

std::string headline(const Row& row) {
  if (row.forms.size() <= 1) return cycles_in_words(row);
  std::vector<std::string> names;
  for (const std::string& form : row.forms) names.push_back(name_in(form));
  const std::vector<std::string> others(names.begin() + 1, names.end());
  return fmt::format("{} as {}; ptxas alternates it with {}", cycles_in_words(row), names.front(), join(others, ", "));
}

std::string counted_as(const PtxInstruction& instruction) {
  if (instruction.is_block()) return "threads' blocks";
  const auto is_result = [](const Operand& one) { return one.written && one.immediate.empty() && !one.address; };
  return std::ranges::any_of(instruction.operands, is_result) ? "results" : "thread instructions";
}

Sheet recorded_sheet(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject,
                     const std::vector<std::string>& others) {
  const Provenance& provenance = answer.from->table.provenance;
  const DeviceFacts& device = answer.from->table.device;
  const Row& row = *answer.row;
  Sheet sheet = answer_sheet(asked, headline(row), measured_when(device, provenance));
  add(sheet, ptx_facts(asked, subject, row));
  if (!answer.because.empty()) sheet.facts.push_back(for_people("answered by", row.ptx + "  (" + answer.because + ")"));
  sheet.facts.push_back(for_programs("outcome", word(row.outcome)));
  add(sheet, number_facts(row));
  add(sheet, row_facts(row, subject, counted_as(row), Audience::Programs));
  if (!answer.differs.empty()) sheet.facts.push_back(listed("differs", "", answer.differs));
  Json recorded = {{"gpu", device.name},        {"date", provenance.date}, {"commit", provenance.commit},
                   {"file", answer.from->file}, {"row", row.id},           {"ptx", row.ptx}};
  if (answer.made) recorded["made_of"] = answer.made_of;
  if (!answer.because.empty()) recorded["because"] = answer.because;
  const std::string of =
      answer.made ? "its form, in " + answer.made_of
                  : fmt::format("{} of {}, commit {}", row.id, answer.from->file, provenance.commit.substr(0, 8));
  sheet.facts.push_back({"recorded", "row", {of, std::move(recorded)}});
  if (!others.empty()) sheet.facts.push_back({"also", "", {join_first(others, most_names), Json(others)}});
  return sheet;
}

Sheet named_sheet(const AskedLine& asked, const NamedRows& named, const NamedRows& first) {
  constexpr std::size_t most = 24;
  const Provenance& provenance = named.from->table.provenance;
  const DeviceFacts& device = named.from->table.device;
  Table table{.key = "named",
              .title = fmt::format("{}: {} rows have this name ({})", title_of(asked), named.rows.size(),
                                   measured_when(device, provenance)),
              .columns = columns({"ptx", "answer", "throughput", "became"}),
              .headed = false};
  for (const Row* row : named.rows) {
    if (table.rows.size() == most) break;
    const Estimate* rate = published(*row, "throughput");
    table.rows.push_back({plain_ptx(row->ptx), headline(*row),
                          rate == nullptr ? "" : fmt::format("{:.1f} {}/clk/SM", rate->value, counted_as(*row)),
                          one_line(opcode_groups(row->instruction.became, "x"), 60)});
  }
  if (named.rows.size() > most)
    table.notes.push_back(fmt::format("{} more: give more of the name", named.rows.size() - most));
  std::vector<std::string> apart;
  for (const Row* row : named.rows) {
    const auto* other = find_by(first.from->table.rows, row->id, &Row::id);
    const bool other_code =
        other != nullptr && !of_other_code({named.from->table, *row}, {first.from->table, *other}).empty();
    if (other_code) apart.push_back(row->id.substr(row->id.find('/') + 1));
  }
  if (!apart.empty())
    table.notes.push_back(fmt::format("other code than on the {}, so no difference of the GPUs: {}",
                                      short_name(first.from->table.device), join_first(apart, most_names)));
  if (!named.others.empty()) table.notes.push_back("also     " + join_first(named.others, most_names));
  table.notes.push_back(fmt::format("rows of  {}, commit {}", named.from->file, provenance.commit.substr(0, 8)));
  return {.tables = {std::move(table)}};
}

namespace {

/// Rows of chosen operands and values, "fma.rn.f32[a=denormal]", have the PTX of the instruction without them.
bool is_chosen(const Row& row) { return row.id.ends_with(']') && row.id.contains('='); }

bool has_numbers_of_its_own(const Row& row) {
  return row.outcome == Outcome::Measured && !row.estimates.empty() && !is_chosen(row);
}

/// "cp.async.ca.shared.global[4]" of "async/cp.async.ca.shared.global[4]".
std::string name_of(const Row& row) { return row.id.substr(row.id.find('/') + 1); }

std::vector<std::string> parts_of_name(const Row& row) {
  const std::string name = name_of(row);
  return split(name.substr(0, name.find('[')), '.');
}

/// Whether the parts are among those of a mnemonic, in order, and the first is its first.
bool means(const std::vector<std::string>& parts, const std::vector<std::string>& mnemonic) {
  if (parts.front() != mnemonic.front()) return false;
  std::size_t next = 0;
  for (const std::string& part : mnemonic) next += next < parts.size() && part == parts[next];
  return next == parts.size();
}

/// Whether the PTX ISA describes the row in the section of that name: "cp.async" has its own, and
/// "cp.async.commit_group" another.
bool is_in_own_section(const Row& row, const std::vector<std::string>& parts) {
  const std::size_t colon = row.instruction.section.rfind(": ");
  const std::string titles =
      colon == std::string::npos ? row.instruction.section : row.instruction.section.substr(colon + 2);
  return std::ranges::any_of(split(replace_all(titles, ", ", ","), ','), [&](const std::string& title) {
    const std::vector<std::string> words = split(title, '.');
    return words.size() <= parts.size() && std::equal(words.begin(), words.end(), parts.begin());
  });
}

/// 32-bit types first, then wider ones, then narrower ones, then packed ones: by the first type of the name.
int rank_of_type(const std::vector<std::string>& parts) {
  constexpr std::array ranks = {32, 64, 128, 16, 8, 1};
  for (const std::string& part : parts) {
    const int bits = type_bits(part);
    if (bits == 0) continue;
    if (part.contains('x')) return static_cast<int>(ranks.size());
    return static_cast<int>(std::ranges::find(ranks, bits) - ranks.begin());
  }
  return 0;
}

/// A row that a name fits, and its place in the order.
struct Fitting {
  const Row* row;
  std::vector<std::string> parts;
  bool own;

  [[nodiscard]] auto place() const { return std::tuple(parts.size(), rank_of_type(parts), row->id.ends_with(']')); }
};

/// Of each section of the PTX ISA the rows with the fewest parts; of other rows the names go to `others`.
std::vector<Fitting> shortest(const std::vector<Fitting>& all, std::vector<std::string>& others) {
  std::map<std::string_view, std::size_t> fewest;
  for (const Fitting& one : all) {
    const auto [least, added] = fewest.emplace(one.row->instruction.section, one.parts.size());
    least->second = std::min(least->second, one.parts.size());
  }
  std::vector<Fitting> kept;
  for (const Fitting& one : all) {
    if (one.parts.size() == fewest.at(one.row->instruction.section))
      kept.push_back(one);
    else
      others.push_back(name_of(*one.row));
  }
  return kept;
}

NamedRows named_in(const RecordedTable& from, const std::string& name) {
  const std::vector<std::string> parts = split(name, '.');
  NamedRows named{&from, {}, {}};
  std::vector<Fitting> all;
  for (const Row& row : from.table.rows) {
    if (!has_numbers_of_its_own(row)) continue;
    std::vector<std::string> of_row = parts_of_name(row);
    if (!means(parts, of_row)) continue;
    const bool own = is_in_own_section(row, parts);
    all.push_back({&row, std::move(of_row), own});
  }
  const bool owned = std::ranges::any_of(all, &Fitting::own);
  std::vector<Fitting> candidates, rest;
  for (Fitting& one : all) {
    const bool exact = name_of(*one.row) == name;
    if (exact) named.rows = {one.row};
    (one.own == owned ? candidates : rest).push_back(std::move(one));
  }
  candidates = shortest(candidates, named.others);
  for (const Fitting& one : rest) named.others.push_back(name_of(*one.row));
  if (named.rows.empty()) {
    if (owned) std::ranges::stable_sort(candidates, {}, &Fitting::place);
    for (const Fitting& one : candidates) named.rows.push_back(one.row);
  } else {
    for (const Fitting& one : candidates)
      if (one.row != named.rows.front()) named.others.insert(named.others.begin(), name_of(*one.row));
  }
  return named;
}

/// Why a row in another spelling answers: what it differs in.
std::string because_of(const PtxLine& asked, const PtxLine& row, Spelled in) {
  std::vector<std::string> reasons;
  if (in == Spelled::Names) return {};
  if (asked.guard.empty() != row.guard.empty()) reasons.emplace_back("the guard makes no other machine instruction");
  if (asked.mnemonic() != row.mnemonic()) reasons.emplace_back("both types make one machine instruction");
  if (in == Spelled::Constants) reasons.emplace_back("only a constant differs");
  if (in == Spelled::Operands)
    reasons.emplace_back("nearest row: it has a register for a constant, and no compiler here says what that makes");
  return reasons.empty() ? "only an offset differs" : join(reasons, "; ");
}

/// The line in each spelling up to `last`.
std::vector<std::string> spelled(const PtxLine& line, const OpcodeTable& table, Spelled last) {
  std::vector<std::string> all;
  for (int in = 0; in <= static_cast<int>(last); ++in)
    all.push_back(spelling_of(line, table, static_cast<Spelled>(in)));
  return all;
}

std::optional<RecordedAnswer> answer_in(const RecordedTable& from, const PtxLine& asked,
                                        const std::vector<std::string>& wanted, const OpcodeTable& table) {
  std::optional<RecordedAnswer> best;
  std::size_t level = wanted.size();
  for (const Row& row : from.table.rows) {
    if (!row.ptx.starts_with(asked.opcode) || !has_numbers_of_its_own(row)) continue;
    const auto line = parse_ptx(row.ptx);
    if (!line) continue;
    for (std::size_t in = 0; in < level; ++in) {
      const auto spelled_in = static_cast<Spelled>(in);
      if (spelling_of(*line, table, spelled_in) != wanted[in]) continue;
      best = RecordedAnswer{&from, &row, because_of(asked, *line, spelled_in)};
      level = in;
    }
  }
  return best;
}

}  // namespace

Expected<OpcodeTable> opcode_table() {
  const auto configs = embedded_configs();
  const auto text = configs.find("instructions/opcodes.yaml");
  if (text == configs.end()) return fail("config", "the program carries no table of opcodes");
  return load_opcodes("configs/instructions/opcodes.yaml", text->second);
}

Expected<std::vector<RecordedTable>> recorded_tables(const GpuChoice& choice) {
  std::vector<RecordedTable> tables;
  const auto folders = WARPCLOCK_TRY(answering_folders(choice));
  for (const std::filesystem::path& folder : folders) {
    auto table = WARPCLOCK_TRY(read_if_there(folder / "instructions.json", {{RecordFile::Instructions}}));
    if (table)
      tables.push_back({(folder / "instructions.json").string(), *std::move(table)});
    else if (!choice.gpu.empty())
      return fail("gpu", "there is no instructions.json; `warpclock catalogue` measures one", folder.string());
  }
  return tables;
}

std::vector<RecordedAnswer> recorded_answers(const std::vector<RecordedTable>& tables, const OpcodeTable& opcodes,
                                             const std::string& ptx, Spelled last) {
  std::vector<RecordedAnswer> answers;
  const auto asked = parse_ptx(ptx);
  if (!asked) return answers;
  const std::vector<std::string> wanted = spelled(*asked, opcodes, last);
  for (const RecordedTable& from : tables)
    if (auto answer = answer_in(from, *asked, wanted, opcodes)) answers.push_back(*std::move(answer));
  return answers;
}

std::vector<RecordedAnswer> recorded_by_code(const std::vector<RecordedTable>& tables, const OpcodeTable& opcodes,
                                             const std::string& arch, const PtxInstruction& instruction,
                                             const std::vector<std::string>& became, bool same_operands) {
  std::vector<RecordedAnswer> answers;
  const auto asked = parse_ptx(instruction.text);
  if (!asked || became.empty()) return answers;
  const std::string wanted = spelling_of(*asked, opcodes, Spelled::Operands);
  const std::vector<std::string> words = split(instruction.mnemonic, '.');
  for (const RecordedTable& from : tables) {
    if (from.table.device.arch != arch) continue;
    const Row* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const Row& row : from.table.rows) {
      if (row.instruction.became != became || !has_numbers_of_its_own(row)) continue;
      const std::vector<std::string> parts = parts_of_name(row);
      const auto line = parse_ptx(row.ptx);
      if (parts.front() != instruction.opcode || !line) continue;
      if (same_operands && spelling_of(*line, opcodes, Spelled::Operands) != wanted) continue;
      const auto common = std::ranges::count_if(parts, [&](const std::string& part) { return contains(words, part); });
      const std::ptrdiff_t likeness = 2 * common - std::ssize(parts);
      if (best == nullptr || likeness > most) std::tie(best, most) = std::pair(&row, likeness);
    }
    if (best != nullptr) answers.push_back({&from, best, "both become " + opcode_groups(became, "x")});
  }
  return answers;
}

std::vector<NamedRows> recorded_by_name(const std::vector<RecordedTable>& tables, const std::string& name) {
  std::vector<NamedRows> answers;
  if (name.empty() || name.find_first_of(" \t{}%;,") != std::string::npos) return answers;
  for (const RecordedTable& from : tables) {
    NamedRows named = named_in(from, name);
    if (!named.rows.empty()) answers.push_back(std::move(named));
  }
  return answers;
}

}  // namespace warpclock
