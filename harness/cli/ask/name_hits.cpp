#include "cli/ask/name_hits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "answer/instructions/timed_code.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {
namespace {

std::string plain_name(const InstructionRecord& row) {
  const std::string name = row.id.substr(row.id.find('/') + 1);
  return name.substr(0, name.find('['));
}

/// "b32" for the "f32", "u32" and "s32" that loads and stores take as well.
std::string untyped(const std::string& part) {
  const bool typed =
      part.size() > 1 && std::string_view("fus").contains(part[0]) && std::ranges::all_of(part.substr(1), is_digit);
  return typed ? "b" + part.substr(1) : part;
}

/// The words of a question that are parts of the name of a row, as a short name of it.
struct ShortName {
  std::vector<std::string> parts;
  std::set<std::size_t> places;
  double weight = 0;
};

class Namer {
 public:
  Namer(const AskedWords& question, std::size_t at) : question_(question) {
    const std::vector<std::string> parts = split(to_lower(question.words[at].given), '.');
    opcode_ = parts.front();
    for (std::size_t i = 0; i < question.words.size(); ++i) {
      const AskedWord& word = question.words[i];
      if (i == at || word.weight > 0) words_.push_back({i, split(to_lower(word.given), '.')});
    }
    at_ = at;
  }

  [[nodiscard]] const std::string& opcode() const { return opcode_; }

  /// Words of which a part is not in the row's name are not of it; the opcode's word has to be.
  [[nodiscard]] ShortName of(const InstructionRecord& row) const {
    const std::vector<std::string> mnemonic = split(to_lower(plain_name(row)), '.');
    if (mnemonic.front() != opcode_) return {};
    std::set<std::size_t> used = {0};
    ShortName name;
    for (const auto& [place, parts] : words_) {
      std::set<std::size_t> own;
      for (const std::string& part : parts) {
        if (part == opcode_ && place == at_) continue;
        const auto found = find_part(mnemonic, part);
        if (found < mnemonic.size()) own.insert(found);
      }
      const std::size_t wanted = parts.size() - (place == at_ ? 1 : 0);
      if (own.size() < wanted) {
        if (place == at_) return {};
        continue;
      }
      used.merge(own);
      name.places.insert(place);
    }
    for (const std::size_t each : used) name.parts.push_back(split(plain_name(row), '.')[each]);
    name.weight = question_.weight(name.places);
    return name;
  }

 private:
  [[nodiscard]] std::size_t find_part(const std::vector<std::string>& mnemonic, const std::string& part) const {
    auto at = std::ranges::find(mnemonic, part);
    const bool memory = opcode_ == "ld" || opcode_ == "st" || opcode_ == "ldu";
    if (at == mnemonic.end() && memory) at = std::ranges::find(mnemonic, untyped(part));
    return static_cast<std::size_t>(at - mnemonic.begin());
  }

