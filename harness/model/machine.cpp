#include "model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/lookup.hpp"

namespace warpclock {

const Entry* find_entry(const Machine& machine, std::string_view section, std::string_view entry) {
  for (const auto& [name, entries] : machine_sections) {
    if (name != section) continue;
    return find_by(machine.*entries, entry, &Entry::name);
  }
  return nullptr;
}

const Leaf* find_leaf(const Entry& entry, std::string_view leaf) { return find_by(entry.leaves, leaf, &Leaf::name); }

const Leaf* find_leaf(const Machine& machine, std::string_view path) {
  const std::size_t first = path.find('/'), last = path.rfind('/');
  if (first == std::string_view::npos || first == last) return nullptr;
  const Entry* entry = find_entry(machine, path.substr(0, first), path.substr(first + 1, last - first - 1));
  return entry == nullptr ? nullptr : find_leaf(*entry, path.substr(last + 1));
}

const RecordSource& source_of(const Machine& machine, const Leaf& leaf) {
  static const RecordSource none;
  const auto found = std::ranges::find(machine.records, leaf.record, &RecordSource::file);
  return found == machine.records.end() ? none : *found;
}

std::string leaf_number(double value) { return fmt::format("{:.6g}", value); }

}  // namespace warpclock
