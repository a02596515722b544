#include "cli/ask/ask.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/report_folder.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

std::string plain_name(const Row& row) {
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
  [[nodiscard]] ShortName of(const Row& row) const {
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
ShortName best_name(const Namer& namer, const Record& table) {
  ShortName best;
  for (const Row& row : table.rows) {
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
    const auto* row = find_by(tables[gpu].table.rows, id, &Row::id);
    if (row == nullptr) continue;
    hit.on.back() = instruction_numbers(book.gpus()[gpu], *row, question);
    if (!row->instruction.became.empty()) {
      constexpr std::size_t few = 4;
      const bool long_one = row->instruction.became.size() > few;
      const std::vector<std::string> first(
          row->instruction.became.begin(),
          row->instruction.became.begin() + static_cast<std::ptrdiff_t>(std::min(few, row->instruction.became.size())));
      index_or_add(hit.caveats,
                   fmt::format("becomes {}{}", join(first, ", "),
                               long_one ? fmt::format(", {} in all", row->instruction.became.size()) : ""));
    }
    const auto* first = find_by(tables.front().table.rows, id, &Row::id);
    const std::string apart =
        first == nullptr ? "" : other_code_in_words({tables[gpu].table, *row}, {tables.front().table, *first});
    if (!apart.empty()) hit.caveats.push_back(book.labels()[gpu] + ": " + apart);
    for (const std::string& finding : row->instruction.findings)
      index_or_add(hit.caveats, book.labels()[gpu] + ": " + finding);
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
    const bool same = contains(commands, hit.command);
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

/// The instructions that words of the question name, as `cycles` understands them: each opcode of PTX, with the words
/// that are parts of its name ("ldmatrix x2 trans", "mma tf32"). `tables` are those of the GPUs of the book, in its
/// order.
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

/// The opcodes of machine instructions among the words, in capitals, or of no instruction of PTX.
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
      const std::vector<Row> rows = rows_of_opcode(*gpu.machine, opcode);
      if (rows.empty()) continue;
      if (key.empty()) key = rows.front().id;
      const Row* row = find_by(rows, key, &Row::id);
      if (row == nullptr) continue;
      hit.on.back() = form_numbers(gpu, *row, question);
      hit.command = fmt::format("warpclock cycles --sass '{}'", row->machine.text);
      if (rows.size() > 1 && hit.caveats.empty())
        hit.caveats.push_back(fmt::format("of {} measured forms of {}", rows.size(), opcode));
    }
    if (hit.has_numbers()) hits.push_back(std::move(hit));
  }
  add_comparison(hits);
  return hits;
}

constexpr const char* no_number = "\xE2\x80\x93";

std::string key_of(const std::string& label) { return replace_all(to_lower(label), " ", "_"); }

/// The name of a GPU in the question of which there are no records.
std::string other_gpu(const AskedWords& question, const ProbeBook& book, const SearchWords& known) {
  for (const AskedWord& word : question.words) {
    const bool here = std::ranges::any_of(
        book.labels(), [&](const std::string& label) { return to_lower(label).contains(to_lower(word.given)); });
    if (known.gpus.contains(to_lower(word.given)) && !here) return word.given;
  }
  return {};
}

std::vector<std::string> ignored_words(const AskedWords& question, const Hit& hit) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < question.words.size(); ++i)
    if (question.words[i].weight > 0 && !hit.places.contains(i)) words.push_back(question.words[i].given);
  return words;
}

/// A number on each GPU, by what it is of.
struct SharedNumbers {
  std::string label, unit;
  std::vector<const AskedNumber*> on;
};

std::vector<SharedNumbers> shared_numbers_of(const Hit& hit) {
  std::vector<SharedNumbers> all;
  for (std::size_t gpu = 0; gpu < hit.on.size(); ++gpu) {
    for (const AskedNumber& number : hit.on[gpu]) {
      SharedNumbers& shared = find_or_add(all, number.label, &SharedNumbers::label);
      shared.unit = number.unit;
      shared.on.resize(hit.on.size());
      shared.on[gpu] = &number;
    }
  }
  return all;
}

