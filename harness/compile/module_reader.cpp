#include "compile/module_reader.hpp"

#include <exception>
#include <utility>

#include "base/caught.hpp"
#include "base/lookup.hpp"
#include "code/nvdisasm.hpp"

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

}  // namespace warpclock
