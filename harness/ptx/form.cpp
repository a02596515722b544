#include "ptx/form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

using Entry = std::vector<Slot>;

std::string place(int line, int column) { return fmt::format("{}:{}", line, column); }

bool row_fits(const OpcodeRow& row, const std::vector<std::string>& modifiers) {
  const auto holds = [&](const std::string& words) { return fits(words, modifiers); };
  return std::ranges::all_of(row.when, holds) && std::ranges::none_of(row.without, holds);
}

/// The operands of a row, without those that require modifiers that are missing.
Expected<std::vector<Entry>> entries_of(const OpcodeRow& row, const std::vector<std::string>& modifiers) {
  std::vector<Entry> entries;
  for (const std::string& text : row.operands) {
    Expected<Entry> entry = parse_slots(text);
    if (!entry) return fail("config", entry.error().text, row.place);
    std::erase_if(*entry, [&](const Slot& slot) {
      return !slot.only_with.empty() && !fits(join(slot.only_with, "|"), modifiers);
    });
    if (entry->empty()) continue;
    entry->front().pair = false;
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::string names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    std::string name = entry.front().name;
    if (entry.size() > 1) name += entry[1].optional ? "[|" + entry[1].name + "]" : "|" + entry[1].name;
    names.push_back(entry.front().optional ? "[" + name + "]" : name);
  }
  return names.empty() ? "no operands" : fmt::format("the operands {}", join(names, ", "));
}

std::unexpected<Error> wrong_count(const PtxLine& line, const std::vector<Entry>& entries) {
  const std::size_t given = line.operands.size();
  const bool extra = given > entries.size();
  return fail("ptx",
              fmt::format("{} takes {}, found {}", line.mnemonic(), names_of(entries),
                          given == 0 ? "none" : std::to_string(given)),
              extra ? place_of(line.operands[entries.size()]) : place_of(line));
}

Expected<void> match_entry(const Entry& entry, const PtxTerm& term, std::vector<Match>& matches) {
  if (term.kind != PtxTerm::Kind::Pair) {
    if (entry.size() > 1 && !entry[1].optional) {
      return fail("ptx", fmt::format("operand '{0}': expected two by '|', '{0}|{1}'", entry[0].name, entry[1].name),
                  place_of(term));
    }
    matches.push_back({entry.front(), &term});
    return {};
  }
  if (entry.size() != term.items.size()) {
    return fail("ptx", fmt::format("operand '{}': expected one, found two by '|'", entry.front().name), place_of(term));
  }
  for (std::size_t i = 0; i < entry.size(); ++i) matches.push_back({entry[i], &term.items[i]});
  return {};
}

}  // namespace

bool fits(std::string_view words, const std::vector<std::string>& modifiers) {
  return std::ranges::any_of(split(words, '|'), [&](const std::string& word) {
    return std::ranges::find(modifiers, word) != modifiers.end();
  });
}

std::string place_of(const PtxLine& line) { return place(line.line, line.column); }

std::string place_of(const PtxLine& line, std::size_t modifier) {
  std::size_t column = static_cast<std::size_t>(line.column) + line.opcode.size() + 1;
  for (std::size_t i = 0; i < modifier; ++i) column += line.modifiers[i].size() + 1;
  return place(line.line, static_cast<int>(column));
}

std::string place_of(const PtxTerm& term) { return place(term.line, term.column); }

Expected<const OpcodeRow*> choose_row(const PtxLine& line, const OpcodeTable& table) {
  const auto rows = table.rows.find(line.opcode);
  if (rows == table.rows.end()) {
    return fail("ptx-opcode",
                fmt::format("unknown opcode '{}'{}", line.opcode, did_you_mean(line.opcode, table.opcodes())),
                place_of(line));
  }
  const auto row = std::ranges::find_if(rows->second, [&](const OpcodeRow& r) { return row_fits(r, line.modifiers); });
  if (row != rows->second.end() && !row->unsupported.empty()) {
    const std::string instead = row->probes.empty() ? ""
                                                    : fmt::format("; probes measure it: warpclock list --suite {} '{}'",
                                                                  row->suite, row->probes);
    return fail("ptx-unsupported", fmt::format("{} is not measured: {}{}", line.mnemonic(), row->unsupported, instead),
                place_of(line));
  }
  for (std::size_t i = 0; i < line.modifiers.size(); ++i) {
    const std::string& word = line.modifiers[i];
    if (!is_like_type(word) || type_bits(word) > 0) continue;
    return fail("ptx", fmt::format("'{}' is not a type{}", word, did_you_mean(word, type_names())), place_of(line, i));
  }
  if (row == rows->second.end()) {
    return fail("ptx", fmt::format("no known form of {} has the modifiers of '{}'", line.opcode, line.mnemonic()),
                place_of(line));
  }
  return &*row;
}

Expected<std::vector<Match>> match_operands(const PtxLine& line, const OpcodeRow& row) {
  const auto entries = WARPCLOCK_TRY(entries_of(row, line.modifiers));
  const auto optional = [](const Entry& entry) { return entry.front().optional; };
  const auto most = entries.size();
  const auto least = most - static_cast<std::size_t>(std::ranges::count_if(entries, optional));
  if (line.operands.size() < least || line.operands.size() > most) return wrong_count(line, entries);

  std::vector<Match> matches;
  std::size_t spare = line.operands.size() - least;
  auto term = line.operands.begin();
  for (const Entry& entry : entries) {
    if (optional(entry)) {
      if (spare == 0) continue;
      --spare;
    }
    WARPCLOCK_TRY(match_entry(entry, *term++, matches));
  }
  return matches;
}

}  // namespace warpclock
