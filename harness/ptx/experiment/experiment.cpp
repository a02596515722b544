#include "ptx/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/lookup.hpp"
#include "ptx/line.hpp"

namespace warpclock {
namespace {

bool is_result(const Operand& operand) { return operand.written && operand.immediate.empty() && !operand.address; }

/// Whether a result can reach this source. Only loads are chained through an address; the memory that a store or an
/// atomic writes would have to hold a pointer.
bool is_source(const PtxInstruction& instruction, const Operand& operand) {
  if (!operand.read || !operand.immediate.empty() || operand.steers) return false;
  return !operand.address || instruction.kind == "load" || instruction.kind == "matrix-load";
}

/// The link for the throughput of a block. A register that is carried is best: a copy leaves its result in its own
/// source. Else a direct link, and among equals the result that is furthest away.
std::optional<Link> link_in_block(const PtxInstruction& instruction, std::size_t to) {
  std::optional<Link> found;
  int furthest = 0;
  bool is_direct = false;
  for (const Flow& flow : instruction.flows) {
    if (flow.from != to || !is_result(instruction.operands[flow.to])) continue;
    const Link link{flow.to, to};
    if (flow.to == to) return link;
    if (found && (is_direct != direct(instruction, link) ? is_direct : flow.statements <= furthest)) continue;
    found = link;
    furthest = flow.statements;
    is_direct = direct(instruction, link);
  }
  return found;
}

std::optional<Link> link_to(const PtxInstruction& instruction, std::size_t to) {
  if (instruction.is_block()) return link_in_block(instruction, to);
  std::optional<Link> found;
  for (std::size_t from = 0; from < instruction.operands.size(); ++from) {
    if (!is_result(instruction.operands[from])) continue;
    // A result that is also a source is chained through itself in any case.
    if (instruction.operands[from].read && from != to) continue;
    if (direct(instruction, {from, to})) return Link{from, to};
    if (!found) found = Link{from, to};
  }
  return found;
}

std::vector<Link> links_to_sources(const PtxInstruction& instruction) {
  std::vector<Link> links;
  for (std::size_t to = 0; to < instruction.operands.size(); ++to) {
    if (!is_source(instruction, instruction.operands[to])) continue;
    if (const auto link = link_to(instruction, to)) links.push_back(*link);
  }
  return links;
}

std::optional<Link> throughput_link(const PtxInstruction& instruction) {
  std::optional<Link> link;
  for (const Link candidate : links_to_sources(instruction)) {
    if (instruction.operands[candidate.to].address) continue;
    const auto rank = [&](Link one) { return one.from == one.to ? 2 : direct(instruction, one) ? 1 : 0; };
    if (!link || rank(candidate) > rank(*link)) link = candidate;
  }
  return link;
}

/// The number of loop trips in a throughput window. Short instructions get windows of thousands of cycles; long ones
/// and those that wait for memory get not much more. Instructions without a result need longer windows, because their
/// queues could absorb a short one.
int trips_for(const PtxInstruction& instruction, std::int64_t size) {
  constexpr std::array<std::string_view, 3> awaited{"atomic", "load", "mbarrier"};
  constexpr std::array<std::string_view, 6> queued{"async", "barrier", "cache", "fence", "reduction", "store"};
  const auto is_one = [&](const auto& kinds) { return contains(kinds, instruction.kind); };
  if (size > 32 || is_one(awaited)) return 2;
  return size > 8 || instruction.is_block() || is_one(queued) ? 4 : 8;
}

}  // namespace

std::string Experiment::name(const PtxInstruction& instruction) const {
  switch (question) {
    case Question::Isolated:
      return "isolated";
    case Question::Latency: {
      const auto asked = std::ranges::find(instruction.asked, links.front(), &AskedLink::link);
      if (asked != instruction.asked.end()) return asked->name;
      return (instruction.is_block() ? "iteration." : "latency.") + instruction.operands[links.front().to].name;
    }
    case Question::Throughput:
      return fmt::format("throughput.ilp{}", ilp);
  }
  return {};
}

bool direct(const PtxInstruction& instruction, Link link) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  return from.file == to.file && to.elements <= from.elements && (!to.address || chases(instruction, link));
}

bool chases(const PtxInstruction& instruction, Link link) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  // If a vector of bytes has each byte in a register, no element is a whole address.
  const bool pointer =
      bits(from.file) >= 32 && from.file != RegisterClass::B128 && to.access_bytes >= std::int64_t{4} * from.elements;
  return pointer && to.address && to.space != "const" && to.offset.empty() && instruction.kind == "load";
}

int read_elements(const PtxInstruction& instruction, Link link) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  // Each element of a constant is loaded by its own instruction. Merging all of them would make the waits unencoded.
  const bool apart = to.space == "const" && from.file != RegisterClass::B64;
  if (to.address && !chases(instruction, link) && !apart) return from.elements;
  return std::min(from.elements, to.elements);
}

bool in_place(const PtxInstruction& instruction, const Experiment& experiment) {
  if (experiment.links.empty()) return false;
  const Link link = experiment.links.front();
  // A block may write its result before it reads the source for the last time.
  return instruction.is_block() ? link.from == link.to : direct(instruction, link);
}

bool makes_constant(const PtxInstruction& instruction) {
  if (instruction.kind != "move" && instruction.kind != "load") return false;
  return std::ranges::all_of(instruction.operands, [](const Operand& operand) {
    if (operand.read) return false;
    if (operand.written) return true;
    return operand.address ? operand.space == "param"
                           : !operand.symbol.empty() || is_number(operand.immediate) || operand.immediate == "WARP_SZ";
  });
}

std::vector<Experiment> latency_experiments(const PtxInstruction& instruction) {
  std::vector<Link> links;
  if (!instruction.asked.empty()) {
    for (const AskedLink& one : instruction.asked) links.push_back(one.link);
  } else if (instruction.is_block()) {
    for (const std::size_t i : instruction.carried) links.push_back({i, i});
  } else {
    links = links_to_sources(instruction);
  }
  return mapped(links, [&](const Link link) { return Experiment{.question = Question::Latency, .links = {link}}; });
}

Experiment throughput_experiment(const PtxInstruction& instruction, std::int64_t size) {
  constexpr int chains = 4;
  Experiment experiment{.question = Question::Throughput, .ilp = chains, .trips = trips_for(instruction, size)};
  if (const std::optional<Link> link = throughput_link(instruction)) experiment.links = {*link};
  return experiment;
}

}  // namespace warpclock
