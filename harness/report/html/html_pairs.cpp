#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/escape.hpp"
#include "record/outcome.hpp"
#include "report/html/html_parts.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/pair_matrix.hpp"

namespace warpclock {
namespace {

constexpr int overlap_shades = 6;  // classes o0 to o5 of the page's style

/// Shades from no overlap to full overlap; `on` if the pair takes longer than one after the other.
std::string shade(const Overlap& overlap) {
  if (overlap.value < -0.05) return "on";
  return fmt::format(
      "o{}", std::clamp(static_cast<int>(std::lround(overlap.value * (overlap_shades - 1))), 0, overlap_shades - 1));
}

std::string cycles_text(double cycles) { return fixed(cycles, cycles < 10 ? 2 : 1); }

std::string whole_percent(double share) { return fixed(std::round(100 * share), 0); }

/// Whether the intervals leave more than a quarter open.
bool is_vague(const Overlap& overlap) { return !(overlap.high - overlap.low <= 0.25); }

std::string link(const CaseRecord& row, const std::string& text) {
  return fmt::format("<a href=\"#{}\">{}</a>", escape(anchor(row.id)), text);
}

std::string cell(const PairMatrix& matrix, std::size_t a, std::size_t b) {
  const Pair& pair = matrix.at(a, b);
  if (pair.row == nullptr) return "<td></td>";
  if (pair.together == nullptr) {
    const std::string why =
        fmt::format("{}, {}: {}", word(pair.row->outcome), pair.row->reason.code, pair.row->reason.text);
    return fmt::format("<td class=\"why\" title=\"{}\">{}</td>", escape(why), link(*pair.row, "\xE2\x9C\x95"));
  }
  if (a == b) {
    const std::string alone = matrix.alone[a] ? cycles_text(matrix.alone[a]->value) : "\xE2\x80\x93";
    return fmt::format("<td class=\"alone\" title=\"{} alone: {} cycles\">{}</td>", escape(matrix.kinds[a]), alone,
                       link(*pair.row, alone));
  }
  std::string said = fmt::format("{} beside {}: {} cycles for one of each", matrix.kinds[a], matrix.kinds[b],
                                 cycles_text(pair.together->value));
  if (pair.overlap) {
    said += fmt::format("; alone {} and {}; {} to {} % hidden", cycles_text(matrix.alone[a]->value),
                        cycles_text(matrix.alone[b]->value), whole_percent(pair.overlap->low),
                        whole_percent(pair.overlap->high));
  }
  const std::string style =
      pair.overlap ? shade(*pair.overlap) + (is_vague(*pair.overlap) ? " vague" : "") : std::string("none");
  return fmt::format("<td class=\"{}\" title=\"{}\">{}</td>", style, escape(said),
                     link(*pair.row, overlap_text(pair) + element("i", "", cycles_text(pair.together->value))));
}

}  // namespace

std::string html_pairs(const PageContext& page) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return element("p", "warn", known.error().message());
  const PairMatrix matrix = pair_matrix(known->pairs, page.record);
  if (matrix.kinds.empty()) return {};
  std::string out =
      "<section id=\"pairs\"><h2>What goes beside what</h2>"
      "<p class=\"asks\">How much of the shorter instruction's time is hidden behind the longer one, in percent, and "
      "under it the cycles that a sub-partition takes for one of each. On the diagonal, the cycles of one alone.</p>"
      "<p class=\"legend\"><span class=\"on\">below 0: in each other\xE2\x80\x99s way</span>"
      "<span class=\"o0\">0: in turn, as long as both</span><span class=\"o3\">50</span>"
      "<span class=\"o5\">100: as long as the longer alone</span></p>"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"pairs of instructions\">"
      "<table class=\"pairs\"><thead><tr><td></td>";
  for (const std::string& kind : matrix.kinds) out += "<th scope=\"col\">" + escape(kind) + "</th>";
  out += "</tr></thead><tbody>";
  for (std::size_t a = 0; a < matrix.kinds.size(); ++a) {
    out += "<tr><th scope=\"row\">" + escape(matrix.kinds[a]) + "</th>";
    for (std::size_t b = 0; b < matrix.kinds.size(); ++b) out += cell(matrix, a, b);
    out += "</tr>";
  }
  return out + fmt::format(
                   "</tbody></table></div><p class=\"note\">From <a href=\"#{}\">{}</a>, of which each cell leads "
                   "to its case: (alone + alone \xE2\x88\x92 together) / the shorter alone. Two that could each be "
                   "issued every cycle share the issue slot, and so take turns. Above 100, the two take less than "
                   "the longer one did with itself. In soft type, the intervals of the three numbers leave more than "
                   "a quarter open.</p></section>\n",
                   escape(probe_anchor(known->pairs.probe)), escape(known->pairs.probe));
}

}  // namespace warpclock
