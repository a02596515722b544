#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "base/lookup.hpp"
#include "base/yaml/yaml.hpp"
#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_instructions = 1 << 24;

/// `[low, high]` of what `highest` bounds.
auto limits(std::int64_t highest) {
  return yaml::custom(
      [highest](const Node& node) -> Range {
        const std::vector<Node> ends = node.items();
        if (node.failed()) return {};
        if (ends.size() != 2) {
          node.reject("takes two numbers, the least and the most that there may be");
          return {};
        }
        const Range range{ends[0].integer(0, highest), ends[1].integer(0, highest)};
        if (range.low > range.high) ends[1].reject(fmt::format("{} is less than {}", range.high, range.low));
        return range;
      },
      Json{{"type", "array"},
           {"items", {{"type", "integer"}, {"minimum", 0}, {"maximum", highest}}},
           {"minItems", 2},
           {"maxItems", 2}});
}

}  // namespace

void describe(YamlArchive& a, Operands& v) {
  constexpr std::size_t most_digits = 2;
  constexpr std::int64_t percent = 100;
  constexpr std::int64_t most_flags = 4 * percent;  // an encoding has four flags
  a.not_empty();
  std::vector<std::pair<std::string, Range>> shares;
  a.optional(
      "in_one_bank", shares, yaml::entries_of(limits(percent), {{"pattern", "^(0|[1-9][0-9]?)$"}}),
      "The least and the most percent of the targets that have so many source registers in the fuller of two "
      "banks, which are the register's number modulo 2. Each register of a wider operand counts, and one that is "
      "read twice counts twice; RZ, immediates, constants, uniform registers, predicates and results do not.");
  for (const auto& [registers, share] : shares) {
    if (is_plain_integer(registers) && !registers.starts_with('-') && registers.size() <= most_digits) {
      v.in_one_bank.emplace(std::stoi(registers), share);
    } else {
      a.reject("in_one_bank", registers, "the key is not a number of registers (\"0\" to \"99\")");
    }
  }
  a.optional("reuse", v.reuse, limits(most_flags), "The least and the most .reuse flags for 100 targets.");
}

void describe(YamlArchive& a, Counted& v, const Scope& scope) {
  a.required("opcode", v.opcode, yaml::opcode(scope));
  a.required("count", v.count, yaml::product(scope, {0, most_instructions}, Extra::Repeat));
}

namespace {

/// What is between the clock reads besides the target, and before them.
void describe_others(YamlArchive& a, Expectation& v, const Scope& scope) {
  const auto opcodes = yaml::one_or_list(yaml::opcode(scope)).once();
  a.optional("also", v.also, opcodes, "Other opcodes that may be there.");
  a.optional("required", v.required, opcodes, "Other opcodes that must be there; they need not be named in also.");
  a.optional("exactly", v.exactly,
             yaml::checked(yaml::list_of(yaml::with(scope)),
                           [](const Node& node, const std::vector<Counted>& counted) {
                             for (std::size_t i = 0; i < counted.size(); ++i)
                               if (find_by(counted, counted[i].opcode, &Counted::opcode) != &counted[i])
                                 node.items()[i].reject_again(counted[i].opcode);
                           }),
             "Other opcodes that must be there exactly so many times; they need not be named in also.");
  a.optional("before", v.before, opcodes,
             "Opcodes that must be before the opening clock read, in this order: what prepares the window. Nothing "
             "behind one of them waits for memory that was asked before it.");
  a.optional("delay", v.delay, yaml::product(scope, {1, most_instructions}),
             "Cycles that the control fields encode from the last but one opcode of before to the opening clock read, "
             "at least, and 80 more at most; a loop counts once.");
  if (a.has("delay") && v.before.size() < 2)
    a.reject("delay", "goes with a 'before' of an access and what the delay is made of");
  for (const std::string& opcode : v.required) index_or_add(v.also, opcode);
  for (const Counted& counted : v.exactly) index_or_add(v.also, counted.opcode);
}

void describe_chain(YamlArchive& a, Expectation& v, const Scope& scope) {
  constexpr std::int64_t most_operands = 7;
  a.optional("chain", v.chain, "The targets form def-use chains through registers.");
  a.optional("depth", v.depth, yaml::product(scope, {1, most_instructions}, Extra::Repeat),
             "Links of the longest chain, [n] by default.");
  a.optional("operand", v.operand, yaml::Whole{0, most_operands},
             "The chain runs through this source operand of the SASS; 0 is the first.");
  for (const char* key : {"depth", "operand"}) {
    if (a.has(key) && !v.chain) a.reject(key, "goes with 'chain: true' only");
  }
  a.schema(R"({"if": {"anyOf": [{"required": ["depth"]}, {"required": ["operand"]}]},
               "then": {"properties": {"chain": {"const": true}}, "required": ["chain"]}})");
}

}  // namespace

