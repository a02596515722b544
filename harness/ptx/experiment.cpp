#include "ptx/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace warpclock {
namespace {

bool is_result(const Operand& operand) { return operand.written && operand.immediate.empty() && !operand.address; }

/// A source that a result can reach. Through an address only loads are chained: what a store or an atomic does to
/// memory would have to be a pointer.
bool is_source(const PtxInstruction& instruction, const Operand& operand) {
  if (!operand.read || !operand.immediate.empty()) return false;
  return !operand.address || instruction.kind == "load" || instruction.kind == "matrix-load";
}

std::optional<Link> link_to(const PtxInstruction& instruction, std::size_t to) {
  std::optional<Link> found;
  for (std::size_t from = 0; from < instruction.operands.size(); ++from) {
    if (!is_result(instruction.operands[from])) continue;
    if (direct(instruction, {from, to})) return Link{from, to};
    if (!found) found = Link{from, to};
  }
  return found;
}

bool has_values(const PtxInstruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.read && !operand.address && operand.immediate.empty() && operand.file != RegisterClass::Predicate;
  });
}

}  // namespace

std::string Experiment::name(const PtxInstruction& instruction) const {
  switch (question) {
    case Question::Isolated:
      return "isolated";
    case Question::Latency:
      return "latency." + instruction.operands[links.front().to].name;
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
  // Of a vector of bytes, each in a register, no element is a whole address.
  const bool pointer =
      bits(from.file) >= 32 && from.file != RegisterClass::B128 && to.access_bytes >= std::int64_t{4} * from.elements;
  return pointer && to.address && to.space != "const" && to.offset.empty() && instruction.kind == "load";
}

int read_elements(const PtxInstruction& instruction, Link link) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  // Constants are loaded by an instruction for each element: where they meet, the waits are not encoded.
  const bool apart = to.space == "const" && from.file != RegisterClass::B64;
  if (to.address && !chases(instruction, link) && !apart) return from.elements;
  return std::min(from.elements, to.elements);
}

bool is_woven(Trick trick) { return trick == Trick::WovenMajority || trick == Trick::WovenAdd; }

bool is_refreshed(Trick trick) { return trick == Trick::Refreshed || trick == Trick::RefreshedMajority; }

bool in_place(const PtxInstruction& instruction, const Experiment& experiment) {
  return !experiment.links.empty() && !is_woven(experiment.trick) && direct(instruction, experiment.links.front());
}

std::string_view name(Trick trick) {
  constexpr std::array<std::string_view, 7> names{"",        "woven LOP3", "woven FADD", "refreshed", "refreshed LOP3",
                                                  "guarded", "gathered"};
  return names[static_cast<std::size_t>(trick)];
}

std::optional<Trick> next_trick(const PtxInstruction& instruction, const Experiment& tried, bool multiplies,
                                bool several) {
  const bool gathers = tried.links.empty() && std::ranges::any_of(instruction.operands, is_result);
  if (tried.trick == Trick::Guarded && gathers) return Trick::Gathered;
  if (tried.trick == Trick::Guarded || tried.trick == Trick::Gathered) return std::nullopt;
  // A value on its way to an address must arrive as it is.
  if (tried.links.empty() || instruction.operands[tried.links.front().to].address) {
    return tried.trick == Trick::None && has_values(instruction) ? Trick::Refreshed : Trick::Guarded;
  }
  const bool latency = tried.question == Question::Latency;
  const Trick first = latency == multiplies ? Trick::WovenAdd : Trick::WovenMajority;
  const Trick second = first == Trick::WovenMajority ? Trick::WovenAdd : Trick::WovenMajority;
  if (tried.trick == Trick::None && several) return Trick::Refreshed;
  if (tried.trick == Trick::None || tried.trick == Trick::Refreshed) return first;
  if (tried.trick == first) return second;
  return tried.trick == second && several ? Trick::RefreshedMajority : Trick::Guarded;
}

std::vector<Experiment> latency_experiments(const PtxInstruction& instruction) {
  std::vector<Experiment> experiments;
  for (std::size_t to = 0; to < instruction.operands.size(); ++to) {
    if (!is_source(instruction, instruction.operands[to])) continue;
    if (const auto link = link_to(instruction, to)) {
      experiments.push_back({.question = Question::Latency, .links = {*link}});
    }
  }
  return experiments;
}

std::vector<Experiment> throughput_experiments(const PtxInstruction& instruction, const std::vector<int>& ilps) {
  std::optional<Link> link;
  for (const Experiment& latency : latency_experiments(instruction)) {
    const Link candidate = latency.links.front();
    if (instruction.operands[candidate.to].address) continue;
    if (!link || (!direct(instruction, *link) && direct(instruction, candidate))) link = candidate;
  }
  Trick trick = Trick::None;
  if (link && !direct(instruction, *link)) trick = Trick::WovenAdd;
  const bool results = std::ranges::any_of(instruction.operands, is_result);
  // The first of two equal stores is dead.
  if (!link && (results || instruction.kind == "store")) trick = Trick::Guarded;
  // A chain of one is a latency's, at more warps.
  const bool chained = link && direct(instruction, *link);
  std::vector<Experiment> experiments;
  for (const int ilp : ilps) {
    Experiment one{.question = Question::Throughput, .links = {}, .ilp = ilp, .trick = trick};
    if (chained && ilp == 1) continue;
    if (link) one.links.push_back(*link);
    experiments.push_back(std::move(one));
  }
  return experiments;
}

}  // namespace warpclock