  const AskedWords& question_;
  std::string opcode_;
  std::size_t at_ = 0;
  std::vector<std::pair<std::size_t, std::vector<std::string>>> words_;
};

/// The name with most of the question in it.
ShortName best_name(const Namer& namer, const InstructionTable& table) {
  ShortName best;
  for (const InstructionRecord& row : table.rows) {
    if (row.outcome != Outcome::Measured) continue;
    ShortName name = namer.of(row);
    if (!name.places.empty() && name.weight > best.weight) best = std::move(name);
  }
  return best;
}

/// The row of that id in the table of each GPU.
Hit hit_of(const std::string& id, const AskedWords& question, const ProbeBook& book,
           const std::vector<RecordedTable>& tables) {
  Hit hit;
  for (std::size_t gpu = 0; gpu < book.gpus().size(); ++gpu) {
    hit.on.emplace_back();
    const auto* row = find_by(tables[gpu].table.rows, id, &InstructionRecord::id);
    if (row == nullptr) continue;
    hit.on.back() = instruction_numbers(book.gpus()[gpu], *row, question);
    if (!row->became.empty()) {
      constexpr std::size_t few = 4;
      const bool long_one = row->became.size() > few;
      const std::vector<std::string> first(
          row->became.begin(), row->became.begin() + static_cast<std::ptrdiff_t>(std::min(few, row->became.size())));
      index_or_add(hit.caveats, fmt::format("becomes {}{}", join(first, ", "),
                                            long_one ? fmt::format(", {} in all", row->became.size()) : ""));
    }
    const auto* first = find_by(tables.front().table.rows, id, &InstructionRecord::id);
    const std::string apart =
        first == nullptr ? "" : other_code_in_words({tables[gpu].table, *row}, {tables.front().table, *first});
    if (!apart.empty()) hit.caveats.push_back(book.labels()[gpu] + ": " + apart);
    for (const std::string& finding : row->findings) index_or_add(hit.caveats, book.labels()[gpu] + ": " + finding);
  }
  hit.command = "warpclock cycles '" + id.substr(id.find('/') + 1) + "'";
  return hit;
}

/// Several instructions that a question names are one answer: they are compared.
void add_comparison(std::vector<Hit>& hits) {
  std::vector<std::string> commands;
  Hit all;
  for (const Hit& hit : hits) {
    const bool apart = std::ranges::none_of(hit.places, [&](std::size_t place) { return all.places.contains(place); });
    const bool same = std::ranges::find(commands, hit.command) != commands.end();
    if (same || (!apart && !commands.empty())) continue;
    commands.push_back(hit.command);
    all.on.resize(hit.on.size());
    for (std::size_t gpu = 0; gpu < hit.on.size(); ++gpu)
      all.on[gpu].insert(all.on[gpu].end(), hit.on[gpu].begin(), hit.on[gpu].end());
    all.places.insert(hit.places.begin(), hit.places.end());
    all.penalty = std::max(all.penalty, hit.penalty);
  }
  if (commands.size() < 2) return;
  all.command = join(commands, "; ");
  hits.insert(hits.begin(), std::move(all));
}

}  // namespace

std::vector<Hit> instruction_hits(const AskedWords& question, const ProbeBook& book,
                                  const std::vector<RecordedTable>& tables) {
  std::vector<Hit> hits;
  const auto first = std::ranges::find_if(tables, [](const RecordedTable& one) { return !one.table.rows.empty(); });
  if (first == tables.end()) return hits;
  for (std::size_t at = 0; at < question.words.size(); ++at) {
    if (question.words[at].weight == 0) continue;
    const Namer namer(question, at);
    const ShortName name = best_name(namer, first->table);
    if (name.places.empty()) continue;
    const auto named = recorded_by_name(tables, join(name.parts, "."));
    if (named.empty()) continue;
    Hit hit = hit_of(named.front().rows.front()->id, question, book, tables);
    hit.places = name.places;
    const auto others = named.front().rows.size() + named.front().others.size() - 1;
    if (others > 0) hit.caveats.push_back(fmt::format("{} more have this name", others));
    if (hit.has_numbers()) hits.push_back(std::move(hit));
  }
  add_comparison(hits);
  return hits;
}

std::vector<Hit> opcode_hits(const AskedWords& question, const ProbeBook& book) {
  std::vector<Hit> hits;
  for (std::size_t at = 0; at < question.words.size(); ++at) {
    const AskedWord& word = question.words[at];
    const std::string opcode = to_upper(word.given);
    if (word.weight == 0 || !is_machine_opcode(opcode)) continue;
    Hit hit;
    hit.places = {at};
    constexpr double in_small_letters = 0.5;
    if (opcode != word.given) hit.penalty = in_small_letters;
    std::string key;
    for (const ReportedGpu& gpu : book.gpus()) {
      hit.on.emplace_back();
      if (gpu.machine == nullptr) continue;
      const std::vector<MachineRow> rows = rows_of_opcode(*gpu.machine, opcode);
      if (rows.empty()) continue;
      if (key.empty()) key = rows.front().key;
      const MachineRow* row = find_by(rows, key, &MachineRow::key);
      if (row == nullptr) continue;
      hit.on.back() = form_numbers(gpu, *row, question);
      hit.command = fmt::format("warpclock cycles --sass '{}'", row->text);
      if (rows.size() > 1 && hit.caveats.empty())
        hit.caveats.push_back(fmt::format("of {} measured forms of {}", rows.size(), opcode));
    }
    if (hit.has_numbers()) hits.push_back(std::move(hit));
  }
  add_comparison(hits);
  return hits;
}

}  // namespace warpclock