std::vector<Column> columns_of(const ProbeBook& book) {
  std::vector<Column> columns = {{.key = "of", .title = "answer"}};
  for (const std::string& label : book.labels())
    columns.push_back({.key = key_of(label), .title = label, .right = true});
  columns.push_back({.key = "unit"});
  for (const std::string& label : book.labels()) {
    for (const char* what : {"number", "row", "estimate", "link"})
      columns.push_back({.key = fmt::format("{}.{}", what, key_of(label)), .audience = Audience::Programs});
  }
  return columns;
}

std::vector<Cell> cells_of(const SharedNumbers& shared) {
  std::vector<Cell> cells = {shared.label};
  for (const AskedNumber* number : shared.on)
    cells.push_back(number == nullptr ? Cell::for_people(no_number) : Cell(number->value));
  cells.emplace_back(shared.unit);
  for (const AskedNumber* number : shared.on) {
    const AskedNumber none;
    const AskedNumber& own = number == nullptr ? none : *number;
    cells.push_back(own.number ? Cell("", Json(*own.number)) : Cell());
    for (const std::string& text : {own.row, own.of, own.link}) cells.emplace_back(text);
  }
  return cells;
}

/// "bar.sync of 8 warps: H100 28.00, H200 28.00 cycles"
std::string line_of(const SharedNumbers& shared, const ProbeBook& book) {
  std::vector<std::string> values;
  for (std::size_t gpu = 0; gpu < shared.on.size(); ++gpu)
    values.push_back(book.labels()[gpu] + " " + (shared.on[gpu] == nullptr ? no_number : shared.on[gpu]->value));
  return shared.label + ": " + join(values, ", ") + (shared.unit.empty() ? "" : " " + shared.unit);
}

void add_first(Sheet& sheet, const Finding& finding, const ProbeBook& book) {
  const Hit& first = finding.hits.front();
  Table table{.key = "answer", .columns = columns_of(book), .audience = Audience::Programs};
  for (const SharedNumbers& shared : shared_numbers_of(first)) {
    if (table.rows.empty())
      sheet.title = line_of(shared, book);
    else
      sheet.facts.push_back({"more", "and", line_of(shared, book), Audience::People});
    table.rows.push_back(cells_of(shared));
  }
  if (!table.rows.empty()) sheet.tables.push_back(std::move(table));
  if (!first.absent.empty()) sheet.title = "no number: " + first.absent;
  if (!first.absent.empty()) sheet.facts.push_back({"absent", "", first.absent, Audience::Programs});
  if (!first.caveats.empty()) sheet.facts.push_back({"caveat", "", join(first.caveats, "; ")});
  for (std::size_t gpu = 0; gpu < first.on.size(); ++gpu) {
    if (first.on[gpu].empty() || first.on[gpu].front().link.empty()) continue;
    sheet.facts.push_back(
        {"link." + key_of(book.labels()[gpu]), book.labels()[gpu] + " page", first.on[gpu].front().link});
  }
  if (!first.command.empty()) sheet.facts.push_back({"command", "rows", first.command});
}

Table other_hits(const Finding& finding, const ProbeBook& book) {
  constexpr std::size_t most = 5;
  constexpr double near = 0.5;
  const std::vector<Hit>& hits = finding.hits;
  const std::size_t begin = finding.answered ? 1 : 0;
  const char* title = finding.answered ? "also" : "nearest";
  Table table{.key = "also", .title = title, .columns = columns_of(book)};
  table.columns.push_back({.key = "command", .title = "rows"});
  for (std::size_t i = begin; i < hits.size() && table.rows.size() < most; ++i) {
    const std::vector<SharedNumbers> all = shared_numbers_of(hits[i]);
    const bool nearly = finding.question.weight(hits[i].places) >= near * finding.question.weight();
    if (all.empty() || (finding.answered && !nearly)) continue;
    table.rows.push_back(cells_of(all.front()));
    table.rows.back().emplace_back(hits[i].command);
  }
  return table;
}

