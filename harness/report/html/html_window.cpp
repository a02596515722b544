#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "record/repeats.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {
namespace {

/// The opcodes that occur most often, without the clock reads.
std::vector<std::string> targets(const WindowRecord& window) {
  int most = 0;
  const auto counts = [](const std::string& opcode) {
    return !opcode.starts_with("CS2R") && !opcode.starts_with("S2");
  };
  for (const auto& [opcode, count] : window.opcodes) {
    if (counts(opcode)) most = std::max(most, count);
  }
  std::vector<std::string> names;
  for (const auto& [opcode, count] : window.opcodes) {
    if (counts(opcode) && count == most) names.push_back(opcode);
  }
  return names;
}

/// Highlights the first word of a line's instruction if it is a target, and dims clock reads.
std::string instruction_line(const std::string& line, const std::vector<std::string>& names) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t;", begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    const bool clock = word.starts_with("CS2R") || word.starts_with("S2UR");
    if (clock || std::find(names.begin(), names.end(), word) != names.end()) {
      return escape(line.substr(0, begin)) + element(clock ? "i" : "b", "", word) + escape(line.substr(end));
    }
    at = end + 1;
  }
  return escape(line);
}

/// The scheduling field before the instruction, "B0----5:R-:W2:Y:S04", or nothing.
std::string control_of(const std::string& line) {
  const std::size_t end = line.find("  ");
  const bool has_one = end != std::string::npos && line.starts_with('B') && line.find(":S") < end;
  return has_one ? line.substr(0, end) : std::string();
}

/// "\xC3\x9716" after a line that is repeated sixteen times; a line of its own before a repeated body of several lines.
struct Marks {
  std::string before, behind;
};

Marks marks(const Repeat& block) {
  if (block.count == 1) return {};
  if (block.length == 1) return {"", element("em", "", fmt::format(" \xC3\x97{}", block.count))};
  return {element("em", "", fmt::format("\xC3\x97{} these {} lines", block.count, block.length)) + "\n",
          element("em", "", "\xE2\x94\x98")};
}

std::string sass_figure(const WindowRecord& window) {
  const std::vector<std::string> names = targets(window);
  std::string controls, instructions;
  for (const Repeat& block : find_repeats(window.sass)) {
    const Marks mark = marks(block);
    instructions += mark.before;
    if (!mark.before.empty()) controls += '\n';
    for (std::size_t i = 0; i < block.length; ++i) {
      const std::string& line = window.sass[block.first + i];
      const std::string control = control_of(line);
      controls += escape(control) + "\n";
      instructions += instruction_line(control.empty() ? line : line.substr(control.size() + 2), names);
      if (i + 1 == block.length) instructions += mark.behind;
      instructions += '\n';
    }
  }
  const bool any_control = controls.find_first_not_of('\n') != std::string::npos;
  return fmt::format(
      "<figure><figcaption>SASS between the clock reads <span>{} instructions</span></figcaption>"
      "<div class=\"sass\" tabindex=\"0\">{}<pre>{}</pre></div></figure>",
      window.sass.size(), any_control ? "<pre class=\"control\">" + controls + "</pre>" : "", instructions);
}

std::string ptx_figure(const std::string& ptx) {
  constexpr std::size_t most = 32;  // lines; the middle of longer texts is only in result.json.gz
  std::vector<std::string> all = lines(ptx);
  if (all.size() > most + 3) {
    const std::size_t left_out = all.size() - most;
    const auto from = all.begin() + most / 2;
    *from = fmt::format("// ... {} more lines are in result.json.gz ...", left_out);
    all.erase(from + 1, from + static_cast<std::ptrdiff_t>(left_out));
  }
  std::string text;
  for (const Repeat& block : find_repeats(all)) {
    const Marks mark = marks(block);
    text += mark.before;
    for (std::size_t i = 0; i < block.length; ++i) {
      text += escape(all[block.first + i]) + (i + 1 == block.length ? mark.behind : std::string()) + "\n";
    }
  }
  return "<figure><figcaption>PTX it came from</figcaption><pre tabindex=\"0\">" + text + "</pre></figure>";
}

}  // namespace

std::string html_code(const CaseRecord& row) {
  if (row.window.sass.empty() && row.ptx.empty()) return {};
  std::string out = "<div class=\"code\">";
  if (!row.window.sass.empty()) out += sass_figure(row.window);
  if (!row.ptx.empty()) out += ptx_figure(row.ptx);
  return out + "</div>";
}

std::string html_same(const PageContext& page, const CaseRecord& row) {
  const auto shown = page.shown_by.find(&row);
  if (shown == page.shown_by.end() || shown->second == &row || (row.window.sass.empty() && row.ptx.empty())) return {};
  return "<p class=\"same\">The same machine code as " + case_link(*shown->second) + "</p>";
}

}  // namespace warpclock
