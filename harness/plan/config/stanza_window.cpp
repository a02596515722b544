#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "plan/config/scalar.hpp"
#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

const std::vector<std::string> close_names = {"result", "memory", "issue"};

std::vector<std::string> read_opcodes(const Node& node, const Scope& scope) {
  std::vector<std::string> opcodes;
  for (const Node& item : node.items_or_self()) {
    std::string opcode = read_opcode(item, scope);
    if (std::ranges::find(opcodes, opcode) != opcodes.end()) item.reject(fmt::format("'{}' is given twice", opcode));
    opcodes.push_back(std::move(opcode));
  }
  return opcodes;
}

constexpr std::int64_t most_instructions = 1 << 24;

std::vector<Counted> read_counted(const Node& node, const Scope& scope) {
  std::vector<Counted> counted;
  for (const Node& item : node.items()) {
    const Fields fields = item.fields({"opcode", "count"});
    Counted one{.opcode = read_opcode(fields.get("opcode"), scope), .count = {}};
    one.count = read_product(fields.get("count"), scope, {0, most_instructions}, Extra::Repeat);
    const bool twice = std::ranges::any_of(counted, [&](const Counted& c) { return c.opcode == one.opcode; });
    if (twice) item.reject(fmt::format("'{}' is given twice", one.opcode));
    counted.push_back(std::move(one));
  }
  return counted;
}

Range read_limits(const Node& node, std::int64_t highest) {
  const std::vector<Node> ends = node.items();
  if (node.failed()) return {};
  if (ends.size() != 2) {
    node.reject("takes two numbers, the least and the most that there may be");
    return {};
  }
  const Range limits{ends[0].integer(0, highest), ends[1].integer(0, highest)};
  if (limits.low > limits.high) ends[1].reject(fmt::format("{} is less than {}", limits.high, limits.low));
  return limits;
}

Operands read_operands(const Node& node) {
  constexpr std::size_t most_digits = 2;
  constexpr std::int64_t percent = 100;
  constexpr std::int64_t most_flags = 4 * percent;  // an encoding has four flags
  Operands operands;
  if (node.entries().empty()) return operands;
  const Fields fields = node.fields({"in_one_bank", "reuse"});
  if (const auto at = fields.find("in_one_bank")) {
    for (const auto& [registers, share] : at->entries()) {
      if (!is_plain_integer(registers) || registers.starts_with('-') || registers.size() > most_digits) {
        share.reject("the key is not a number of registers (\"0\" to \"99\")");
        return operands;
      }
      operands.in_one_bank.emplace(std::stoi(registers), read_limits(share, percent));
    }
  }
  if (const auto at = fields.find("reuse")) operands.reuse = read_limits(*at, most_flags);
  return operands;
}

WindowSpec read_window(const Node& node, const Scope& scope) {
  constexpr std::int64_t most_operands = 7;
  const Product each{{Value("n")}};
  WindowSpec window;
  Expectation& expect = window.expect;
  const Fields fields = node.fields({"archs", "when", "target", "count", "also", "required", "exactly", "before",
                                     "delay", "chain", "depth", "operand", "loop", "close", "operands", "label"});
  if (const auto at = fields.find("archs")) window.archs = read_archs(*at);
  Scope here = scope;
  if (const auto at = fields.find("when")) {
    window.when = read_clauses(*at, scope);
    std::erase_if(here.points, [&](const Parameters& point) { return !matches_any(window.when, point); });
  }
  expect.target = read_opcodes(fields.get("target"), here);
  const auto count = fields.find("count");
  expect.count = count ? read_product(*count, here, {0, most_instructions}, Extra::Repeat) : each;
  if (const auto at = fields.find("also")) expect.also = read_opcodes(*at, here);
  if (const auto at = fields.find("before")) expect.before = read_opcodes(*at, here);
  if (const auto at = fields.find("delay")) {
    expect.delay = read_product(*at, here, {1, most_instructions}, Extra::None);
    if (expect.before.size() < 2) at->reject("goes with a 'before' of an access and what the delay is made of");
  }
  if (const auto at = fields.find("required")) expect.required = read_opcodes(*at, here);
  if (const auto at = fields.find("exactly")) expect.exactly = read_counted(*at, here);
  const auto allow = [&expect](const std::string& opcode) {
    if (std::ranges::find(expect.also, opcode) == expect.also.end()) expect.also.push_back(opcode);
  };
  for (const std::string& opcode : expect.required) allow(opcode);
  for (const Counted& counted : expect.exactly) allow(counted.opcode);
  if (const auto at = fields.find("chain")) expect.chain = at->boolean();
  const auto depth = fields.find("depth");
  expect.depth = depth ? read_product(*depth, here, {1, most_instructions}, Extra::Repeat) : each;
  if (const auto at = fields.find("operand")) expect.operand = static_cast<int>(at->integer(0, most_operands));
  for (const char* key : {"depth", "operand"}) {
    const auto at = fields.find(key);
    if (at && !expect.chain) at->reject("goes with 'chain: true' only");
  }
  if (const auto at = fields.find("loop")) expect.loop = at->boolean();
  if (const auto at = fields.find("close")) {
    const std::string close = at->word(close_names);
    expect.close = static_cast<Close>(std::ranges::find(close_names, close) - close_names.begin());
  }
  if (const auto at = fields.find("operands")) expect.operands = read_operands(*at);
  if (const auto at = fields.find("label")) window.label = read_template(*at, here);
  return window;
}

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

std::vector<Arch> read_archs(const Node& node) {
  std::vector<Arch> archs;
  for (const Node& item : node.items()) {
    const Expected<Arch> arch = parse_arch(item.text());
    if (arch) {
      archs.push_back(*arch);
    } else {
      item.reject(arch.error().text);
    }
  }
  return archs;
}

std::vector<WindowSpec> read_windows(const Node& node, const Needs& needs, const Scope& scope) {
  std::vector<WindowSpec> windows;
  const std::vector<Node> items = node.items_or_self();
  windows.reserve(items.size());
  for (const Node& item : items) windows.push_back(read_window(item, scope));
  if (node.failed()) return windows;

  std::vector<bool> used(windows.size(), false);
  for (const Arch& arch : archs_of_interest(windows, needs)) {
    for (const Parameters& point : scope.points) {
      const WindowSpec* window = find_window(windows, arch, point);
      if (window != nullptr) {
        used[static_cast<std::size_t>(window - windows.data())] = true;
        continue;
      }
      const std::string where = point.empty() ? "" : fmt::format(" at [{}]", to_string(point));
      node.reject(fmt::format("no window for {}{} (one without 'archs' holds for all others)",
                              arch.sm == INT_MAX ? "architectures that are not named" : to_string(arch), where));
      return windows;
    }
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!used[i]) items[i].reject("no case uses this window: the ones before it, or 'needs', leave it none");
  }
  return windows;
}

}  // namespace warpclock
