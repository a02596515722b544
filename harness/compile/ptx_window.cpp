#include "compile/ptx_window.hpp"

#include "base/text.hpp"

namespace warpclock {
namespace {

bool reads_clock(std::string_view line) {
  const auto at = line.find("%clock");
  if (at == line.npos || line.starts_with("//")) return false;
  // %clock_hi and similar names are other registers.
  const auto rest = line.substr(at + 6);
  return rest.starts_with(";") || rest.starts_with("64;");
}

bool opens_entry(std::string_view line, std::string_view symbol) {
  const auto at = line.find(".entry ");
  if (at == line.npos) return false;
  const auto name = line.substr(at + 7);
  return name.starts_with(symbol) && (name.size() == symbol.size() || name[symbol.size()] == '(');
}

}  // namespace

std::string ptx_window(std::string_view ptx, std::string_view symbol) {
  bool inside = false;
  bool open = false;
  std::string window;
  std::size_t closed = 0;
  while (!ptx.empty()) {
    const auto end = ptx.find('\n');
    const auto line = trim(ptx.substr(0, end));
    ptx = end == ptx.npos ? std::string_view{} : ptx.substr(end + 1);
    if (!inside) {
      inside = opens_entry(line, symbol);
      continue;
    }
    if (line.find(".entry ") != line.npos || line.find(".func ") != line.npos) break;
    if (reads_clock(line)) {
      // Any later read may be the last one, so everything before it is the window so far.
      if (open) {
        closed = window.size();
        window.append(line).append("\n");
      }
      open = true;
    } else if (open && !line.empty() && line != "// begin inline asm" && line != "// end inline asm") {
      window.append(line).append("\n");
    }
  }
  window.resize(closed);
  return window;
}

}  // namespace warpclock
