#include "check/case_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files/paths.hpp"
#include "base/hash.hpp"
#include "base/hint.hpp"
#include "base/text.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

std::string key_of(const KernelCase& one) { return one.source + "\n" + join(one.defines, "\n"); }

bool is_named(const LoadedKernel& kernel, const std::string& name) {
  const std::string readable = readable_name(kernel.listing.kernel);
  return kernel.listing.kernel == name || readable == name || readable.substr(0, readable.find('(')) == name;
}

/// The entry with this name; its templates and overloads are distinguished by its symbol.
Expected<const LoadedKernel*> entry_of(const LoadedFile& file, const std::string& name) {
  const LoadedKernel* found = nullptr;
  std::vector<std::string> names;
  for (const LoadedKernel& kernel : file.kernels) {
    if (!kernel.facts.entry) continue;
    names.push_back(readable_name(kernel.listing.kernel));
    if (!is_named(kernel, name)) continue;
    if (found != nullptr) return fail("kernel", fmt::format("several kernels are named '{}': give the symbol", name));
    found = &kernel;
  }
  if (found == nullptr) return fail("kernel", fmt::format("there is no kernel '{}'{}", name, hint(name, names)));
  return found;
}

}  // namespace

Expected<CaseBuilder> CaseBuilder::open(std::filesystem::path folder, LoadOptions how, const std::string& cache_dir) {
  auto cache = WARPCLOCK_TRY(Cache::open(cache_dir.empty() ? warpclock::cache_dir().string() : cache_dir));
  return CaseBuilder(std::move(folder), std::move(how), std::move(cache));
}

Expected<BuiltKernel> CaseBuilder::build(const KernelCase& one) {
  const std::string key = key_of(one);
  if (const auto known = failed_.find(key); known != failed_.end()) return std::unexpected(known->second);
  auto& loaded = loaded_[key];
  if (!loaded) {
    LoadOptions how = how_;
    how.defines = one.defines;
    auto file = load_file(folder_ / one.source, how);
    if (!file) return std::unexpected(failed_.emplace(key, file.error()).first->second);
    loaded = std::make_unique<Loaded>(Loaded{*std::move(file), {}});
  }
  const LoadedKernel* const kernel = WARPCLOCK_TRY(entry_of(loaded->file, one.kernel));
  const std::size_t given = packed_arguments(one.call, std::vector<std::uint64_t>(one.call.arguments.size())).size();
  if (std::cmp_not_equal(given, kernel->facts.parameter_bytes))
    return fail("kernel", fmt::format("the arguments take {} bytes; the kernel wants {}: compare `args` with its "
                                      "parameters",
                                      given, kernel->facts.parameter_bytes));
  std::string& name = loaded->names[kernel->image];
  const std::string& image = loaded->file.images.at(kernel->image);
  if (name.empty()) name = WARPCLOCK_TRY(cache_.store_image(image, ".cubin"));
  return BuiltKernel{kernel, cache_.path(name), hash_hex(image).substr(0, 8)};
}

}  // namespace warpclock
