#include "cli/ask/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

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
  for (const ReportedGpu& gpu : gpus_)
    tables_.push_back({gpu.folder, gpu.table == nullptr ? InstructionTable{} : *gpu.table});
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

}  // namespace warpclock
