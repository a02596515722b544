#include "check/case_builder.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

std::string key_of(const KernelCase& one) { return one.source + "\n" + join(one.defines, "\n"); }

/// The entry with this name; its templates and overloads are distinguished by its symbol.
Expected<const LoadedKernel*> entry_of(const LoadedFile& file, const std::string& name) {
  const LoadedKernel* found = nullptr;
  std::vector<std::string> names;
  for (const LoadedKernel& kernel : file.kernels) {
    if (!kernel.facts.entry) continue;
    names.push_back(readable_name(kernel.listing.kernel));
    if (!is_named(kernel.listing.kernel, name)) continue;
    if (found != nullptr) return fail("kernel", fmt::format("several kernels are named '{}': give the symbol", name));
    found = &kernel;
  }
  if (found == nullptr) return std::unexpected(no_such_kernel(name, names));
  return found;
}

}  // namespace

bool is_named(const std::string& symbol, const std::string& name) {
  const std::string readable = readable_name(symbol);
  return symbol == name || readable == name || readable.substr(0, readable.find('(')) == name;
}

Expected<LoadedFile> CaseBuilder::load(const KernelCase& one) {
  LoadOptions how = how_;
  how.defines = one.defines;
  if (one.ptx.empty()) return load_file(folder_ / one.source, how);
  const std::string name = WARPCLOCK_TRY(cache_.store_image(one.ptx, ".ptx"));
  return load_file(cache_.path(name), how);
}

std::vector<Expected<BuiltKernel>> CaseBuilder::build(std::span<const KernelCase> cases) {
  std::map<std::string, const KernelCase*> missing;
  for (const KernelCase& one : cases) {
    if (!loaded_.contains(key_of(one))) missing.emplace(key_of(one), &one);
  }
  const std::vector<std::pair<std::string, const KernelCase*>> sources(missing.begin(), missing.end());
  std::vector<Expected<LoadedFile>> files(sources.size());
  for_each_at_once(sources.size(), [&](std::size_t i) {
    const KernelCase& one = *sources[i].second;
    files[i] = caught((folder_ / one.source).string(), [&] { return load(one); });
  });
  for (std::size_t i = 0; i < sources.size(); ++i) loaded_.emplace(sources[i].first, Loaded{std::move(files[i])});
  return mapped(cases, [this](const KernelCase& one) { return find(one); });
}

Expected<BuiltKernel> CaseBuilder::find(const KernelCase& one) {
  Loaded& loaded = loaded_.at(key_of(one));
  if (!loaded.file) return std::unexpected(loaded.file.error());
  const LoadedKernel* const kernel = WARPCLOCK_TRY(entry_of(*loaded.file, one.kernel));
  const std::size_t given = packed_arguments(one.call, std::vector<std::uint64_t>(one.call.arguments.size())).size();
  if (std::cmp_not_equal(given, kernel->facts.parameter_bytes))
    return fail("kernel", fmt::format("the arguments take {} bytes; the kernel wants {}: compare `args` with its "
                                      "parameters",
                                      given, kernel->facts.parameter_bytes));
  std::string& name = loaded.names[kernel->image];
  const std::string& image = loaded.file->images.at(kernel->image);
  if (name.empty()) name = WARPCLOCK_TRY(cache_.store_image(image, ".cubin"));
  return BuiltKernel{kernel, cache_.path(name), hash_hex(image).substr(0, 8)};
}

}  // namespace warpclock
