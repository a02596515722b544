#include "compose/copies/composing.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "code/semantics.hpp"
#include "compose/copies/banks.hpp"
#include "compose/hole_source.hpp"
#include "ptx/experiment/experiment.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {
namespace {

class OwnWords {
 public:
  /// `pass`: whether what reads a moved value reads it where it was.
  OwnWords(Body body, std::optional<Link> link, bool pass)
      : body_(std::move(body)), link_(link), needed_(body_.words.size()), kept_(needed_) {
    if (pass) pass_moves();
    for (const BodyWord& word : body_.words) flow_.push_back(flow_of(word));
  }

  Expected<Body> read() {
    find_needed();
    find_kept();
    split();
    if (body_.words.empty()) return fail("compose", "no result depends on an operand");
    number_blocks();
    return std::move(body_);
  }

 private:
  /// Blocks that a word reads and writes.
  struct Flow {
    std::vector<std::size_t> reads, writes;
  };

  static Flow flow_of(const BodyWord& word) {
    const Effects effects = effects_of(word.instruction);
    const int results = word.results();
    Flow flow;
    for (std::size_t i = 0; i < word.numerals.size(); ++i) {
      if (!word.numerals[i]) continue;
      const int operand = word.form->skeleton.numerals[i].operand;
      const std::size_t block = word.numerals[i]->block;
      const bool result = operand >= 0 && operand < results;
      (result ? flow.writes : flow.reads).push_back(block);
      // What a guard or a condition leaves alone stays as it was.
      if (result && (effects.conditional || !effects.guard.empty())) flow.reads.push_back(block);
    }
    return flow;
  }

  /// Registers are chosen for each copy, so a value need not be moved to where ptxas wanted it: what reads the moved
  /// one reads the first one.
  void pass_moves() {
    for (std::size_t i = 0; i < body_.words.size(); ++i) {
      const auto move = move_of(body_.words[i]);
      if (!move) continue;
      const auto [from, to] = *move;
      const auto writes = [&](std::size_t word, std::size_t block) {
        const Flow flow = flow_of(body_.words[word]);
        return std::ranges::find(flow.writes, block) != flow.writes.end();
      };
      bool once = true;
      for (std::size_t k = 0; k < body_.words.size(); ++k) {
        once = once && (k == i || !writes(k, to.block)) && (k <= i || !writes(k, from.block));
      }
      if (!once) continue;
      const auto rename = [&](BodyRegister& reg) {
        if (reg == to) reg = from;
      };
      for (BodyWord& word : body_.words) {
        for (auto& reg : word.numerals) {
          if (reg && &word != &body_.words[i]) rename(*reg);
        }
      }
      for (auto& [element, all] : body_.results) std::ranges::for_each(all, rename);
    }
  }

  /// Where a move takes a value from, and where to, if both are single vector registers that nothing keeps together
  /// with others.
  [[nodiscard]] std::optional<std::pair<BodyRegister, BodyRegister>> move_of(const BodyWord& word) const {
    const auto& operands = word.instruction.operands;
    const bool plain = kind_of(word.instruction) == "move" && word.instruction.predicate.empty() &&
                       std::ranges::none_of(operands, [](const std::string& one) { return one.starts_with('-'); });
    if (!plain) return std::nullopt;
    const Flow flow = flow_of(word);
    if (flow.reads.size() != 1 || flow.writes.size() != 1) return std::nullopt;
    std::optional<BodyRegister> from, to;
    for (const auto& reg : word.numerals) {
      if (!reg) continue;
      (reg->block == flow.writes.front() ? to : from) = *reg;
    }
    const auto is_single = [&](BodyRegister reg) { return body_.blocks[reg.block].registers == 1; };
    const auto is_vector = [&](BodyRegister reg) { return body_.blocks[reg.block].file == RegisterFile::Vector; };
    if (!from || !to || !is_single(*to) || !is_vector(*from) || !is_vector(*to)) return std::nullopt;
    return std::pair(*from, *to);
  }

