#include "ptx/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "ptx/number.hpp"

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

/// Sources that may have any value.
std::vector<std::size_t> values(const PtxInstruction& instruction) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool any = operand.file != RegisterClass::Predicate && operand.file != RegisterClass::B128;
    if (operand.read && !operand.address && !operand.steers && operand.immediate.empty() && any) {
      all.push_back(i);
    }
  }
  return all;
}

/// The order of the two interposed operations.
std::array<Trick, 2> weaves(bool adds_first) {
  if (adds_first) return {Trick::WovenAdd, Trick::WovenMajority};
  return {Trick::WovenMajority, Trick::WovenAdd};
}

/// If every statement lies between the source and the result, all of them depend on the link and copies share nothing.
bool needs_helpers(const PtxInstruction& instruction) {
  return instruction.asked.empty() || !instruction.asked.front().through_all;
}

/// Whether it is an address or a register from which one is computed.
bool is_kept_exact(const Operand& operand) { return operand.address || operand.steers; }

std::vector<Experiment> latencies(const PtxInstruction& instruction, Link link, bool multiplies, bool several) {
  std::vector<Trick> tricks{Trick::None};
  const bool block = instruction.is_block(), whole = needs_helpers(instruction);
  const bool exact = is_kept_exact(instruction.operands[link.to]);
  const bool refresh = block || (several && !exact);
  if (refresh && whole) tricks.push_back(Trick::Refreshed);
  // A value that leads to an address must not be changed.
  if (!exact) {
    for (const Trick weave : weaves(multiplies)) tricks.push_back(weave);
    if (several && !block && whole) tricks.push_back(Trick::RefreshedMajority);
  }
  // If there is another way, tricks with helper instructions come last.
  if (refresh && !whole) tricks.push_back(Trick::Refreshed);
  if (several && !block && !exact && !whole) tricks.push_back(Trick::RefreshedMajority);
  if (!instruction.guarded) tricks.push_back(Trick::Guarded);
  std::vector<Experiment> all;
  for (const Trick trick : tricks) all.push_back({.question = Question::Latency, .links = {link}, .trick = trick});
  return all;
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
  const auto is_one = [&](const auto& kinds) { return std::ranges::find(kinds, instruction.kind) != kinds.end(); };
  if (size > 32 || is_one(awaited)) return 2;
  return size > 8 || instruction.is_block() || is_one(queued) ? 4 : 8;
}

/// Sorted from windows that hold only copies to those that hold mixtures.
std::vector<Experiment> throughputs(const PtxInstruction& instruction, bool multiplies, std::int64_t size) {
  constexpr int chains = 4;
  const std::optional<Link> link = throughput_link(instruction);
  const bool several = size > 1;
  std::vector<Experiment> all;
  const auto add = [&](Trick trick, int ilp) {
    Experiment& one = all.emplace_back();
    one.question = Question::Throughput;
    one.ilp = ilp;
    one.trips = trips_for(instruction, size);
    one.trick = trick;
    if (link) one.links.push_back(*link);
  };
  if (!link && instruction.is_block()) {
    add(Trick::Refreshed, chains);
    if (!instruction.guarded) add(Trick::Guarded, chains);
    return all;
  }
  if (!link) {
    const bool results = std::ranges::any_of(instruction.operands, is_result);
    // The first of two equal stores is dead code.
    if ((!results && instruction.kind != "store") || instruction.guarded) {
      add(Trick::None, chains);
      if (!values(instruction).empty()) add(Trick::Refreshed, 1);
    }
    if (!instruction.guarded) add(Trick::Guarded, chains);
    if (results) add(Trick::Gathered, chains);
    return all;
  }
  add(Trick::None, chains);
  if (const auto copies = spread_copies_of(instruction, *link)) add(Trick::Spread, copies->at_a_time);
  // The compiler may pack two chains of a warp into one instruction. A single chain cannot be packed, and many warps
  // make up for it.
  add(Trick::None, 1);
  if (several || instruction.is_block()) add(Trick::Refreshed, chains);
  for (const Trick weave : weaves(!multiplies)) add(weave, chains);
  if (several && !instruction.is_block()) add(Trick::RefreshedMajority, chains);
  if (!instruction.guarded) add(Trick::Guarded, chains);
  return all;
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

bool is_woven(Trick trick) { return trick == Trick::WovenMajority || trick == Trick::WovenAdd; }

bool is_refreshed(Trick trick) { return trick == Trick::Refreshed || trick == Trick::RefreshedMajority; }

bool in_place(const PtxInstruction& instruction, const Experiment& experiment) {
  if (experiment.links.empty() || is_woven(experiment.trick)) return false;
  const Link link = experiment.links.front();
  // A block may write its result before it reads the source for the last time.
  return instruction.is_block() ? link.from == link.to : direct(instruction, link);
}

std::vector<std::size_t> refreshed_sources(const PtxInstruction& instruction, const Experiment& experiment) {
  std::vector<std::size_t> sources;
  const bool woven = instruction.is_block() && needs_helpers(instruction) && is_woven(experiment.trick);
  if (!is_refreshed(experiment.trick) && !woven) return sources;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool linked = !experiment.links.empty() && experiment.links.front().to == i;
    if (!operand.read || linked || !operand.immediate.empty()) continue;
    const bool fits =
        instruction.is_block() ? operand.address || !operand.written : !operand.address && !operand.written;
    const bool has_bytes = operand.file != RegisterClass::Predicate && operand.file != RegisterClass::B128;
    if (fits && has_bytes) sources.push_back(i);
  }
  return sources;
}

