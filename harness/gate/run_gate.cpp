#include "gate/run_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.hpp"
#include "capture/capture_file.hpp"
#include "inspect/inspect.hpp"
#include "plan/arch.hpp"

namespace warpclock {
namespace {

/// What comes of the machine code of one symbol.
struct Code {
  std::set<std::string> before, after;
};

std::string listed(const std::vector<std::string>& names, const char* what) {
  constexpr std::size_t most = 5;
  const std::size_t shown = std::min(most, names.size());
  std::string text =
      fmt::format("no launch covers {} {}: {}", names.size(), what, join(std::span(names).first(shown), ", "));
  return shown < names.size() ? text + ", …" : text;
}

/// The code of each kernel, with what else decides its time.
void add_codes(std::map<std::string, Code>& codes, const std::vector<BuildKernel>& kernels,
               std::set<std::string> Code::*build) {
  for (const BuildKernel& one : kernels)
    (codes[one.symbol].*build).insert(fmt::format("{} {} {}", one.code, one.facts.registers, one.facts.shared_bytes));
}

Expected<std::vector<GateRow>> rows_on(const GatedBuilds& builds, std::set<std::string>& covered) {
  const std::string& launches = builds.input.launches;
  if (!launches.empty() && !is_capture(launches)) return gate_cases(builds, covered);
  if (!launches.empty()) {
    const GateBuild of = WARPCLOCK_TRY(GateBuild::open(launches, builds.input.how));
    return gate_captures(builds, &of, covered);
  }
  if (!builds.before.capture())
    return fail("usage", "say by --launches FILE how the kernels are launched: YAML with `kernels:`, or a capture");
  return gate_captures(builds, builds.after.capture() ? nullptr : &builds.before, covered);
}

void add_note(Gate& gate, const std::string& note) {
  if (std::ranges::find(gate.notes, note) == gate.notes.end()) gate.notes.push_back(note);
}

}  // namespace

std::vector<std::string> not_covered(GateBuild& before, GateBuild& after, const std::set<std::string>& covered) {
  const auto compiled = [](const GateBuild& build) { return is_source(build.path()); };
  if (compiled(before) || compiled(after)) return {};
  const auto all = before.kernels(), others = after.kernels();
  if (!all || !others) return {};
  std::map<std::string, Code> codes;
  add_codes(codes, **all, &Code::before);
  add_codes(codes, **others, &Code::after);
  std::vector<std::string> differing, first, second, notes;
  for (const auto& [symbol, code] : codes) {
    if (covered.contains(symbol) || code.before == code.after) continue;
    (code.before.empty() ? second : code.after.empty() ? first : differing).push_back(readable_name(symbol));
  }
  if (!differing.empty()) notes.push_back(listed(differing, "of the kernels that differ"));
  if (!first.empty()) notes.push_back(listed(first, "that only the build before has"));
  if (!second.empty()) notes.push_back(listed(second, "that only the build after has"));
  return notes;
}

Expected<Gate> run_gate(const GateInput& input, const std::vector<Machine>& machines) {
  Gate gate{.before = input.before, .after = input.after, .launches = input.launches, .most = input.most};
  for (const Machine& machine : machines) {
    LoadOptions how = input.how;
    how.arch_given = true;
    how.arch = WARPCLOCK_TRY(parse_arch(machine.arch));
    GateBuild before = WARPCLOCK_TRY(GateBuild::open(input.before, how));
    GateBuild after = WARPCLOCK_TRY(GateBuild::open(input.after, how));
    GateInput on = input;
    on.how = how;
    std::set<std::string> covered;
    auto rows = WARPCLOCK_TRY(rows_on({on, machine, before, after}, covered));
    for (GateRow& row : rows) {
      row.gpu = machine.gpu;
      judge(row, input.most);
    }
    std::ranges::move(rows, std::back_inserter(gate.rows));
    if (input.patterns.empty())
      for (const std::string& note : not_covered(before, after, covered)) add_note(gate, note);
    for (const GateBuild* build : {&before, &after})
      for (const std::string& file : build->unread()) add_note(gate, "left out: " + file);
  }
  if (gate.rows.empty()) return fail("gate", "nothing is launched there", input.launches);
  return gate;
}

}  // namespace warpclock