  static bool meet(const std::vector<std::size_t>& blocks, const std::vector<bool>& marked) {
    return std::ranges::any_of(blocks, [&](std::size_t block) { return marked[block]; });
  }
  static bool mark(const std::vector<std::size_t>& blocks, std::vector<bool>& marked) {
    bool changed = false;
    for (const std::size_t block : blocks) {
      changed = changed || !marked[block];
      marked[block] = true;
    }
    return changed;
  }

  /// Words on which the result that the next copy reads depends, and those that other instructions see.
  void find_needed() {
    std::vector<bool> read(body_.blocks.size());
    for (const auto& [element, all] : body_.results) {
      if (link_ && element.first != link_->from) continue;
      for (const BodyRegister reg : all) read[reg.block] = true;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < flow_.size(); ++i) {
        if (needed_[i] || (!body_.words[i].is_seen() && !meet(flow_[i].writes, read))) continue;
        needed_[i] = changed = true;
        mark(flow_[i].reads, read);
      }
    }
  }

  /// Of these, the words that depend on what the copy before computed, and those that other instructions see.
  void find_kept() {
    std::vector<bool> differs(body_.blocks.size());
    for (const auto& [element, all] : body_.sources) {
      if (link_ && element.first != link_->to) continue;
      for (const BodyRegister reg : all) differs[reg.block] = true;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < flow_.size(); ++i) {
        const Flow& flow = flow_[i];
        // ptxas puts three loads that nothing reads before the first LDGSTS of a kernel.
        const bool idle = body_.words[i].instruction.opcode == "LDS" && flow.writes.empty();
        const bool seen = body_.words[i].is_seen() && !idle;
        const bool keep = seen || meet(flow.reads, differs) || meet(flow.writes, differs);
        if (kept_[i] || !needed_[i] || !keep) continue;
        kept_[i] = changed = true;
        mark(flow.writes, differs);
      }
    }
  }

  void split() {
    std::vector<std::optional<std::size_t>> place(body_.words.size());
    std::vector<BodyWord> words;
    for (std::size_t i = 0; i < body_.words.size(); ++i) {
      BodyWord& word = body_.words[i];
      if (kept_[i]) {
        std::vector<std::size_t> after;
        for (const std::size_t earlier : word.after) {
          if (place[earlier]) after.push_back(*place[earlier]);
        }
        word.after = std::move(after);
        place[i] = words.size();
        words.push_back(std::move(word));
        continue;
      }
      if (!words.empty()) {
        words.back().distance += word.distance;
        words.back().interleaved = true;
      }
      word.after.clear();
      if (needed_[i]) body_.before.push_back(std::move(word));
    }
    body_.words = std::move(words);
  }

  /// Blocks that no word uses any more take no registers.
  void number_blocks() {
    std::vector<std::optional<std::size_t>> number(body_.blocks.size());
    std::vector<Block> blocks;
    const auto renumber = [&](BodyRegister& reg) {
      auto& known = number[reg.block];
      if (!known) {
        known = blocks.size();
        blocks.push_back(body_.blocks[reg.block]);
        blocks.back().written = false;
      }
      reg.block = *known;
    };
    for (auto* words : {&body_.before, &body_.words}) {
      for (BodyWord& word : *words) {
        for (auto& reg : word.numerals) {
          if (reg) renumber(*reg);
        }
      }
    }
    for (auto* elements : {&body_.sources, &body_.results}) {
      std::erase_if(*elements, [&](const auto& one) {
        const bool linked = !link_ || one.first.first == (elements == &body_.sources ? link_->to : link_->from);
        return !linked &&
               !std::ranges::any_of(one.second, [&](BodyRegister reg) { return number[reg.block].has_value(); });
      });
      for (auto& [element, all] : *elements) std::ranges::for_each(all, renumber);
    }
    if (body_.descriptor) {
      BodyRegister reg{*body_.descriptor, 0};
      renumber(reg);
      body_.descriptor = reg.block;
    }
    body_.blocks = std::move(blocks);
    for (const BodyWord& word : body_.before) {
      for (const std::size_t block : flow_of(word).writes) body_.blocks[block].once = true;
    }
    for (const BodyWord& word : body_.words) {
      for (const std::size_t block : flow_of(word).writes) body_.blocks[block].written = true;
    }
  }

  Body body_;
  const std::optional<Link> link_;
  std::vector<Flow> flow_;           ///< by word of the body as it was
  std::vector<bool> needed_, kept_;  ///< by word as well
};

}  // namespace

