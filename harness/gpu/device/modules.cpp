#include "gpu/device/modules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/paths.hpp"

namespace warpclock {

ModuleCache::~ModuleCache() {
  for (const Entry& entry : entries_) driver_.cuModuleUnload(entry.module);
}

Expected<ModuleCache::Entry*> ModuleCache::entry(const std::string& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front();
  }
  const auto image = WARPCLOCK_TRY(read_file(path));
  while (entries_.size() >= capacity_) WARPCLOCK_TRY(unload(std::string(entries_.back().path)));
  CUmodule module = nullptr;
  // c_str() ends in the NUL that the driver requires after PTX text.
  WARPCLOCK_TRY(check(driver_, driver_.cuModuleLoadData(&module, image.c_str()), fmt::format("loading {}", path)));
  entries_.push_front({path, module, {}});
  return &entries_.front();
}

Expected<void> ModuleCache::unload(const std::string& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found == entries_.end()) return {};
  const CUmodule module = found->module;
  entries_.erase(found);
  return check(driver_, driver_.cuModuleUnload(module), "unloading a module");
}

Expected<CUfunction> ModuleCache::function(const std::string& path, const std::string& symbol) {
  const auto found = WARPCLOCK_TRY(entry(path));
  auto& functions = found->functions;
  if (const auto known = functions.find(symbol); known != functions.end()) return known->second;
  CUfunction function = nullptr;
  WARPCLOCK_TRY(check(driver_, driver_.cuModuleGetFunction(&function, found->module, symbol.c_str()),
                      fmt::format("looking up the kernel {}", symbol)));
  functions[symbol] = function;
  return function;
}

}  // namespace warpclock
