#include "inspect/difference/code_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

CodeDifference difference_of(const Instruction& a, const Instruction& b) {
  const Word first{a.low, a.high}, second{b.low, b.high};
  if (first == second) return CodeDifference::Same;
  if (with_control(first, {}) == with_control(second, {})) return CodeDifference::Control;
  return a.name() == b.name() ? CodeDifference::Operands : CodeDifference::Instructions;
}

std::string scoreboard_text(std::string_view name, int scoreboard) {
  return scoreboard < 0 ? std::string() : fmt::format(", {} {}", name, scoreboard);
}

/// "S2R R5, SR_TID.X [stall 7, write 0]"; empty past the end.
std::string line_of(const KernelInspection& kernel, std::size_t at) {
  if (at >= kernel.listing.size()) return {};
  const ListedInstruction& each = kernel.listing[at];
  return fmt::format("{} [stall {}{}{}{}{}]", each.text, each.stall, each.yield ? ", yield" : "",
                     scoreboard_text("write", each.write), scoreboard_text("read", each.read),
                     each.wait.empty() ? "" : ", wait " + each.wait);
}

const Listing& listing_of(const LoadedFile& file, const KernelInspection& kernel) {
  return std::ranges::find(file.kernels, kernel.name,
                           [](const LoadedKernel& each) -> const std::string& { return each.listing.kernel; })
      ->listing;
}

KernelDifference compared(const CodeComparison& all, const LoadedFile& first, const LoadedFile& second,
                          std::size_t before, std::size_t after) {
  KernelDifference out{.before = before, .after = after};
  const auto &a = listing_of(first, all.before.kernels[before]).instructions,
             &b = listing_of(second, all.after.kernels[after]).instructions;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const bool both = i < a.size() && i < b.size();
    const CodeDifference here = both ? difference_of(a[i], b[i]) : CodeDifference::Instructions;
    if (here == CodeDifference::Same) continue;
    ++out.differing;
    if (here <= out.difference) continue;
    out.difference = here;
    const auto address = static_cast<std::int64_t>(i < a.size() ? a[i].address : b[i].address);
    out.first = {address, line_of(all.before.kernels[before], i), line_of(all.after.kernels[after], i)};
  }
  return out;
}

/// Pairs what has the same key, if one kernel of each has it, and takes the pairs out of both lists.
template <class Key>
std::vector<std::pair<std::size_t, std::size_t>> paired(const CodeComparison& all, std::vector<std::size_t>& before,
                                                        std::vector<std::size_t>& after, const Key& key) {
  std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> by_key;
  for (const std::size_t i : before) by_key[key(all.before.kernels[i])].first.push_back(i);
  for (const std::size_t i : after) by_key[key(all.after.kernels[i])].second.push_back(i);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [name, both] : by_key) {
    if (both.first.size() != 1 || both.second.size() != 1) continue;
    pairs.emplace_back(both.first.front(), both.second.front());
    std::erase(before, both.first.front());
    std::erase(after, both.second.front());
  }
  return pairs;
}

std::vector<std::size_t> all_of(const Inspection& inspection) {
  std::vector<std::size_t> indices(inspection.kernels.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}

}  // namespace

std::string bare_name(const std::string& readable) {
  std::string name = replace_all(readable, "(anonymous namespace)::", "");
  name = name.substr(0, name.find_first_of("<("));
  return name.substr(name.rfind(' ') + 1);
}

Expected<CodeComparison> compare_code(const ComparedFile& before, const ComparedFile& after,
                                      const InspectOptions& options) {
  CodeComparison all;
  all.before = WARPCLOCK_TRY(inspect(before.name, before.file, options));
  all.after = WARPCLOCK_TRY(inspect(after.name, after.file, options));
  std::vector<std::size_t> first = all_of(all.before), second = all_of(all.after);
  auto pairs = paired(all, first, second, [](const KernelInspection& each) { return each.name; });
  auto near = paired(all, first, second, [](const KernelInspection& each) { return bare_name(each.readable); });
  pairs.insert(pairs.end(), near.begin(), near.end());
  if (!options.kernel.empty() && all.before.kernels.size() == 1 && all.after.kernels.size() == 1) {
    const auto only = paired(all, first, second, [](const KernelInspection&) { return std::string(); });
    pairs.insert(pairs.end(), only.begin(), only.end());
  }
  std::ranges::sort(pairs);
  for (const auto& [a, b] : pairs) all.kernels.push_back(compared(all, before.file, after.file, a, b));
  for (const std::size_t i : first) all.kernels.push_back({.before = i, .difference = CodeDifference::OnlyBefore});
  for (const std::size_t i : second) all.kernels.push_back({.after = i, .difference = CodeDifference::OnlyAfter});
  return all;
}

bool all_same(const CodeComparison& comparison) {
  return std::ranges::all_of(comparison.kernels,
                             [](const KernelDifference& each) { return each.difference == CodeDifference::Same; });
}

}  // namespace warpclock
