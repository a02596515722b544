#include "answer/overview/search_index.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/answer.hpp"
#include "answer/numbers/quantity.hpp"
#include "answer/numbers/search_words.hpp"
#include "base/escape.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "record/outline.hpp"

namespace warpclock {
namespace {

/// "smem" -> ["shared chase", "shared"]. A damaged file of the program gives none; a test reads it.
Json near_words() {
  Json near = Json::object();
  const auto& known = known_search_words();
  if (known)
    for (const auto& [word, texts] : known->near) near[word] = texts;
  return near;
}

std::string value_of(const Headline& headline) {
  return headline.value + (headline.unit.empty() ? "" : " " + headline.unit);
}

/// The opcodes of its windows without modifiers, and the words among its parameters.
std::string words_of(const ProbeOutline& probe) {
  std::set<std::string> words;
  for (const CaseRecord* row : probe.cases) {
    for (const auto& [opcode, count] : row->window.opcodes) {
      const std::string base = opcode.substr(0, opcode.find('.'));
      if (base != "CS2R" && base != "S2UR") words.insert(to_lower(base));
    }
    for (const auto& [name, value] : row->parameters) {
      if (const auto* word = std::get_if<std::string>(&value)) words.insert(to_lower(*word));
    }
  }
  return join(std::vector<std::string>(words.begin(), words.end()), " ");
}

Json probes_of(const Record& record, std::size_t page) {
  Json probes = Json::array();
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes) {
      const std::vector<Headline> all = answers(record, probe);
      probes.push_back(
          {page, probe.probe.name, all.empty() ? "" : value_of(all.front()), probe.probe.asks, words_of(probe)});
    }
  }
  return probes;
}

/// Each quantity that the results of the GPU have; its pages begin at `first`.
Json numbers_of(const ReportedGpu& gpu, std::size_t first = 0) {
  Json numbers = Json::array();
  const Expected<Quantities>& known = known_quantities();
  if (!known) return numbers;
  for (const auto& [name, quantity] : *known) {
    const auto found = find_quantity(gpu, quantity);
    if (!found || found->value.probe.empty()) continue;
    const auto page =
        first + static_cast<std::size_t>(std::distance(gpu.results.begin(), gpu.results.find(found->suite)));
    numbers.push_back({page, name, value_text(found->value), quantity.says, found->value.probe});
  }
  return numbers;
}

std::string value_of(const InstructionRecord& row) {
  if (row.outcome != Outcome::Measured) return {};
  const std::string latency = latency_groups(row);
  return latency.empty() ? "measured" : latency + " cycles";
}

Json instructions_of(const InstructionTable& table) {
  Json rows = Json::array();
  for (const InstructionRecord& row : table.rows) rows.push_back({row.id, value_of(row)});
  return rows;
}

/// "H200" of "NVIDIA H200".
std::string short_name_of(const ReportedGpu& gpu) { return replace_all(gpu.name(), "NVIDIA ", ""); }

/// Whether the latencies of two rows differ and are of other machine code.
bool latencies_of_other_code(const TabledRow& one, const TabledRow& other) {
  return std::ranges::any_of(of_other_code(one, other),
                             [](const std::string& name) { return name.starts_with("latency."); });
}

/// Each instruction once: its value if all GPUs have the same, else that of each with its name.
Json instructions_of(const std::vector<ReportedGpu>& gpus) {
  std::vector<std::string> ids;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> values;
  std::map<std::string, TabledRow> first;
  for (const ReportedGpu& gpu : gpus) {
    if (gpu.table == nullptr) continue;
    for (const InstructionRecord& row : gpu.table->rows) {
      auto& of_row = values[row.id];
      if (of_row.empty()) ids.push_back(row.id);
      const TabledRow own{*gpu.table, row};
      const auto before = first.try_emplace(row.id, own).first;
      of_row.emplace_back(short_name_of(gpu),
                          value_of(row) + (latencies_of_other_code(own, before->second) ? " by other code" : ""));
    }
  }
  Json rows = Json::array();
  for (const std::string& id : ids) {
    const auto& of_row = values[id];
    const bool same = std::ranges::all_of(of_row, [&](const auto& one) { return one.second == of_row[0].second; });
    std::vector<std::string> each;
    for (const auto& [gpu, value] : of_row) each.push_back(gpu + " " + (value.empty() ? "-" : value));
    rows.push_back({id, same ? of_row[0].second : join(each, ", ")});
  }
  return rows;
}

