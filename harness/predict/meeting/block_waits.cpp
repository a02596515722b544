#include "predict/meeting/block_waits.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "base/lookup.hpp"

namespace warpclock {

BlockWaits::Block& BlockWaits::of(std::uint64_t number) {
  const auto [at, added] = by_number_.try_emplace(number, blocks_.size());
  if (added) blocks_.emplace_back();
  return blocks_[at->second];
}

void BlockWaits::ran(std::uint64_t block, std::uint32_t first, std::uint32_t last) {
  ++of(block).parts.back()[{first, last}];
}

void BlockWaits::stored(std::uint64_t block) {
  Block& one = of(block);
  one.stores.push_back(one.parts.size());
  one.parts.emplace_back();
}

void BlockWaits::looked(std::uint64_t block, std::uint64_t other, std::uint64_t number) {
  Block& one = of(block);
  const std::size_t* const at = value_at(by_number_, other);
  if (at == nullptr) return;
  one.looks.push_back({one.parts.size(), *at, number});
  one.parts.emplace_back();
  any_ = true;
}

std::uint64_t BlockWaits::instructions(std::uint64_t block) const {
  const std::size_t* const at = value_at(by_number_, block);
  std::uint64_t sum = 0;
  if (at == nullptr) return sum;
  for (const Runs& part : blocks_[*at].parts) {
    for (const auto& [run, times] : part) sum += times * (run.second - run.first + 1);
  }
  return sum;
}

/// Cycles until the last block has ended, with those before each instruction.
double BlockWaits::length(const Pace& pace, const std::vector<double>& before, bool waits) const {
  std::vector<std::vector<double>> ends(blocks_.size());  // of the parts of each block
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (std::uint64_t slot = 0; slot < pace.slots; ++slot) free.push(0);
  double last = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    double now = free.top();
    free.pop();
    auto look = block.looks.begin();
    for (std::size_t part = 0; part < block.parts.size(); ++part) {
      for (; waits && look != block.looks.end() && look->at == part; ++look) {
        // Of blocks that wait for each other, one is not known yet.
        const auto& stores = blocks_[look->other].stores;
        const std::size_t stored = look->number < stores.size() ? stores[look->number] : 0;
        if (stored > 0 && stored <= ends[look->other].size())
          now = std::max(now, ends[look->other][stored - 1] + pace.handed);
      }
      for (const auto& [run, times] : block.parts[part])
        now += static_cast<double>(times) * (before[run.second + 1] - before[run.first]) / pace.warps;
      ends[b].push_back(now);
    }
    free.push(now);
    last = std::max(last, now);
  }
  return last;
}

double BlockWaits::longer(const Pace& pace) const {
  std::vector<double> before(pace.cycles.size() + 1);
  std::partial_sum(pace.cycles.begin(), pace.cycles.end(), before.begin() + 1);
  const double without = length(pace, before, false);
  return without > 0 ? length(pace, before, true) / without : 1;
}

}  // namespace warpclock
