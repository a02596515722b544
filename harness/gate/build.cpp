#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "capture/capture.hpp"
#include "check/study.hpp"
#include "code/elf.hpp"
#include "gate/gate.hpp"
#include "gpu/job/call.hpp"
#include "inspect/difference/code_difference.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

/// The kernels of a file, in its order.
Expected<std::vector<BuildKernel>> kernels_in(const fs::path& path, const LoadOptions& how) {
  const auto file = WARPCLOCK_TRY(open_file(path, how));
  std::vector<BuildKernel> found;
  for (std::size_t i = 0; i < file.images.size(); ++i) {
    auto codes = WARPCLOCK_TRY(code_hashes(file.images[i]));
    for (const auto& [symbol, facts] : file.facts[i])
      if (facts.entry) found.push_back({path, i, symbol, facts, codes[symbol]});
  }
  return found;
}

/// Of kernels with the same code, one is enough.
Expected<BuildKernel> only_one(const std::vector<const BuildKernel*>& found, const std::string& name,
                               const std::string& build) {
  constexpr std::size_t most = 3;
  std::vector<std::string> places;
  for (const BuildKernel* one : found) {
    const auto same = [&](const BuildKernel* other) {
      return other->code == one->code && same_facts(other->facts, one->facts);
    };
    if (std::ranges::all_of(found, same)) return *one;
    if (places.size() < most) places.push_back(one->file.string());
  }
  return fail("kernel",
              fmt::format("{} kernels named '{}' take this launch and differ, in {}{}: keep one of them, or "
                          "name its file by `source`",
                          found.size(), name, join(places, ", "), found.size() > most ? ", …" : ""),
              build);
}

std::int64_t threads_of(const KernelCase& one) { return one.call.block[0] * one.call.block[1] * one.call.block[2]; }

bool takes(const BuildKernel& kernel, const KernelCase& one, std::size_t argument_bytes) {
  const KernelFacts& facts = kernel.facts;
  return std::cmp_equal(facts.parameter_bytes, argument_bytes) &&
         (facts.required_threads == 0 || facts.required_threads == threads_of(one));
}

std::unexpected<Error> no_kernel(const std::string& name, const std::vector<BuildKernel>& all,
                                 const std::string& build) {
  return std::unexpected(
      no_such_kernel(name, mapped(all, [](const BuildKernel& one) { return readable_name(one.symbol); }), build));
}

}  // namespace

Expected<std::map<std::string, std::string>> code_hashes(std::string_view image) {
  const auto facts = WARPCLOCK_TRY(kernel_facts(image));
  const auto codes = WARPCLOCK_TRY(code_sections(image));
  const auto sections = WARPCLOCK_TRY(elf_sections(image));
  Hash beside;
  std::map<std::string, Hash> own;
  for (const CodeSection& one : codes) {
    const auto known = facts.find(one.kernel);
    if (known != facts.end() && known->second.entry)
      own[one.kernel].add_field(one.code);
    else
      beside.add_field(one.kernel).add_field(one.code);
  }
  for (const ElfSection& one : sections) {
    // Bank 0 has the parameters, and is filled when a kernel is launched; the part of bank 2 is of one kernel.
    constexpr std::string_view bank = ".nv.constant", of_one = ".nv.constant2.";
    const auto kernel = own.find(std::string(one.name.substr(std::min(of_one.size(), one.name.size()))));
    if (one.name.starts_with(of_one) && kernel != own.end())
      kernel->second.add_field(one.bytes);
    else if (one.name.starts_with(".nv.global.init") ||
             (one.name.starts_with(bank) && !one.name.starts_with(".nv.constant0")))
      beside.add_field(one.name).add_field(one.bytes);
  }
  std::map<std::string, std::string> hashes;
  for (auto& [symbol, hash] : own) hashes.emplace(symbol, hash.add_field(beside.hex()).hex());
  return hashes;
}

bool same_facts(const KernelFacts& one, const KernelFacts& other) {
  const auto stated = [](const KernelFacts& f) {
    return std::tuple(f.entry, f.registers, f.barriers, f.stack_bytes, f.shared_bytes, f.parameter_bytes,
                      f.most_threads, f.required_threads, f.cluster_blocks, f.spills, f.indirect);
  };
  const auto places = [](const KernelFacts& f) {
    return mapped(f.parameters, [](const ParameterPlace& each) { return std::pair(each.at, each.bytes); });
  };
  return stated(one) == stated(other) && places(one) == places(other) && one.variables == other.variables;
}