Json opcodes_of(const MachineTable& table) {
  std::map<std::string, int> counts;
  for (const MachineRow& row : table.rows) {
    const std::string text(
        trim(row.text.starts_with('@') ? row.text.substr(std::min(row.text.find(' '), row.text.size())) : row.text));
    ++counts[text.substr(0, text.find(' '))];
  }
  Json rows = Json::array();
  for (const auto& [opcode, count] : counts) rows.push_back({opcode, count});
  return rows;
}

}  // namespace

std::string search_text(const ReportedGpu& gpu) {
  Json pages = Json::array(), probes = Json::array();
  for (const auto& [suite, record] : gpu.results) {
    for (Json& probe : probes_of(*record, pages.size())) probes.push_back(std::move(probe));
    pages.push_back({suite.empty() ? "full" : suite, ReportedGpu::page_of(suite), "report"});
  }
  Json index = Json::object();
  if (gpu.table != nullptr) pages.push_back({"instructions", "instructions.html", "instructions"});
  if (gpu.machine != nullptr) pages.push_back({"machine instructions", "machine.html", "machine"});
  index["pages"] = std::move(pages);
  index["numbers"] = numbers_of(gpu);
  index["probes"] = std::move(probes);
  index["instructions"] = gpu.table == nullptr ? Json::array() : instructions_of(*gpu.table);
  index["machine"] = gpu.machine == nullptr ? Json::array() : opcodes_of(*gpu.machine);
  index["near"] = near_words();
  return compact(index);
}

std::string search_text_of_all(const std::vector<ReportedGpu>& gpus) {
  Json pages = Json::array(), probes = Json::array(), numbers = Json::array(), opcodes = Json::array();
  for (const ReportedGpu& gpu : gpus) {
    const std::string folder = percent_encoded(gpu.folder) + "/", name = short_name_of(gpu) + ", ";
    for (Json& number : numbers_of(gpu, pages.size())) numbers.push_back(std::move(number));
    for (const auto& [suite, record] : gpu.results) {
      for (Json& probe : probes_of(*record, pages.size())) probes.push_back(std::move(probe));
      pages.push_back({name + (suite.empty() ? "full" : suite), folder + ReportedGpu::page_of(suite), "report"});
    }
  }
  const auto tables = std::ranges::count_if(gpus, [](const ReportedGpu& gpu) { return gpu.table != nullptr; });
  for (const ReportedGpu& gpu : gpus) {
    const std::string folder = percent_encoded(gpu.folder) + "/", name = short_name_of(gpu) + ", ";
    if (gpu.table != nullptr && tables == 1)
      pages.push_back({name + "instructions", folder + "instructions.html", "instructions"});
    if (gpu.machine == nullptr || !opcodes.empty()) continue;
    pages.push_back({name + "machine instructions", folder + "machine.html", "machine"});
    opcodes = opcodes_of(*gpu.machine);
  }
  if (tables > 1) pages.push_back({"all GPUs, instructions", "instructions.html", "instructions"});
  Json index = Json::object();
  index["pages"] = std::move(pages);
  index["numbers"] = std::move(numbers);
  index["probes"] = std::move(probes);
  index["instructions"] = instructions_of(gpus);
  index["machine"] = std::move(opcodes);
  index["near"] = near_words();
  return compact(index);
}

}  // namespace warpclock
