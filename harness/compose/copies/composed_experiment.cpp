#include <algorithm>
#include <string_view>

#include "code/pipe.hpp"
#include "compose/copies/banks.hpp"
#include "compose/copies/composing.hpp"
#include "compose/hole_source.hpp"

namespace warpclock {
namespace {

std::vector<std::int64_t> composed_repeats(const Experiment& experiment) {
  constexpr int most_of_throughput = 192, most_of_latency = 640;
  const int most = experiment.question == Question::Throughput ? most_of_throughput : most_of_latency;
  const std::int64_t step = std::clamp(most / 3 / (experiment.words * experiment.ilp), 1, 8);
  return {step, 2 * step, 3 * step};
}

}  // namespace

bool is_left_to_ptxas(const Body& body, const PtxInstruction& instruction, const Experiment& plain) {
  if (plain.question == Question::Latency) return !instruction.operands[plain.links.front().to].value.empty();
  const auto orders = [](const BodyWord& word) { return word.is_seen() && !word.accesses_memory(); };
  return instruction.kind != "store" && std::ranges::any_of(body.words, orders);
}

Expected<Experiment> composed_experiment(const Body& body, const Experiment& plain) {
  constexpr int most_stall = 15, most_words = 200;
  // Latencies are measured with one warp, throughputs with up to 32.
  constexpr int most_of_one_warp = 44, most_of_all = 18;
  constexpr int copies_of_a_chain = 5, copies_of_a_long_chain = 3, chains = 4, short_words = 16;
  // No more than are needed: unused ones become no-operations, which the counters would count with the copies.
  int words = 0, registers = 0, operands = 0;
  for (const BodyWord& word : body.words) words += 1 + (word.interleaved ? 0 : (word.distance - 1) / most_stall);
  if (plain.question == Question::Latency) words += std::max(0, body.words.back().ready - 1) / most_stall;
  for (const Block& block : body.blocks) {
    if (block.file != RegisterFile::Vector) continue;
    (block.written && !block.once ? registers : operands) += std::max(block.registers, banks);
  }
  if (words > most_words) return fail("compose", "it is too long");
  Experiment experiment{.question = plain.question, .composed = true, .words = words};
  int copies = words > short_words ? copies_of_a_long_chain : copies_of_a_chain;
  if (plain.question == Question::Latency) {
    experiment.links = plain.links;
  } else {
    // Two warps of a scheduler hide more of a trip's end the more copies it has (docs/findings.md).
    const auto is_tensor = [](const BodyWord& word) { return pipe_of(word.instruction.opcode) == "tensor"; };
    experiment.trips = std::ranges::any_of(body.words, is_tensor) ? 1 : plain.trips;
    experiment.ilp = words <= short_words ? chains : 1;
    copies = 2 * experiment.ilp;
  }
  const int most = plain.question == Question::Latency ? most_of_one_warp : most_of_all;
  const int quads = (registers * copies + operands) / quad_registers + 2;
  // One more for the count of a loop.
  if (quads >= most) experiment.trips = 1;
  experiment.quads = std::clamp(quads + (experiment.trips > 1 ? 1 : 0), 2, most);
  return experiment;
}

std::vector<std::int64_t> repeats_for(std::int64_t size, const Experiment& experiment) {
  if (experiment.composed) return composed_repeats(experiment);
  const std::int64_t instructions = size * experiment.ilp;
  if (experiment.question == Question::Throughput) {
    // With more copies, a larger part of the overhead of a loop trip is hidden.
    if (instructions <= 4) return {12, 24, 36};
    if (instructions <= 16) return {6, 12, 18};
    return {3, 6, 9};
  }
  if (instructions <= 4) return {6, 12, 24};
  if (instructions <= 16) return {6, 12, 18};
  if (instructions <= 64) return {3, 6, 12};
  return {3, 6, 9};
}

}  // namespace warpclock
