#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "base/escape.hpp"
#include "report/html/html_parts.hpp"
#include "report/sections/matrix_layout.hpp"

namespace warpclock {
namespace {

/// Classes of the page's style: one of eight hues, and for a fragment one of four shades.
std::string colour(const MatrixLayout& layout, const MatrixLayout::Place& place) {
  if (place.owner < 0) return "none";
  return layout.swizzle ? fmt::format("s{} k2", place.part % 8)
                        : fmt::format("s{} k{}", place.owner / 4 % 8, place.owner % 4);
}

std::string tooltip(const MatrixLayout& layout, const LayoutBlock& block, const MatrixLayout::Place& place) {
  if (place.owner < 0) return "not found";
  if (layout.swizzle)
    return fmt::format("bytes {} of shared memory", layout_range(place.owner * 128 + place.part * 16, 16));
  const int count = block.height * block.width;
  return fmt::format("lane {}, register {}, element{} {}", place.owner, place.part / layout.packed,
                     count == 1 ? "" : "s", layout_range(place.part, count));
}

std::string table(const MatrixLayout& layout, const LayoutBlock& block, int matrix) {
  std::string out = "<table class=\"lay\"><thead><tr><td></td>";
  for (int column = 0; column < layout.columns; column += block.width) {
    out += "<th scope=\"col\">" + layout_range(column, block.width) + "</th>";
  }
  out += "</tr></thead><tbody>";
  for (int row = 0; row < layout.rows; row += block.height) {
    out += "<tr><th scope=\"row\">" + layout_range(row, block.height) + "</th>";
    for (int column = 0; column < layout.columns; column += block.width) {
      const int element = (matrix * layout.rows + row) * layout.columns + column;
      const MatrixLayout::Place& place = layout.places[static_cast<std::size_t>(element)];
      out += fmt::format("<td class=\"{}\" title=\"{}\">{}</td>", colour(layout, place), tooltip(layout, block, place),
                         layout_text(layout, block, place));
    }
    out += "</tr>";
  }
  return out + "</tbody></table>";
}

std::string caption(const ProbeOutline& probe, const SharedLayout& shared) {
  const auto name = [&](const CaseRecord& row) {
    const std::string text = describe(row, probe.varying);
    return fmt::format("<a href=\"#{}\">{}</a>{}", escape(anchor(row.id)), escape(text.empty() ? row.id : text),
                       row.outcome == Outcome::Measured ? "" : " " + badge(row));
  };
  std::string out = "<figcaption>" + name(*shared.rows.front());
  if (shared.rows.size() == 1) return out + "</figcaption>";
  out += fmt::format("<details><summary>and {} more</summary>", shared.rows.size() - 1);
  for (std::size_t i = 1; i < shared.rows.size(); ++i) out += "<div>" + name(*shared.rows[i]) + "</div>";
  return out + "</details></figcaption>";
}

}  // namespace

std::string html_layouts(const ProbeOutline& probe) {
  std::string out;
  bool swizzle = false;
  for (const SharedLayout& shared : shared_layouts(probe)) {
    swizzle = shared.layout.swizzle;
    const LayoutBlock block = layout_block(shared.layout);
    out += "<figure>" + caption(probe, shared) + "<div class=\"matrices\">";
    for (int matrix = 0; matrix < shared.layout.matrices; ++matrix) out += table(shared.layout, block, matrix);
    out += "</div></figure>";
  }
  if (out.empty()) return out;
  return element("p", "note", layout_key(swizzle)) +
         fmt::format("<div class=\"layouts scroll\" tabindex=\"0\" role=\"region\" aria-label=\"layouts of {}\">",
                     escape(probe.probe.name)) +
         out + "</div>";
}

}  // namespace warpclock
