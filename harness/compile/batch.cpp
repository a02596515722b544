#include "compile/batch.hpp"

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "base/lookup.hpp"
#include "code/toolkit.hpp"
#include "compile/sources.hpp"

namespace warpclock {
namespace {

/// Module bytes from which on nvdisasm spends as long on the new instructions as on its own start.
constexpr std::size_t worth_a_start = std::size_t{2} << 20;

}  // namespace

void ModuleReader::add(Module module) {
  if (disassembler_.hopeless(*nvdisasm_, module.batch.target.arch)) return read_whole(module);
  const std::lock_guard lock(mutex_);
  waiting_bytes_ += module.bytes.size();
  waiting_.push_back(std::move(module));
}

void ModuleReader::read_waiting(bool more_to_come) {
  std::vector<Module> modules;
  {
    const std::lock_guard lock(mutex_);
    if (more_to_come && waiting_bytes_ < worth_a_start) return;
    modules = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
  }
  std::map<Arch, std::vector<const Module*>> by_arch;
  for (const Module& module : modules) by_arch[module.batch.target.arch].push_back(&module);
  for (const auto& [arch, members] : by_arch) {
    try {
      read(arch, members);
    } catch (const std::exception& problem) {
      for (const Module* module : members) outcomes_.fail(module->batch, Error{"build", problem_in(problem), {}});
    }
  }
}

void ModuleReader::read(const Arch& arch, const std::vector<const Module*>& modules) {
  const auto images =
      mapped<std::string_view>(modules, [](const Module* module) -> std::string_view { return module->bytes; });
  const auto all = disassembler_.read(*nvdisasm_, arch, images);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (all[i]) {
      keep(*modules[i], {all[i]->begin(), all[i]->end()});
    } else {
      read_whole(*modules[i]);
    }
  }
}

void ModuleReader::read_whole(const Module& module) {
  if (const auto error = nothing_readable(module.batch.target.arch)) return outcomes_.fail(module.batch, *error);
  const auto text = disassemble(*nvdisasm_, cache_.path(module.image));
  if (!text) return refused(module.batch, text.error());
  keep(module, sections_of(*text));
}

void ModuleReader::keep(const Module& module, const std::map<std::string, std::string_view>& sections) {
  {
    const std::lock_guard lock(mutex_);
    readable_[module.batch.target.arch] = true;
  }
  outcomes_.keep(module, sections);
}

/// nvdisasm's error, if it has read neither a single instruction nor a case of this architecture.
std::optional<Error> ModuleReader::nothing_readable(const Arch& arch) {
  if (!disassembler_.hopeless(*nvdisasm_, arch)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto readable = readable_.find(arch);
  if (readable == readable_.end() || readable->second != false) return std::nullopt;
  return refusal_;
}

/// nvdisasm may be unable to read one kernel; then only the case of that kernel fails. If it cannot read this
/// architecture at all, trying each case is pointless.
void ModuleReader::refused(const Batch& batch, const Error& error) {
  bool split = batch.cases.size() > 1;
  {
    const std::lock_guard lock(mutex_);
    const auto readable = readable_.try_emplace(batch.target.arch, std::nullopt).first;
    if (!split && !readable->second) {
      readable->second = false;
      refusal_ = error;
    }
    split = split && readable->second != false;
  }
  if (split) return outcomes_.retry(halves(batch));
  outcomes_.fail(batch, error);
}

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
