#include "inspect/load.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/elf.hpp"
#include "code/toolkit.hpp"
#include "compile/cache.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/compiler/source_file.hpp"
#include "compile/ptxas.hpp"
#include "inspect/image/fat_binary.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

/// The cubins of a file.
struct Cubins {
  std::string kind;
  std::vector<std::string> images;
};

bool is_cubin(std::string_view bytes) {
  const auto header = struct_at<Elf64_Ehdr>(bytes, 0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_machine == EM_CUDA;
}

/// PTX begins with .version, after comments; nvcc's begins with a comment that names the compiler.
bool is_ptx(std::string_view text) {
  return text.find('\0') == text.npos && text.find(".version") != text.npos && text.find(".target") != text.npos;
}

/// "sm_90a" of ".target sm_90a, debug"; empty if there is none.
std::string target_in(std::string_view ptx) {
  constexpr std::string_view directive = ".target";
  for (const std::string& line : lines(ptx)) {
    const std::string_view text = trim(line);
    if (!text.starts_with(directive)) continue;
    const std::string_view rest = trim(text.substr(directive.size()));
    return std::string(rest.substr(0, rest.find_first_of(", \t/")));
  }
  return {};
}

Expected<Cubins> finished(std::string kind, const Compilation& done) {
  if (done.status == Compilation::Status::Done) return Cubins{std::move(kind), {done.image}};
  if (done.status == Compilation::Status::Cancelled)
    return fail("compile-error", "the compilation was stopped after a minute: make a cubin by nvcc -cubin");
  return std::unexpected(compile_error(done));
}

Expected<Target> target_of(const LoadOptions& options) {
  const auto target = WARPCLOCK_TRY(target_for(options.arch));
  if (!target.is_ptx) return target;
  return fail(ErrorCode::UnsupportedArch,
              fmt::format("NVRTC {} makes no machine code for {}", nvrtc_version(), to_string(options.arch)));
}

Expected<Cubins> assembled(std::string kind, std::string ptx, const LoadOptions& options) {
  CompileRequest request;
  request.unit = std::move(ptx);
  request.target = WARPCLOCK_TRY(target_of(options));
  request.line_info = true;
  const auto ptxas = WARPCLOCK_TRY(find_ptxas());
  return finished(std::move(kind), assemble(ptxas, request));
}

Expected<Cubins> compiled(const fs::path& path, std::string text, const Target& target, const LoadOptions& options) {
  auto made = WARPCLOCK_TRY(compile_file({.path = path,
                                          .text = std::move(text),
                                          .target = target,
                                          .include = options.include,
                                          .defines = options.defines}));
  return Cubins{made.by_nvcc ? "CUDA C++ by nvcc" : "CUDA C++", {std::move(made.image)}};
}

std::string archs_in(const std::vector<FatEntry>& entries, bool ptx) {
  std::set<Arch> archs;
  for (const FatEntry& entry : entries) {
    if (entry.ptx == ptx) archs.insert(entry.arch);
  }
  return join(mapped(archs, [](const auto& each) { return to_string(each); }), ", ");
}

/// Machine code for the architecture; where there is none, PTX that is assembled for it. The entries unpack to at most
/// `most` bytes together.
Expected<Cubins> chosen(const std::vector<FatEntry>& entries, const LoadOptions& options, std::size_t most) {
  Cubins cubins{"fat binary", {}};
  std::size_t left = most;
  const auto fits = [&](const FatEntry& entry) -> Expected<void> {
    if (entry.size > left)
      return fail("fat-binary", fmt::format("its entries for {} unpack to more than {}: inspect one cubin of them",
                                            to_string(options.arch), human_bytes(most)));
    left -= entry.size;
    return {};
  };
  for (const FatEntry& entry : entries) {
    if (entry.ptx || entry.arch.sm != options.arch.sm) continue;
    WARPCLOCK_TRY(fits(entry));
    cubins.images.push_back(WARPCLOCK_TRY(unpacked(entry)));
  }
  if (!cubins.images.empty()) return cubins;
  for (const FatEntry& entry : entries) {
    if (!entry.ptx || entry.arch.sm > options.arch.sm || (entry.arch.specific && entry.arch != options.arch)) continue;
    WARPCLOCK_TRY(fits(entry));
    std::string ptx = WARPCLOCK_TRY(unpacked(entry));
    while (ptx.ends_with('\0')) ptx.pop_back();
    auto made = WARPCLOCK_TRY(assembled("fat binary", std::move(ptx), options));
    cubins.images.push_back(std::move(made.images.front()));
  }
  if (!cubins.images.empty()) return cubins;
  const std::string code = archs_in(entries, false), ptx = archs_in(entries, true);
  return fail(ErrorCode::UnsupportedArch,
              fmt::format("there is nothing for {} in it: it has machine code for {} and PTX for {}; choose by --arch",
                          to_string(options.arch), code.empty() ? "no architecture" : code,
                          ptx.empty() ? "no architecture" : ptx));
}

Expected<Cubins> cubins_in(const fs::path& path, std::string bytes, const LoadOptions& options) {
  if (bytes.empty()) return fail("file", "the file is empty");
  if (is_cubin(bytes)) return Cubins{"cubin", {std::move(bytes)}};
  if (is_source(path)) return compiled(path, std::move(bytes), WARPCLOCK_TRY(target_of(options)), options);
  const auto entries = WARPCLOCK_TRY(fat_entries(bytes));
  if (!entries.empty()) return chosen(entries, options, most_unpacked_together(bytes.size()));
  if (is_ptx(bytes)) return assembled("PTX", std::move(bytes), options);
  return fail("file", bytes.starts_with(ELFMAG)
                          ? "there is no CUDA code in this program or library"
                          : "this is not a cubin, a fat binary or PTX, and its name does not end in .cu");
}

std::vector<SourceLine> lines_for(const std::vector<std::pair<std::string, std::vector<SourceLine>>>& all,
                                  const Listing& listing) {
  const auto found = std::ranges::find_if(all, [&](const auto& kernel) { return kernel.first == listing.kernel; });
  return found != all.end() && found->second.size() == listing.instructions.size() ? found->second
                                                                                   : std::vector<SourceLine>();
}

std::unexpected<Error> in_file(Error error, const std::string& path) {
  if (!error.place.starts_with(path)) error.place = path + (error.place.empty() ? "" : ": " + error.place);
  return std::unexpected(std::move(error));
}

/// Keeps the cubins with a kernel that is meant.
Expected<CubinFile> with_kernels(std::string path, Cubins cubins, const LoadOptions& options) {
  CubinFile file{std::move(path), std::move(cubins.kind), {}, {}};
  std::vector<std::string> others;
  for (std::string& image : cubins.images) {
    if (WARPCLOCK_TRY(code_sections(image)).empty()) continue;
    auto facts = WARPCLOCK_TRY(kernel_facts(image));
    const auto meant = [&](const auto& one) { return is_meant(one.first, options.kernel); };
    if (options.kernel.empty() || std::ranges::any_of(facts, meant)) {
      file.images.push_back(std::move(image));
      file.facts.push_back(std::move(facts));
      continue;
    }
    for (const auto& [symbol, kernel] : facts) {
      if (kernel.entry) others.push_back(readable_name(symbol));
    }
  }
  if (file.images.empty() && !others.empty()) return std::unexpected(no_such_kernel(options.kernel, others));
  if (file.images.empty()) return fail("no-kernel", "there is no kernel in it");
  return file;
}

/// What nvdisasm prints of a cubin, or of one symbol in it. nvdisasm takes a third of a second to start, and a cubin is
/// often read again: the text is kept.
Expected<std::string> disassembly(const std::string& image, std::optional<std::size_t> symbol,
                                  const LoadOptions& options) {
  // Of a library only few kernels are read, and seldom twice.
  constexpr std::size_t most_kept = std::size_t{4} << 20;
  auto cache = image.size() > most_kept ? std::nullopt : std::optional(Cache::open(options.cache));
  if (!cache || cache->folder().empty()) return disassemble_with_lines(options.nvdisasm, image, symbol);
  const std::string key = Hash()
                              .add_field("disassembly with lines")
                              .add_field(nvdisasm_identity(options.nvdisasm))
                              .add_field(symbol ? std::to_string(*symbol) : "all")
                              .add_field(image)
                              .hex();
  if (auto found = cache->find(key)) return std::move(found->entry.listing);
  auto text = WARPCLOCK_TRY(disassemble_with_lines(options.nvdisasm, image, symbol));
  if (const auto name = cache->store_image(image, ".cubin")) {
    cache->store(key, {.image = *name, .kernels = {}, .listing = text, .ptx = {}});
    cache->prune();
  }
  return text;
}

Expected<std::vector<LoadedKernel>> disassembled(const CubinFile& file, std::size_t image, const LoadOptions& options) {
  std::optional<std::size_t> only;
  if (!options.only.empty()) only = WARPCLOCK_TRY(symbol_index(file.images[image], options.only));
  const auto text = WARPCLOCK_TRY(disassembly(file.images[image], only, options));
  auto listings = WARPCLOCK_TRY(parse_listings(text));
  const auto lines = source_lines(text);
  std::vector<LoadedKernel> kernels;
  for (Listing& listing : listings) {
    LoadedKernel& kernel = kernels.emplace_back();
    const auto known = file.facts[image].find(listing.kernel);
    if (known != file.facts[image].end()) kernel.facts = known->second;
    kernel.lines = lines_for(lines, listing);
    kernel.image = image;
    kernel.listing = std::move(listing);
  }
  // The architecture is that which the disassembler names.
  if (kernels.empty()) return fail("no-kernel", "there is no kernel in it");
  const auto arch = WARPCLOCK_TRY(parse_arch(kernels.front().listing.target));
  if (options.arch_given && arch.sm != options.arch.sm)
    return fail(ErrorCode::UnsupportedArch,
                fmt::format("this is machine code for {}, not for {}", to_string(arch), to_string(options.arch)));
  return kernels;
}

}  // namespace