Expected<Body> own_words(Body body, std::optional<Link> link) {
  auto own = OwnWords(body, link, true).read();
  // Its moves are all that it is.
  if (!own) own = OwnWords(body, link, false).read();
  // What reads no operand can only be repeated as a whole.
  return own || !body.sources.empty() ? std::move(own) : std::move(body);
}

namespace {

/// Appends a word that reads and writes these registers, in the order of the form's register numerals.
void append(Body& body, const WordForm& form, const std::vector<BodyRegister>& registers, const KnownForms& forms) {
  constexpr int enough = 15;  // the schedule takes what the result needs
  body.words.back().distance = enough;
  body.words.back().interleaved = true;
  BodyWord& word = body.words.emplace_back();
  word.form = &form;
  word.word = with_control(form.word, {});
  word.instruction = parse_instruction(text_of(form.skeleton)).value();
  word.ready = forms.ready(word.instruction);
  word.numerals.resize(form.skeleton.numerals.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < word.numerals.size() && next < registers.size(); ++i) {
    const Numeral& numeral = form.skeleton.numerals[i];
    if (!numeral.last && numeral.kind <= Numeral::Kind::UniformPredicate) word.numerals[i] = registers[next++];
  }
}

}  // namespace

Expected<Body> linked_body(Body body, const PtxInstruction& instruction, Link link, const KnownForms& forms) {
  const Operand& to = instruction.operands[link.to];
  if (!to.address && to.steers) return fail("compose", "its result is no address");
  const auto operand = body.sources.find({link.to, 0});
  const auto result = body.results.find({link.from, 0});
  if (operand == body.sources.end() || result == body.results.end()) return body;
  const BodyRegister reads = operand->second.front(), writes = result->second.front();
  const RegisterFile from = body.blocks[writes.block].file, into = body.blocks[reads.block].file;
  const Movers& movers = forms.movers();
  if (to.address && !chases(instruction, link)) {
    // What is loaded is zero; other results may be anything.
    if (instruction.kind != "load" || movers.adders.empty() || from != RegisterFile::Vector ||
        into != RegisterFile::Vector)
      return fail("compose", "its result is no address");
    append(body, *movers.adders.front().form, {reads, reads, writes}, forms);
  } else if (from == into && chases(instruction, link) && result->second.size() < operand->second.size()) {
    append(body, *movers.vector.form, {reads, writes}, forms);  // what is loaded is the low half of the next address
  } else if (from == into) {
    return body;
  } else if (from == RegisterFile::Predicate && into == RegisterFile::Vector && movers.from_predicate) {
    append(body, *movers.from_predicate.form, {reads, reads, writes}, forms);
  } else if (from == RegisterFile::Vector && into == RegisterFile::Predicate && movers.to_predicate) {
    append(body, *movers.to_predicate.form, {reads, writes}, forms);
  } else {
    return fail("compose", "its result is in another register file than its operand");
  }
  body.blocks[reads.block].written = true;
  for (const auto& [element, all] : std::map(body.sources)) {
    if (element.first == link.to) body.results[{link.from, element.second}] = all;
  }
  return body;
}

namespace {

std::vector<std::int64_t> composed_repeats(const Experiment& experiment) {
  constexpr int most_of_throughput = 192, most_of_latency = 640;
  const int most = experiment.question == Question::Throughput ? most_of_throughput : most_of_latency;
  const std::int64_t step = std::clamp(most / 3 / (experiment.words * experiment.ilp), 1, 8);
  return {step, 2 * step, 3 * step};
}

}  // namespace

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
