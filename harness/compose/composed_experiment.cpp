#include "compose/composed_experiment.hpp"

#include <algorithm>

#include "compose/hole_source.hpp"

namespace warpclock {

Expected<Experiment> composed_experiment(const Body& body, const PtxInstruction& instruction, const Experiment& plain) {
  constexpr int most_stall = 15, most_words = 200, most_quads = 18;
  constexpr int copies_of_a_chain = 5, chains = 4, short_words = 16;
  // No more than are needed: unused ones become no-operations, which the counters would count with the copies.
  int words = 0, registers = 0;
  for (const BodyWord& word : body.words) words += 1 + (word.interleaved ? 0 : (word.distance - 1) / most_stall);
  if (plain.question == Question::Latency) words += std::max(0, body.words.back().ready - 1) / most_stall;
  for (const Block& block : body.blocks) {
    if (block.written && block.file == RegisterFile::Vector) registers += std::max(block.registers, 2);
  }
  if (words > most_words) return fail("compose", "it is too long");
  Experiment experiment{.question = plain.question, .composed = true, .words = words};
  int copies = copies_of_a_chain;
  if (plain.question == Question::Latency) {
    experiment.links = plain.links;
    const Operand& to = instruction.operands[plain.links.front().to];
    const bool leads_on = to.address ? chases(instruction, plain.links.front()) : !to.steers;
    if (!leads_on) return fail("compose", "its result is no address");
  } else {
    experiment.ilp = words <= short_words ? chains : 1;
    copies = 2 * experiment.ilp;
  }
  experiment.quads = std::clamp(registers * copies / quad_registers + 2, 2, most_quads);
  return experiment;
}

std::vector<std::int64_t> composed_repeats(const Experiment& experiment) {
  constexpr int most_of_throughput = 192, most_of_latency = 640;
  const int most = experiment.question == Question::Throughput ? most_of_throughput : most_of_latency;
  const std::int64_t step = std::clamp(most / 3 / (experiment.words * experiment.ilp), 1, 8);
  return {step, 2 * step, 3 * step};
}

}  // namespace warpclock