Expected<CubinFile> open_file(const fs::path& path, const LoadOptions& options) {
  auto bytes = WARPCLOCK_TRY(read_packed_file(path, is_source(path) ? most_text_bytes : most_file_bytes));
  auto cubins = cubins_in(path, std::move(bytes), options);
  if (!cubins) return in_file(cubins.error(), path);
  auto file = with_kernels(path, *std::move(cubins), options);
  if (!file) return in_file(file.error(), path);
  return file;
}

Expected<PtxModule> ptx_of(const fs::path& path, const LoadOptions& options) {
  std::string text = WARPCLOCK_TRY(read_packed_file(path, is_source(path) ? most_text_bytes : most_file_bytes));
  if (is_source(path)) {
    auto made = compiled(path, std::move(text), {.arch = options.arch, .is_ptx = true}, options);
    if (!made) return in_file(made.error(), path);
    return PtxModule{std::move(made->images.front()), options.arch};
  }
  if (!is_ptx(text)) return in_file({"file", "this is not PTX, and its name does not end in .cu", {}}, path);
  const auto target = parse_arch(target_in(text));
  if (!target) return in_file(target.error(), path);
  return PtxModule{std::move(text), *target};
}

Expected<std::vector<LoadedKernel>> load_cubin(const CubinFile& file, std::size_t image, const LoadOptions& options) {
  auto kernels = disassembled(file, image, options);
  if (!kernels) return in_file(kernels.error(), file.path);
  return kernels;
}

bool is_source(const fs::path& path) { return path.extension() == ".cu"; }

Expected<LoadedFile> load_file(const fs::path& path, const LoadOptions& options) {
  return load_cubins(WARPCLOCK_TRY(open_file(path, options)), options);
}

Expected<LoadedFile> load_cubins(CubinFile cubins, const LoadOptions& options) {
  LoadedFile file{cubins.kind, options.arch, {}};
  for (std::size_t i = 0; i < cubins.images.size(); ++i) {
    auto kernels = WARPCLOCK_TRY(load_cubin(cubins, i, options));
    std::ranges::move(kernels, std::back_inserter(file.kernels));
  }
  file.arch = WARPCLOCK_TRY(parse_arch(file.kernels.front().listing.target));
  file.images = std::move(cubins.images);
  std::ranges::stable_partition(file.kernels, [](const LoadedKernel& kernel) { return kernel.facts.entry; });
  return file;
}

}  // namespace warpclock
