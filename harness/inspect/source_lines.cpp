#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "code/word.hpp"
#include "inspect/load.hpp"

namespace warpclock {
namespace {

/// "a.cu" and 3 of `//## File "a.cu", line 3`.
SourceLine line_of(std::string_view comment) {
  constexpr std::string_view word = ", line ";
  const std::size_t open = comment.find('"');
  const std::size_t close = open == comment.npos ? open : comment.find('"', open + 1);
  if (close == comment.npos || !comment.substr(close + 1).starts_with(word)) return {};
  SourceLine line{std::string(comment.substr(open + 1, close - open - 1)), 0};
  const std::string_view number = comment.substr(close + 1 + word.size());
  std::from_chars(number.data(), number.data() + number.size(), line.line);
  return line;
}

}  // namespace

std::vector<std::pair<std::string, std::vector<SourceLine>>> source_lines(std::string_view disassembly) {
  constexpr std::string_view section = ".section", code = ".text.", mark = "//## File ";
  std::vector<std::pair<std::string, std::vector<SourceLine>>> all;
  SourceLine current;
  bool inside = false;
  while (!disassembly.empty()) {
    const std::size_t end = std::min(disassembly.find('\n'), disassembly.size());
    std::string_view line = trim(disassembly.substr(0, end));
    disassembly.remove_prefix(std::min(end + 1, disassembly.size()));
    // Not .sectioninfo.
    if (line.substr(0, line.find_first_of(" \t")) == section) {
      const std::string_view name = trim(line.substr(section.size()));
      inside = name.starts_with(code);
      current = {};
      if (inside) all.emplace_back(name.substr(code.size(), name.find(',') - code.size()), std::vector<SourceLine>());
    }
    if (line.starts_with(mark)) current = line_of(line);
    if (inside && take_address(line)) all.back().second.push_back(current);
  }
  std::erase_if(all, [](const auto& kernel) {
    return std::ranges::all_of(kernel.second, [](const SourceLine& line) { return line.file.empty(); });
  });
  return all;
}

}  // namespace warpclock
