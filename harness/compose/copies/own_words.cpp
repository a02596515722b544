#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compose/copies/composing.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {
namespace {

class OwnWords {
 public:
  OwnWords(Body body, std::optional<Link> link)
      : body_(std::move(body)), link_(link), needed_(body_.words.size()), kept_(needed_) {
    pass_moves();
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
  auto own = OwnWords(body, link).read();
  // What reads no operand can only be repeated as a whole.
  return own || !body.sources.empty() ? std::move(own) : std::move(body);
}

}  // namespace warpclock