void describe(YamlArchive& a, WindowSpec& v, const Scope& scope) {
  Expectation& expect = v.expect;
  a.named("window", "What is between the two clock reads, proven on the machine code.");
  a.optional("archs", v.archs, yaml::list_of(yaml::arch()),
             "The architectures that this is for; without it, all that the windows before leave.");
  a.optional("when", v.when, yaml::clauses(scope), "The points that this is for; without it, all.");
  Scope here = scope;
  if (!v.when.empty()) std::erase_if(here.points, [&](const Parameters& point) { return !matches_any(v.when, point); });
  a.required("target", expect.target, yaml::one_or_list(yaml::opcode(here)).once(),
             "The measured opcode; a list when any of several counts.");
  if (a.reading()) expect.count = expect.depth = {{Value("n")}};
  a.optional("count", expect.count, yaml::product(here, {0, most_instructions}, Extra::Repeat),
             "How many times the target occurs in the window, [n] by default.");
  describe_others(a, expect, here);
  describe_chain(a, expect, here);
  a.optional("loop", expect.loop, "The window may hold a backward branch; count is then of the static body.");
  a.optional("close", expect.close,
             "result: every last result is consumed before the closing read; memory: a memory wait is before it; "
             "issue: nothing is waited for.");
  a.optional("operands", expect.operands, "Which registers the targets read; ptxas chooses them.");
  a.optional("label", v.label, yaml::with_parameters(here), "Shown next to the row: emulated: F2FP and two HMMA.");
}

namespace {

/// Every architecture on which the windows could differ, and one that no config names: a future GPU.
std::vector<Arch> archs_of_interest(const std::vector<WindowSpec>& windows, const Needs& needs) {
  constexpr Arch future{INT_MAX, true};
  std::vector<Arch> archs = needs.only;
  if (archs.empty()) {
    archs = verified_archs();
    for (const WindowSpec& window : windows) archs.insert(archs.end(), window.archs.begin(), window.archs.end());
    archs.push_back(future);
  }
  std::erase_if(archs, [&](const Arch& arch) { return !has(arch, needs); });
  return archs;
}

}  // namespace

void check_windows(const Node& node, const std::vector<WindowSpec>& windows, const Needs& needs, const Scope& scope) {
  const std::vector<Node> items = node.items_or_self();
  std::vector<bool> used(windows.size(), false);
  for (const Arch& arch : archs_of_interest(windows, needs)) {
    for (const Parameters& point : scope.points) {
      const WindowSpec* window = find_window(windows, arch, point);
      if (window != nullptr) {
        used[static_cast<std::size_t>(window - windows.data())] = true;
        continue;
      }
      const std::string where = point.empty() ? "" : fmt::format(" at [{}]", to_string(point));
      return node.reject(fmt::format("no window for {}{} (one without 'archs' holds for all others)",
                                     arch.sm == INT_MAX ? "architectures that are not named" : to_string(arch), where));
    }
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!used[i]) items[i].reject("no case uses this window: the ones before it, or 'needs', leave it none");
  }
}

}  // namespace warpclock