Expected<GateBuild> GateBuild::open(const fs::path& path, LoadOptions how) {
  GateBuild build;
  build.path_ = path;
  build.how_ = std::move(how);
  if (is_capture(path)) {
    build.path_ = capture_folder(path);
    build.capture_ = WARPCLOCK_TRY(read_capture(build.path_));
    return build;
  }
  std::error_code error;
  build.folder_ = fs::is_directory(path, error);
  for (std::string& folder : build.how_.include)
    if (build.folder_ && fs::is_directory(path / folder, error)) folder = (path / folder).string();
  if (!build.folder_ && !fs::exists(path, error)) return fail("io", "there is no such file or folder", path.string());
  return build;
}

Expected<std::vector<fs::path>> GateBuild::files() const {
  if (!capture_ && !folder_) return std::vector<fs::path>{path_};
  std::vector<fs::path> found;
  std::error_code error, gone;
  const fs::path folder = capture_ ? path_ / capture_code : path_;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& file = at->path();
    const bool meant = capture_ || file.extension() == ".cubin" || file.extension() == ".fatbin";
    if (meant && at->is_regular_file(gone)) found.push_back(file);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return fail("io", "cannot read this folder and those below: " + error.message(), folder.string());
  std::ranges::sort(found);
  return found;
}

Expected<const std::vector<BuildKernel>*> GateBuild::kernels() {
  if (!kernels_) {
    const auto all = WARPCLOCK_TRY(files());
    std::vector<BuildKernel> found;
    for (const fs::path& file : all) {
      auto some = kernels_in(file, how_);
      if (!some && all.size() == 1) return std::unexpected(kernels_.emplace(std::unexpected(some.error())).error());
      if (!some) unread_.push_back(some.error().message());
      if (some) std::ranges::move(*some, std::back_inserter(found));
    }
    kernels_ = std::move(found);
    if (all.empty())
      kernels_ = fail("file", "the folder has no cubin and no fat binary, and no file that `source` names", path_);
  }
  if (!*kernels_) return std::unexpected(kernels_->error());
  return &**kernels_;
}

Expected<std::string> GateBuild::file_of(const KernelCase& one) {
  if (!capture_ && !folder_) return path_.string();
  std::error_code error;
  if (const fs::path file = path_ / one.source; folder_ && !one.source.empty() && fs::is_regular_file(file, error))
    return file.string();
  const auto* all = WARPCLOCK_TRY(kernels());
  const std::size_t bytes = packed_arguments(one.call, std::vector<std::uint64_t>(one.call.arguments.size())).size();
  const auto named = named_by(mapped(*all, [](const BuildKernel& kernel) { return kernel.symbol; }), one.kernel);
  if (named.empty()) return no_kernel(one.kernel, *all, path_.string());
  std::vector<const BuildKernel*> found;
  for (const std::size_t i : named)
    if (takes((*all)[i], one, bytes)) found.push_back(&(*all)[i]);
  // Why it takes no such launch is said where its arguments are compared.
  if (found.empty()) return (*all)[named.front()].file.string();
  const BuildKernel chosen = WARPCLOCK_TRY(only_one(found, one.kernel, path_.string()));
  return chosen.file.string();
}

Expected<BuildKernel> GateBuild::kernel_with(const std::string& symbol) {
  const auto* all = WARPCLOCK_TRY(kernels());
  std::vector<const BuildKernel*> found, near;
  const std::string bare = bare_name(readable_name(symbol));
  for (const BuildKernel& kernel : *all) {
    if (kernel.symbol == symbol) found.push_back(&kernel);
    if (bare_name(readable_name(kernel.symbol)) == bare) near.push_back(&kernel);
  }
  if (found.empty()) found = std::move(near);
  if (found.empty()) return no_kernel(readable_name(symbol), *all, path_.string());
  return only_one(found, readable_name(symbol), path_.string());
}

}  // namespace warpclock
