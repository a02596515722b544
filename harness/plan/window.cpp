#include "plan/window.hpp"

#include <algorithm>
#include <string>

#include "plan/sweep.hpp"

namespace warpclock {

bool has(const Arch& arch, const Needs& needs) {
  if (arch.sm < needs.min_sm) return false;
  return needs.only.empty() || std::ranges::any_of(needs.only, [&](const Arch& only) { return has(arch, only); });
}

const Needs* lacking(const Arch& arch, const Probe& probe, const Parameters& point) {
  if (!has(arch, probe.needs)) return &probe.needs;
  const auto at = std::ranges::find_if(
      probe.needs_when, [&](const NeedsWhen& one) { return matches_any(one.when, point) && !has(arch, one.needs); });
  return at == probe.needs_when.end() ? nullptr : &at->needs;
}

const WindowSpec* find_window(const std::vector<WindowSpec>& windows, const Arch& arch, const Parameters& point) {
  const auto at = std::ranges::find_if(windows, [&](const WindowSpec& window) {
    const bool here =
        window.archs.empty() || std::ranges::any_of(window.archs, [&](const Arch& named) { return has(arch, named); });
    return here && (window.when.empty() || matches_any(window.when, point));
  });
  return at == windows.end() ? nullptr : &*at;
}

Expected<Expectation> resolve(const Expectation& expect, const Parameters& point) {
  Expectation resolved = expect;
  std::vector<std::string*> opcodes;
  for (auto* list : {&resolved.target, &resolved.also, &resolved.required, &resolved.before}) {
    for (std::string& opcode : *list) opcodes.push_back(&opcode);
  }
  for (Counted& counted : resolved.exactly) opcodes.push_back(&counted.opcode);
  for (std::string* opcode : opcodes) {
    auto text = WARPCLOCK_TRY(substitute(*opcode, point));
    *opcode = std::move(text);
  }
  return resolved;
}

}  // namespace warpclock
