#include <algorithm>
#include <iterator>

#include "answer/ask/hits.hpp"
#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/figures.hpp"
#include "base/escape.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

/// Texts that mean the same as a word, words that say nothing, and those that ask for a rate or a time. A damaged file
/// of the program gives none; a test reads it.
void add_words(Json& index) {
  index["near"] = Json::object();
  const auto& known = known_search_words();
  if (!known) return;
  for (const auto& [word, value] : known->values) index["near"][word] = {value};
  for (const auto& [word, texts] : known->near) index["near"][word] = texts;
  index["fillers"] = known->fillers;
  std::set<std::string> kinds = known->rates;
  kinds.insert(known->times.begin(), known->times.end());
  index["kinds"] = kinds;
}

/// The page with this address, which is added if it is not among them. The table of all GPUs is that of each.
std::size_t page_at(Json& pages, const std::string& href) {
  constexpr std::string_view table = "instructions.html";
  const auto at = std::ranges::find_if(
      pages, [&](const Json& page) { return page[1] == href || (href.ends_with(table) && page[1] == table); });
  const auto place = static_cast<std::size_t>(at - pages.begin());
  if (at == pages.end()) pages.push_back({href.substr(0, href.find('.')), href, ""});
  return place;
}

/// "28.00 cycles"; of several GPUs with other values "H100 26.00, H200 28.00 cycles".
std::string value_of(const std::vector<const AskedNumber*>& on, const ProbeBook& book) {
  std::vector<std::string> each;
  const AskedNumber* first = nullptr;
  bool same = true;
  for (std::size_t gpu = 0; gpu < on.size(); ++gpu) {
    if (on[gpu] == nullptr) continue;
    if (first == nullptr) first = on[gpu];
    same = same && on[gpu]->value == first->value;
    each.push_back(book.labels()[gpu] + " " + on[gpu]->value);
  }
  return (same ? first->value : join(each, ", ")) + (first->unit.empty() ? "" : " " + first->unit);
}

/// What `warpclock ask` says of each topic: its phrases, what the number is, the value on each GPU, the page, the place
/// there, and what to beware of. At most two numbers a topic. Links begin with `folder`, which is left out.
Json topics_of(const std::vector<ReportedGpu>& gpus, const std::string& folder, Json& pages) {
  constexpr std::size_t most = 2;
  Json rows = Json::array();
  const auto& known = known_search_words();
  if (!known || gpus.empty()) return rows;
  const ProbeBook book(gpus);
  const std::vector<Hit> hits = topics_alone(book, *known);
  for (std::size_t topic = 0; topic < hits.size(); ++topic) {
    const Hit& hit = hits[topic];
    const std::string phrases = join(known->topics[topic].words, ", ");
    const std::string note = hit.absent.empty() ? known->topics[topic].note : hit.absent;
    for (std::size_t i = 0; i < most; ++i) {
      std::vector<const AskedNumber*> on;
      for (const auto& numbers : hit.on) on.push_back(i < numbers.size() ? &numbers[i] : nullptr);
      const auto first = std::ranges::find_if(on, [](const AskedNumber* number) { return number != nullptr; });
      if (first == on.end()) break;
      const std::string own = percent_encoded(gpus[static_cast<std::size_t>(first - on.begin())].folder);
      // What the driver states is on the page of the GPU.
      const std::string link = ((*first)->link.empty() ? own + "/index.html" : (*first)->link).substr(folder.size());
      const std::size_t hash = std::min(link.find('#'), link.size());
      rows.push_back({phrases, (*first)->label, value_of(on, book), page_at(pages, link.substr(0, hash)),
                      link.substr(std::min(hash + 1, link.size())), note});
    }
  }
  return rows;
}

/// Texts of which many begin like the one before: a character says with how many of its letters, from ' ' for none.
std::string front_coded(const std::vector<std::string>& texts) {
  constexpr std::size_t longest = 90;
  std::string all, before;
  for (const std::string& text : texts) {
    const auto end = std::ranges::mismatch(text, before, [](char a, char b) { return a == b && a > 0; }).in1;
    const std::size_t same = std::min(static_cast<std::size_t>(end - text.begin()), longest);
    all += (all.empty() ? "" : "\n") + std::string(1, static_cast<char>(' ' + same)) + text.substr(same);
    before = text;
  }
  return all;
}

/// Rows of a text and a value, as the texts in one and the values in a list.
Json in_short(const Json& rows) {
  std::vector<std::string> texts;
  Json values = Json::array();
  for (const Json& row : rows) {
    texts.push_back(row[0]);
    values.push_back(row[1]);
  }
  return {front_coded(texts), values};
}

/// Rows by column: what is alike is together, and packs smaller.
Json by_column(const Json& rows) {
  Json columns = Json::array();
  for (const Json& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns.size() == i) columns.push_back(Json::array());
      columns[i].push_back(row[i]);
    }
  return columns;
}

/// The opcodes of its windows without modifiers, and the words among its parameters.
std::string words_of(const ProbeOutline& probe) {
  std::set<std::string> words;
  for (const Row* row : probe.cases) {
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
      const std::vector<Headline>& all = probe.probe.answers;
      probes.push_back(
          {page, probe.probe.name, all.empty() ? "" : text_of(all.front()), probe.probe.asks, words_of(probe)});
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

std::string value_of(const Row& row) {
  if (row.outcome != Outcome::Measured) return {};
  const std::string latency = latency_groups(row);
  if (!latency.empty()) return latency + " cycles";
  if (const Estimate* issue = published(row, "issue")) return fixed(issue->value, 1) + " cycles each";
  const Estimate* rate = published(row, "throughput");
  return rate == nullptr ? "" : fixed(rate->value, 1) + " /clk/SM";
}

Json instructions_of(const Record& table) {
  Json rows = Json::array();
  for (const Row& row : table.rows) rows.push_back({row.id, value_of(row)});
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
    for (const Row& row : gpu.table->rows) {
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

Json opcodes_of(const Record& table) {
  std::map<std::string, int> counts;
  for (const Row& row : rows_of(table, RowKind::Form)) {
    const std::string& whole = row.machine.text;
    const std::string text(
        trim(whole.starts_with('@') ? whole.substr(std::min(whole.find(' '), whole.size())) : whole));
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
  index["topics"] = gpu.folder.empty() ? Json::array() : topics_of({gpu}, percent_encoded(gpu.folder) + "/", pages);
  index["pages"] = std::move(pages);
  index["numbers"] = numbers_of(gpu);
  index["probes"] = by_column(probes);
  index["instructions"] = in_short(gpu.table == nullptr ? Json::array() : instructions_of(*gpu.table));
  index["machine"] = in_short(gpu.machine == nullptr ? Json::array() : opcodes_of(*gpu.machine));
  add_words(index);
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
  index["topics"] = topics_of(gpus, "", pages);
  index["pages"] = std::move(pages);
  index["numbers"] = std::move(numbers);
  index["probes"] = by_column(probes);
  index["instructions"] = in_short(instructions_of(gpus));
  index["machine"] = in_short(opcodes);
  add_words(index);
  return compact(index);
}

}  // namespace warpclock
