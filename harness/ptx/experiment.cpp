#include "ptx/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  return from.file == to.file && to.elements <= from.elements;
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
    const Operand& to = instruction.operands[latency.links.front().to];
    if (!link && !to.address && direct(instruction, latency.links.front())) link = latency.links.front();
  }
  const bool results = std::ranges::any_of(instruction.operands, is_result);
  std::vector<Experiment> experiments;
  for (const int ilp : ilps) {
    // The first of two equal stores is dead.
    Experiment one{
        .question = Question::Throughput, .ilp = ilp, .guarded = (results && !link) || instruction.kind == "store"};
    if (link) one.links.push_back(*link);
    experiments.push_back(std::move(one));
  }
  return experiments;
}

}  // namespace warpclock
