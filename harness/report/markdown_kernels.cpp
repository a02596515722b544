#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures.hpp"
#include "report/markdown_parts.hpp"
#include "report/markdown_table.hpp"
#include "report/pair_matrix.hpp"

namespace warpclock {

std::string markdown_pairs(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return markdown_text(known.error().message()) + "\n\n";
  const PairMatrix matrix = pair_matrix(known->pairs, record);
  if (matrix.kinds.empty()) return {};
  MarkdownTable table;
  for (const char* head : {"", "alone"}) table.column(head, *head != '\0');
  for (const std::string& kind : matrix.kinds) table.column(markdown_text(kind), true);
  for (std::size_t a = 0; a < matrix.kinds.size(); ++a) {
    std::vector<std::string> cells = {markdown_text(matrix.kinds[a]),
                                      matrix.alone[a] ? fixed(matrix.alone[a]->value, 2) : "\xE2\x80\x93"};
    for (std::size_t b = 0; b < matrix.kinds.size(); ++b) {
      const Pair& pair = matrix.at(a, b);
      cells.push_back(a == b || pair.row == nullptr ? "" : overlap_text(pair));
    }
    table.row(std::move(cells));
  }
  return "## What goes beside what\n\nThe cycles that a sub-partition takes for one instruction alone, and in percent "
         "how much of the shorter one's time is hidden behind the longer one: 100 where both take no longer than that, "
         "0 "
         "where they take turns. From " +
         markdown_text(known->pairs.probe) + ".\n\n" + table.text();
}

}  // namespace warpclock