/// "no word 'prefech' (did you mean 'prefetch'?)"
std::vector<std::string> vocabulary(const SearchWords& known, const ProbeBook& book) {
  std::vector<std::string> words;
  for (const Topic& topic : known.topics)
    for (const std::string& phrase : topic.words)
      for (const AskedWord& word : asked_words(phrase, known).words)
        if (word.weight > 0) words.push_back(word.text);
  for (const std::string& probe : book.names()) words.push_back(probe.substr(probe.find('/') + 1));
  sort_once(words);
  return words;
}

/// Why the first hit is no answer although it has most of the words: it is of another thing than the others say.
std::string why_not(const Finding& found, const ProbeBook& book, const SearchWords& known) {
  const Hit& first = found.hits.front();
  const std::string other = other_gpu(found.question, book, known);
  if (!other.empty() && first.absent.empty())
    return fmt::format("there are no records of '{}'; there are some of {}", other, join(book.labels(), ", "));
  if (!first.no_rows.empty() && !first.by_text) return "no row has " + join(first.no_rows, ", or ");
  if (!found.answered) return {};
  for (std::size_t i = 0; i < found.question.words.size(); ++i) {
    const std::string& word = found.question.words[i].given;
    if (!first.places.contains(i) && first.chosen && std::ranges::all_of(word, is_digit))
      return fmt::format("what {} is of is not said, as in warps={}", word, word);
    if (!first.places.contains(i) && type_bits(to_lower(word)) > 0 && first.has_numbers())
      return fmt::format("the records have no number of {} with the other words", word);
  }
  const double own = found.question.weight(first.places);
  for (const Hit& rival : found.hits) {
    if (!rival.by_text && found.question.weight(rival.places) > own)
      return fmt::format("the records have no {} of that", found.question.rate ? "rate" : "time");
  }
  if (own > 0.5 * found.question.weight()) return {};
  const std::vector<std::string> words = vocabulary(known, book);
  for (std::size_t i = 0; i < found.question.words.size(); ++i) {
    const AskedWord& word = found.question.words[i];
    if (!first.places.contains(i) && word.weight >= 1 && std::ranges::binary_search(words, word.text))
      return fmt::format("the records have no number of '{}' with the other words", word.given);
  }
  return {};
}

/// Two hits that a question compares, "shared memory latency vs L1 latency", as one: neither is the whole answer.
void add_comparison(Finding& found) {
  const bool compares = std::ranges::any_of(found.question.words, [](const AskedWord& word) {
    return word.text == "vs" || word.text == "versus" || word.text == "against" || word.text == "or";
  });
  if (!compares || found.hits.empty()) return;
  const Hit& first = found.hits.front();
  const auto second = std::ranges::find_if(found.hits, [&](const Hit& hit) {
    const bool more = std::ranges::any_of(hit.places, [&](std::size_t place) {
      return found.question.words[place].weight >= 1 && !first.places.contains(place);
    });
    return !hit.by_text && hit.has_numbers() && more;
  });
  if (first.by_text || !first.has_numbers() || second == found.hits.end()) return;
  Hit both = first;
  for (std::size_t gpu = 0; gpu < both.on.size(); ++gpu)
    both.on[gpu].insert(both.on[gpu].end(), second->on[gpu].begin(), second->on[gpu].end());
  both.places.insert(second->places.begin(), second->places.end());
  both.caveats.insert(both.caveats.end(), second->caveats.begin(), second->caveats.end());
  both.command += "; " + second->command;
  found.hits.insert(found.hits.begin(), std::move(both));
}

}  // namespace