std::vector<std::size_t> kept_results(const PtxInstruction& instruction, const Experiment& experiment) {
  std::vector<std::size_t> kept;
  const bool copies = experiment.question != Question::Isolated && experiment.trick != Trick::Guarded;
  const bool whole = needs_helpers(instruction) || is_refreshed(experiment.trick);
  if (!instruction.is_block() || !copies || !whole) return kept;
  const Link* const link = experiment.links.empty() ? nullptr : &experiment.links.front();
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!is_result(operand) || (link && link->from == i)) continue;
    if (!operand.read || (link && link->to == i)) kept.push_back(i);
  }
  return kept;
}

std::string_view name(Trick trick) {
  constexpr std::array<std::string_view, 8> names{"",          "spread",         "woven LOP3", "woven FADD",
                                                  "refreshed", "refreshed LOP3", "guarded",    "gathered"};
  return names[static_cast<std::size_t>(trick)];
}

std::optional<Experiment> next_experiment(const PtxInstruction& instruction, const Experiment& tried, bool multiplies,
                                          std::int64_t size) {
  const std::vector<Experiment> all = tried.question == Question::Throughput
                                          ? throughputs(instruction, multiplies, size)
                                          : latencies(instruction, tried.links.front(), multiplies, size > 1);
  const auto at = std::ranges::find(all, tried);
  return at == all.end() || at + 1 == all.end() ? std::nullopt : std::optional(at[1]);
}

std::optional<SpreadCopies> spread_copies_of(const PtxInstruction& instruction, Link link) {
  const auto words = [](const Operand& operand) { return operand.elements * std::max(1, bits(operand.file) / 32); };
  if (instruction.is_block()) return std::nullopt;
  int needed = 0;
  for (const Operand& operand : instruction.operands) {
    if (!is_result(operand)) continue;
    if (operand.read || operand.file == RegisterClass::Predicate) return std::nullopt;
    needed += words(operand);
  }
  if (!direct(instruction, link)) needed += words(instruction.operands[link.to]);
  // With sixteen warps a thread has 128 registers.
  constexpr int most_words = 72, fewest_copies = 9;
  const int copies = most_words / std::max(1, needed);
  if (copies < fewest_copies) return std::nullopt;
  return SpreadCopies{copies / 3, {1, 2, 3}};
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
  std::vector<Experiment> experiments;
  for (const Link link : links) experiments.push_back({.question = Question::Latency, .links = {link}});
  return experiments;
}

Experiment throughput_experiment(const PtxInstruction& instruction, bool multiplies, std::int64_t size) {
  return throughputs(instruction, multiplies, size).front();
}

}  // namespace warpclock
