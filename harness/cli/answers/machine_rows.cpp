#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "answer/instructions/machine_parts.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

/// "@PT IMAD.WIDE R#, R#, #, R#": how many modifiers it has beyond the word, how many operands are no plain register,
/// and how many operands there are less than of others.
auto place_of_form(const std::string& key) {
  const std::string name = name_in(key);
  const std::size_t at = key.find(name) + name.size();
  const std::vector<std::string> operands =
      split(replace_all(key.substr(std::min(at + 1, key.size())), ", ", ","), ',');
  const auto special = std::ranges::count_if(operands, [](const std::string& one) { return one != "R#"; });
  return std::tuple(std::ranges::count(name, '.'), special, name);
}

}  // namespace

std::vector<MachineRow> rows_of_opcode(const MachineTable& table, const std::string& opcode) {
  std::vector<MachineRow> rows;
  for (const MachineRow& row : table.rows) {
    const std::string name = name_in(row.key);
    if ((name == opcode || name.starts_with(opcode + ".")) && has_numbers(row)) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, {}, [](const MachineRow& row) { return place_of_form(row.key); });
  return rows;
}

bool is_machine_opcode(std::string_view word) {
  if (word.empty() || word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.") != std::string_view::npos)
    return false;
  return std::ranges::any_of(verified_archs(), [&](const Arch& arch) {
    return std::ranges::any_of(forms_of(arch).all(), [&](const WordForm& form) {
      const std::string name = name_in(key_of(form));
      return name == word || (name.starts_with(word) && name[word.size()] == '.');
    });
  });
}

}  // namespace warpclock