Library::Library(Reports reports) : reports_(std::move(reports)), gpus_(reported_gpus(reports_)) {
  for (const ReportedGpu& gpu : gpus_) tables_.push_back({gpu.folder, gpu.table == nullptr ? Record{} : *gpu.table});
  book_ = std::make_unique<ProbeBook>(gpus_);
}

Finding find_answer(const std::string& text, const Library& library, const SearchWords& known) {
  Finding found;
  found.question = asked_words(text, known);
  const ProbeBook& book = library.book();
  found.hits = topic_hits(found.question, book, known);
  std::ranges::move(instruction_hits(found.question, book, library.tables()), std::back_inserter(found.hits));
  std::ranges::move(opcode_hits(found.question, book), std::back_inserter(found.hits));
  std::ranges::move(probe_hits(found.question, book, known), std::back_inserter(found.hits));
  std::ranges::stable_sort(found.hits, std::greater(),
                           [&](const Hit& hit) { return std::pair(!hit.by_text, hit.score(found.question)); });
  add_comparison(found);
  found.ignored = ignored_words(found.question, found.hits.empty() ? Hit{} : found.hits.front());
  if (found.hits.empty()) return found;
  const Hit& first = found.hits.front();
  constexpr double enough = 0.5;
  found.answered = !first.by_text && first.score(found.question) > 0 &&
                   found.question.weight(first.places) >= enough * found.question.weight();
  found.refused = why_not(found, book, known);
  if (!found.refused.empty()) found.answered = false;
  return found;
}

Sheet answer_sheet(const std::string& text, const Finding& finding, const Library& library, const SearchWords& known) {
  const ProbeBook& book = library.book();
  Sheet sheet;
  sheet.facts = {{"asked", "", text, Audience::Programs}};
  if (finding.answered) {
    add_first(sheet, finding, book);
  } else {
    sheet.title = "no answer: " +
                  (finding.refused.empty() ? "the records have no number that these words name" : finding.refused);
  }
  std::vector<std::string> words;
  const std::vector<std::string> all = vocabulary(known, book);
  for (const std::string& word : finding.ignored) {
    const bool is_one = std::ranges::binary_search(all, asked_words(word, known).words.front().text);
    words.push_back(word + (is_one ? "" : did_you_mean(word, all)));
  }
  if (!words.empty()) sheet.facts.push_back({"ignored", finding.answered ? "ignored" : "unknown", join(words, ", ")});
  Table others = other_hits(finding, book);
  if (!others.rows.empty()) sheet.tables.push_back(std::move(others));
  return sheet;
}

namespace {

struct AskOptions {
  std::vector<std::string> words;
  GpuChoice gpu;
  SheetFormat format;
};

Expected<int> ask(const AskOptions& options) {
  const auto& known = known_search_words();
  if (!known) return std::unexpected(known.error());
  const Library library(WARPCLOCK_TRY(chosen_reports(options.gpu)));
  const std::string text = join(options.words, " ");
  const Finding finding = find_answer(text, library, *known);
  print(answer_sheet(text, finding, library, *known), options.format);
  return finding.answered && finding.hits.front().has_numbers() ? 0 : 2;
}

}  // namespace

void add_ask(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("ask", "Find the number that answers a question, on all measured GPUs");
  auto options = std::make_shared<AskOptions>();
  add_value(*command, "words", "WORDS", options->words,
            "An instruction of PTX or a machine instruction, a name of CUDA, a topic, parameters: any words")
      ->required();
  add_reports_options(*command, options->gpu);
  options->format.add_options(*command, false);
  command->footer(
      "Examples:\n"
      "  warpclock ask 4-way bank conflict\n"
      "  warpclock ask __syncthreads with 8 warps\n"
      "  warpclock ask 'wgmma m64n128k16 f16, A in registers'\n"
      "  warpclock ask dram bandwidth --json | jq '.answer[0].\"number.h200\"'\n"
      "The first answer counts; exit status 2 if the records have none. Words that it has not are named as ignored.");
  command->callback([options, &action] { action = [options] { return ask(*options); }; });
}

}  // namespace warpclock
