#include "cli/answers/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/text.hpp"

namespace warpclock {

std::string title_of(const AskedLine& asked) {
  std::string_view text = trim(asked.machine ? asked.code : asked.text);
  if (text.ends_with(';') || text.ends_with(':')) text = trim(text.substr(0, text.size() - 1));
  return one_line(text);
}

Error error_in(const AskedLine& asked, Error error) {
  const std::size_t colon = error.place.find(':');
  if (asked.number > 0)
    error.place = fmt::format("{}{}", asked.number, colon == std::string::npos ? "" : error.place.substr(colon));
  return error;
}

namespace {

/// "nowhere.f32 %f1;" for the place "step.ptx:3:5". Empty if the file is not what is asked, or has no such line.
std::string line_of_file(const std::string& file, const std::string& place) {
  if (!place.starts_with(file + ":")) return {};
  const auto number = whole_number<std::size_t>(split(place.substr(file.size() + 1), ':').front());
  const auto text = read_file(file);
  if (!number || *number == 0 || !text) return {};
  const auto all = lines(*text);
  return *number > all.size() ? "" : all[*number - 1];
}

}  // namespace

Error with_line(const AskedLine& asked, const Error& error) {
  const bool in_file = error.place.starts_with(asked.text);
  const std::string line = one_line(trim(in_file ? line_of_file(asked.text, error.place) : asked.text));
  return {error.code, line.empty() ? error.text : fmt::format("{}\n  {}", error.text, line), error.place};
}

namespace {

/// "linked by SEL: 4 cycles subtracted" is what a record notes as "via SEL (4 cycles, encoded)".
std::string note_in_words(const std::string& note) {
  constexpr std::string_view via = "via ", encoded = " cycles, encoded)";
  std::vector<std::string> parts = split(replace_all(note, "; ", "\n"), '\n');
  for (std::string& part : parts) {
    if (!part.starts_with(via)) continue;
    std::vector<std::pair<std::string, double>> links;
    for (const std::string& link : split(replace_all(part.substr(via.size()), "), ", ")\n"), '\n')) {
      const std::size_t at = link.rfind(" (");
      if (at == std::string::npos || !link.ends_with(encoded)) return note;
      const std::string cycles = link.substr(at + 2, link.size() - encoded.size() - at - 2);
      links.emplace_back(link.substr(0, at), std::strtod(cycles.c_str(), nullptr));
    }
    part = links_in_words(links);
  }
  return join(parts, "; ");
}

bool is_rate(const Estimate& estimate) {
  return estimate.name == "throughput" || estimate.name == "interval" || estimate.name == "saturation" ||
         estimate.name == "issue";
}

/// "32 warps x 4 independent copies" of the note "32 warps x 4".
std::string copies_of(const Estimate& rate) {
  const bool counted = !rate.note.empty() && std::isdigit(static_cast<unsigned char>(rate.note.back())) != 0;
  return "(" + rate.note + (counted ? " independent copies)" : ")");
}

/// Multiply-adds of one result: 2 of "fma.rn.f16x2 {d}, {a}, {b}, {c}"; 0 of what is no multiply-add.
int packed_products(const std::string& ptx) {
  const std::vector<std::string> parts = split(ptx.substr(0, ptx.find(' ')), '.');
  if (parts.front() != "fma" && parts.front() != "mad") return 0;
  return std::ranges::any_of(parts, [](const std::string& part) { return part.ends_with("x2"); }) ? 2 : 1;
}

/// Throughput, issue interval and issue of a measured row.
void add_rates(std::vector<Fact>& facts, const Row& row, const std::string& counted) {
  const Estimate* rate = published(row, "throughput");
  if (rate == nullptr) return;
  facts.push_back(for_people(
      "throughput", fmt::format("{:.1f} {}/clk/SM{}  {}", rate->value, counted, interval_of(*rate), copies_of(*rate))));
  if (const auto products = multiply_adds(row))
    facts.push_back(for_people("multiply-adds", human_number(*products, 4) + " FMA/clk/SM"));
  else if (const int each = packed_products(row.ptx); each > 1)
    facts.push_back(for_people("multiply-adds",
                               fmt::format("{} FMA/clk/SM, {} a result", human_number(each * rate->value, 4), each)));
  if (const Estimate* interval = published(row, "interval"))
    facts.push_back(for_people(
        "interval", fmt::format("one warp instruction every {:.2f} cycles per sub-partition", interval->value)));
  if (const Estimate* issue = published(row, "issue"))
    facts.push_back(
        for_people("issue", fmt::format("{:.2f} cycles between independent instructions of one warp", issue->value)));
}

/// Why a source of a single instruction has no experiment: by the name that the experiment would have.
std::vector<std::pair<std::string, std::string>> not_measured(const PtxInstruction& instruction, const Row& row) {
  std::vector<std::pair<std::string, std::string>> all;
  if (instruction.is_block() || (row.instruction.runs.empty() && row.forms.empty()) || !instruction.asked.empty())
    return all;
  const auto is_result = [](const Operand& one) { return one.written && one.immediate.empty() && !one.address; };
  if (std::ranges::none_of(instruction.operands, is_result)) return {{"latency", "none: it has no result register"}};
  if (std::ranges::none_of(instruction.operands, [](const auto& one) { return one.read && one.immediate.empty(); }))
    return {{"latency", "none: it reads no register that another copy could write"}};
  for (const Operand& operand : instruction.operands) {
    const std::string name = "latency." + operand.name;
    const bool source = operand.read && operand.immediate.empty();
    const bool asked = std::ranges::any_of(row.instruction.runs, [&](const auto& run) { return run.measure == name; });
    if (!source || asked || published(row, name) != nullptr) continue;
    all.emplace_back(name, operand.address ? "not measured: only loads are chained through an address"
                                           : "not measured: no result is chained through this operand");
  }
  return all;
}

Json json_of(const Estimate& e) {
  return {{"name", e.name}, {"value", e.value},   {"low", e.low}, {"high", e.high},
          {"unit", e.unit}, {"method", e.method}, {"n", e.n},     {"note", e.note}};
}

}  // namespace

std::string interval_of(const Estimate& estimate) {
  return estimate.high - estimate.low < 0.05 ? "" : fmt::format("  [{:.2f}, {:.2f}]", estimate.low, estimate.high);
}

Sheet asked_sheet(const AskedLine& asked, const std::string& says) {
  Sheet sheet{.title = title_of(asked) + ": " + says};
  sheet.facts = {for_programs("asked", asked.text)};
  if (asked.number > 0) sheet.facts.push_back(for_programs("line", asked.number));
  return sheet;
}

Sheet answer_sheet(const AskedLine& asked, const std::string& answer, const std::string& by) {
  Sheet sheet = asked_sheet(asked, fmt::format("{} ({})", answer, by));
  add(sheet, {for_programs("answer", answer), for_programs("by", by)});
  return sheet;
}

void add(Sheet& sheet, const std::vector<Fact>& facts) {
  sheet.facts.insert(sheet.facts.end(), facts.begin(), facts.end());
}

Fact for_people(const std::string& label, const std::string& text, Tone tone) {
  return {"", label, Cell(text).with(tone), Audience::People};
}

Fact for_programs(const std::string& key, Json value) { return {key, "", {"", std::move(value)}, Audience::Programs}; }

Fact listed(const std::string& key, const std::string& label, const std::vector<std::string>& all, Tone tone) {
  return {key, label, Cell(join(all, "\n"), Json(all)).with(tone)};
}

std::vector<Fact> ptx_facts(const AskedLine& asked, const Subject* subject, const Row& row) {
  std::string taken = subject == nullptr ? row.ptx : subject->ptx;
  if (subject != nullptr && !subject->instruction.is_block() && trim(asked.text) == subject->ptx) taken.clear();
  std::vector<std::string> constants;
  Json made = Json::array();
  if (subject != nullptr)
    for (const MadeConstant& one : subject->constants) {
      constants.push_back(fmt::format("{} became the constant {}", one.given, one.constant));
      made.push_back({{"given", one.given}, {"constant", one.constant}});
    }
  return {{"ptx", "", {std::string(trim(taken)), row.ptx}}, {"constants", "constant", {join(constants, "\n"), made}}};
}

std::vector<Fact> number_facts(const Row& row) {
  std::vector<Fact> facts;
  for (const Estimate& each : row.estimates) {
    if (is_rate(each)) continue;
    const std::string note = each.note.empty() ? "" : "  (" + note_in_words(each.note) + ")";
    facts.push_back(
        for_people(each.name, fmt::format("{:.2f} {}{}{}", each.value, each.unit, interval_of(each), note)));
  }
  return facts;
}

std::vector<Fact> row_facts(const Row& row, const Subject* subject, const std::string& counted, Audience ran) {
  std::vector<Fact> facts;
  Json none = Json::object(), estimates = Json::array();
  if (subject != nullptr)
    for (const auto& [name, why] : not_measured(subject->instruction, row)) {
      facts.push_back(for_people(name, why));
      none[name] = why;
    }
  add_rates(facts, row, counted);
  for (const Estimate& each : row.estimates) estimates.push_back(json_of(each));
  facts.push_back(for_programs("estimates", std::move(estimates)));
  if (subject != nullptr) facts.push_back(for_programs("not_measured", std::move(none)));
  facts.push_back(for_programs("arch", row.arch));
  const std::string code =
      row.instruction.became.empty() ? "" : row.arch + ": " + opcode_groups(row.instruction.became, "x");
  facts.push_back({"became", "machine code", {one_line(code, 200), Json(row.instruction.became)}});
  if (!row.forms.empty()) facts.push_back(listed("forms", "form", row.forms));
  facts.push_back(listed("labels", "note", labels_of(row), Tone::Doubtful));
  facts.push_back({"pipes", "pipe", {join(row.pipes, ", "), Json(row.pipes)}, ran});
  if (row.clock.sm_mhz > 0)
    facts.push_back({"sm_mhz", "SM clock", {clock_text(sm_clock(row.clock)) + " MHz", Json(row.clock.sm_mhz)}, ran});
  facts.push_back(listed("findings", "finding", row.instruction.findings, Tone::Doubtful));
  return facts;
}

std::vector<Fact> not_compared(const TabledRow& row, const TabledRow& before) {
  const std::string says = other_code_in_words(row, before);
  if (says.empty()) return {};
  Json all = {{"numbers", of_other_code(row, before)},
              {"gpu", before.table.device.name},
              {"commit", before.table.provenance.commit}};
  return {{"other_code", "other code", {says, std::move(all)}}};
}

}  // namespace warpclock
