#include "compose/copies/banks.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace warpclock {
namespace {

/// The first register of each vector source of a word.
std::set<BodyRegister> sources_of(const Body& body, const BodyWord& word) {
  std::set<BodyRegister> sources;
  const int results = word.results();
  for (std::size_t i = 0; i < word.numerals.size(); ++i) {
    const auto& reg = word.numerals[i];
    if (!reg || word.form->skeleton.numerals[i].operand < results) continue;
    if (body.blocks[reg->block].file == RegisterFile::Vector) sources.insert(*reg);
  }
  return sources;
}

class BankChoice {
 public:
  BankChoice(const Body& body, std::optional<Link> link)
      : body_(body), alone_(link.has_value()), group_(body.blocks.size()) {
    std::iota(group_.begin(), group_.end(), 0);
    for (const Block& block : body.blocks) banks_.push_back(block.first);
    if (link) tie(*link);
    for (const BodyWord& word : body.words) reads_.push_back(sources_of(body, word));
  }

  std::vector<int> choose() {
    bool better = true;
    while (better) {
      better = false;
      for (std::size_t i = 0; i < body_.blocks.size(); ++i) {
        if (!is_free(i)) continue;
        const auto before = cost();
        flip(group_[i]);
        if (cost() < before) {
          better = true;
        } else {
          flip(group_[i]);
        }
      }
    }
    return banks_;
  }

 private:
  [[nodiscard]] bool is_single(std::size_t block) const {
    return body_.blocks[block].file == RegisterFile::Vector && body_.blocks[block].registers == 1;
  }

  /// Whether all blocks of its group are single registers.
  [[nodiscard]] bool is_free(std::size_t block) const {
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (group_[i] == group_[block] && !is_single(i)) return false;
    }
    return true;
  }

  void tie(Link link) {
    for (const auto& [element, all] : body_.sources) {
      const auto result = body_.results.find({link.from, element.second});
      if (element.first != link.to || result == body_.results.end()) continue;
      for (std::size_t i = 0; i < std::min(all.size(), result->second.size()); ++i) {
        const std::size_t source = all[i].block, from = result->second[i].block;
        std::ranges::replace(group_, group_[from], group_[source]);
        if (is_single(from)) banks_[from] = banks_[source];
      }
    }
  }

  void flip(std::size_t group) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (group_[i] == group) ++banks_[i];
    }
  }

  /// First the registers that words read from one bank beyond what they would read from each. Where copies overlap,
  /// then by how much one bank is read more than the other.
  [[nodiscard]] std::pair<int, int> cost() const {
    int conflicts = 0;
    std::array<int, banks> total{};
    for (const std::set<BodyRegister>& sources : reads_) {
      std::array<int, banks> read{};
      for (const BodyRegister reg : sources) {
        ++read[static_cast<std::size_t>(banks_[reg.block] + reg.index - body_.blocks[reg.block].first) % banks];
      }
      conflicts += std::ranges::max(read) - static_cast<int>(sources.size() + banks - 1) / banks;
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += read[i];
    }
    return {conflicts, alone_ ? 0 : std::ranges::max(total) - std::ranges::min(total)};
  }

  const Body& body_;
  const bool alone_;                ///< the copies of a chain do not overlap
  std::vector<std::size_t> group_;  ///< by block; those of one group are in one bank
  std::vector<int> banks_;
  std::vector<std::set<BodyRegister>> reads_;  ///< by word: the first register of each source
};

}  // namespace

bool is_read_with_others(const Body& body, std::size_t block) {
  return std::ranges::any_of(body.words, [&](const BodyWord& word) {
    const auto sources = sources_of(body, word);
    return sources.size() > 1 && std::ranges::any_of(sources, [&](BodyRegister reg) { return reg.block == block; });
  });
}

bool waits_for_banks(const Body& body, const BodyWord& word) {
  constexpr int most_registers = 2;
  const auto sources = sources_of(body, word);
  return sources.size() > banks && std::ranges::all_of(sources, [&](BodyRegister reg) {
           return body.blocks[reg.block].registers <= most_registers;
         });
}

std::vector<int> banks_of(const Body& body, std::optional<Link> link) { return BankChoice(body, link).choose(); }

}  // namespace warpclock
