#include "compile/batch.hpp"

#include <algorithm>
#include <tuple>

#include "base/lookup.hpp"
#include "compile/generated.hpp"

namespace warpclock {
namespace {

constexpr std::size_t smallest = 8;
constexpr std::string_view generated = "generated";

/// Cases of one file are compiled together. Generated kernels, which all have files of their own, form one group.
std::string_view group_name(std::string_view kernel) { return is_generated(kernel) ? generated : kernel; }

/// How many kernels a module of the group should have. Each module must be loaded, so generated kernels, which are
/// small and similar, go into few large modules. The cost of other kernels differs by factors of ten and is not known
/// before they are compiled. The code that ptxas makes of a kernel may depend on the rest of its module, so other batch
/// sizes can give other code.
std::size_t wanted(std::string_view group, std::size_t kernels, unsigned threads) {
  const bool is_small = group == generated;
  const std::size_t modules = (is_small ? 1 : 4) * std::max<std::size_t>(threads, 1);
  return std::clamp<std::size_t>(kernels / modules, smallest, is_small ? 256 : 64);
}

/// Cuts a group into parts with about equal numbers of kernels, at least one case each.
void cut(const Batch& group, std::size_t parts, const std::vector<Case>& cases, std::vector<Batch>& into) {
  const std::size_t total = kernels_of(group, cases);
  std::size_t seen = 0, part = 0;
  Batch batch{group.target, {}};
  for (const std::size_t i : group.cases) {
    batch.cases.push_back(i);
    seen += cases[i].repeats.size();
    if (seen * parts >= total * (part + 1)) {
      into.push_back(std::move(batch));
      batch = {group.target, {}};
      part = seen * parts / total;
    }
  }
  if (!batch.cases.empty()) into.push_back(std::move(batch));
}

}  // namespace

std::size_t kernels_of(const Batch& batch, const std::vector<Case>& cases) {
  std::size_t count = 0;
  for (const std::size_t i : batch.cases) count += cases[i].repeats.size();
  return count;
}

std::vector<Batch> plan_batches(const std::vector<Order>& orders, const std::vector<Case>& cases, unsigned threads) {
  std::vector<Batch> groups;
  std::map<std::tuple<std::string_view, Arch, bool>, std::size_t> group_of;
  std::size_t total = 0;
  for (const Order& order : orders) {
    const auto [at, added] = group_of.try_emplace(
        {group_name(cases[order.index].kernel), order.target.arch, order.target.is_ptx}, groups.size());
    if (added) groups.push_back({order.target, {}});
    groups[at->second].cases.push_back(order.index);
    total += cases[order.index].repeats.size();
  }
  std::vector<Batch> batches;
  for (const Batch& group : groups) {
    const std::size_t kernels = kernels_of(group, cases);
    const std::size_t each = wanted(group_name(cases[group.cases.front()].kernel), total, threads);
    cut(group, std::max<std::size_t>(1, (kernels + each - 1) / each), cases, batches);
  }
  std::ranges::stable_sort(batches, std::greater{}, [&](const Batch& b) { return kernels_of(b, cases); });
  return batches;
}

std::vector<Batch> halves(const Batch& batch) {
  const auto middle = batch.cases.begin() + static_cast<std::ptrdiff_t>(batch.cases.size() / 2);
  return {{batch.target, {batch.cases.begin(), middle}}, {batch.target, {middle, batch.cases.end()}}};
}

std::vector<Batch> singles(const Batch& batch) {
  return mapped(batch.cases, [&](const std::size_t i) { return Batch{batch.target, {i}}; });
}

std::map<std::string, std::string_view> sections_of(std::string_view disassembly) {
  // "//--------------------- .text.c0_n16              --------------------------"
  constexpr std::string_view rule = "\n//-----", section = " .text.";
  std::map<std::string, std::string_view> sections;
  std::string name;
  std::size_t from = 0;
  while (from < disassembly.size()) {
    const auto next = std::min(disassembly.find(rule, from), disassembly.size());
    sections[name] = disassembly.substr(from, next - from);
    from = next + 1;
    const auto line = disassembly.substr(std::min(from, disassembly.size()), disassembly.find('\n', from) - from);
    const auto at = line.find(section);
    const auto rest = at == line.npos ? std::string_view{} : line.substr(at + section.size());
    name = rest.empty() ? "(other)" : std::string(rest.substr(0, rest.find(' ')));
  }
  return sections;
}

}  // namespace warpclock
