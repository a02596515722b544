#include "compile/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/files/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "code/elf.hpp"

namespace warpclock {
namespace {

/// Most systems give a process a tenth of the descriptors that it may ask for.
bool allow_more_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int make(const std::string& name) {
  const int made = memfd_create(name.c_str(), MFD_CLOEXEC);
  return made < 0 && errno == EMFILE && allow_more_descriptors() ? memfd_create(name.c_str(), MFD_CLOEXEC) : made;
}

}  // namespace

Expected<std::string> memory_file(const std::string& name, std::string_view bytes) {
  static std::mutex mutex;
  static std::map<std::string, Descriptor> kept;
  const std::lock_guard lock(mutex);
  auto found = kept.find(name);
  if (found == kept.end()) {
    Descriptor file(make(name));
    if (file.get() < 0 || !write_fully(file.get(), bytes))
      return fail("io", fmt::format("cannot be kept in memory: {}", std::strerror(errno)), name);
    found = kept.emplace(name, std::move(file)).first;
  }
  return fmt::format("/proc/{}/fd/{}", getpid(), found->second.get());
}

namespace {

constexpr std::string_view magic = "warpclock case 2\n";

// Length-prefixed fields: "12 twelve bytes\n".
void put(std::string& to, std::string_view field) { to.append(fmt::format("{} ", field.size())).append(field) += '\n'; }

std::optional<std::string> take(std::string_view& from) {
  std::size_t size = 0;
  const auto read = std::from_chars(from.data(), from.data() + from.size(), size);
  if (read.ec != std::errc{}) return std::nullopt;
  from.remove_prefix(static_cast<std::size_t>(read.ptr - from.data()));
  if (from.size() < 2 || size > from.size() - 2 || from[0] != ' ' || from[size + 1] != '\n') return std::nullopt;
  std::string field(from.substr(1, size));
  from.remove_prefix(size + 2);
  return field;
}

std::optional<std::int64_t> take_number(std::string_view& from) {
  const auto field = take(from);
  return field ? leading_number<std::int64_t>(*field) : std::nullopt;
}

bool is_code(const Listing& listing, const std::vector<Word>& words) {
  return std::ranges::equal(listing.instructions, words, [](const Instruction& one, const Word& word) {
    return Word{one.low, one.high} == word;
  });
}

}  // namespace

std::string serialized(const std::string& key, const CachedCase& entry) {
  std::string body;
  put(body, key);
  put(body, entry.image);
  put(body, std::to_string(entry.kernels.size()));
  for (const auto& [n, symbol] : entry.kernels) {
    put(body, std::to_string(n));
    put(body, symbol);
  }
  put(body, entry.ptx);
  put(body, entry.listing);
  return fmt::format("{}{}\n{}", magic, hash_hex(body), body);
}

std::optional<CachedCase> deserialized(const std::string& key, std::string_view text) {
  if (!text.starts_with(magic)) return std::nullopt;
  text.remove_prefix(magic.size());
  const auto end = text.find('\n');
  if (end == text.npos || hash_hex(text.substr(end + 1)) != text.substr(0, end)) return std::nullopt;
  text.remove_prefix(end + 1);

  CachedCase entry;
  if (take(text) != key) return std::nullopt;
  const auto image = take(text);
  const auto count = take_number(text);
  if (!image || !count) return std::nullopt;
  entry.image = *image;
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto n = take_number(text);
    auto symbol = take(text);
    if (!n || !symbol) return std::nullopt;
    entry.kernels.emplace_back(*n, std::move(*symbol));
  }
  auto ptx = take(text);
  auto listing = take(text);
  if (!ptx || !listing) return std::nullopt;
  entry.ptx = std::move(*ptx);
  entry.listing = std::move(*listing);
  return entry;
}

namespace {

/// Error "elf".
Expected<KernelCode> kernel_code(std::string_view image) {
  KernelCode code;
  const auto sections = WARPCLOCK_TRY(code_sections(image));
  for (const CodeSection& section : sections) code.emplace(section.kernel, words_of(section.code));
  return code;
}

/// The listings that a disassembly holds. Error "listing" if it cannot be read, or if an instruction of it is not the
/// one that is in the machine code: what is verified must be what runs.
Expected<std::vector<Listing>> listings_of_code(std::string_view disassembly, const KernelCode& code) {
  auto listings = WARPCLOCK_TRY(parse_listings(disassembly));
  for (const Listing& listing : listings) {
    const auto kernel = code.find(listing.kernel);
    if (kernel == code.end() || !is_code(listing, kernel->second))
      return fail("listing", fmt::format("the disassembly of {} is not that of its machine code", listing.kernel));
  }
  return listings;
}

namespace fs = std::filesystem;

constexpr mode_t for_this_user_alone = 0600;

/// Without fsync: after a crash of the machine, the hash reveals an incomplete file.
Expected<void> write_entry(const std::string& path, std::string_view text) {
  return write_file_atomically(path, text, Synced::No, for_this_user_alone);
}

/// Nothing if another user wrote the file, or may write it: it may be from a time when the folder was open to all.
std::optional<std::string> read_entry(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  if (facts.st_uid != geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  auto text = read_file(path);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

Expected<void> usable(const std::string& folder) {
  WARPCLOCK_TRY(private_folder(folder));
  const auto trial = WARPCLOCK_TRY(Replacement::write(folder + "/trial", "x", Synced::No, for_this_user_alone));
  remove_leftovers(folder);
  return {};
}

/// A folder of this user in the temporary directory.
std::string temporary_cache() {
  std::error_code reason;
  fs::path base = fs::temp_directory_path(reason);
  if (reason) base = "/tmp";
  return (base / fmt::format("warpclock-cache-{}", geteuid())).string();
}

void touch(const std::string& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

/// Null for machine code that cannot be read; empty for PTX.
std::shared_ptr<const KernelCode> code_in(const std::string& name, std::string_view bytes) {
  if (name.ends_with(".ptx")) return std::make_shared<const KernelCode>();
  auto code = kernel_code(bytes);
  return code ? std::make_shared<const KernelCode>(*std::move(code)) : nullptr;
}

bool has_all_listings(const FoundCase& found) {
  return std::ranges::all_of(found.entry.kernels, [&](const auto& kernel) {
    return std::ranges::find(found.listings, kernel.second, &Listing::kernel) != found.listings.end();
  });
}

}  // namespace

Cache Cache::open(const std::string& folder, CacheLimits limits) {
  Cache cache(limits);
  cache.folder_ = folder.empty() ? cache_dir().string() : folder;
  const auto wanted = usable(cache.folder_);
  if (wanted) return cache;
  cache.folder_ = temporary_cache();
  const bool instead = usable(cache.folder_).has_value();
  cache.warning_ =
      fmt::format("the cache folder is not used ({}); compiled code is kept in {}", wanted.error().message(),
                  instead ? cache.folder_ : "memory, and compiled again by the next run");
  if (!instead) cache.folder_.clear();
  return cache;
}

std::string Cache::warning() const {
  const std::lock_guard lock(*mutex_);
  return warning_;
}

void Cache::complain(const Error& error) {
  const std::lock_guard lock(*mutex_);
  if (warning_.empty())
    warning_ = fmt::format("{}; compiled code is kept in memory, and compiled again by the next run", error.message());
}

std::string Cache::path(const std::string& name) const {
  const std::lock_guard lock(*mutex_);
  const auto kept = in_memory_.find(name);
  return kept != in_memory_.end() ? kept->second : folder_ + "/" + name;
}

Cache::Image Cache::image(const std::string& name) {
  {
    const std::lock_guard lock(*mutex_);
    if (const auto known = images_.find(name); known != images_.end()) return known->second;
  }
  Image image;
  const std::string file = folder_ + "/" + name;
  const auto bytes = read_entry(file);
  if (bytes && hash_hex(*bytes) == name.substr(0, name.find('.'))) {
    touch(file);
    image = code_in(name, *bytes);
  }
  const std::lock_guard lock(*mutex_);
  return images_[name] = std::move(image);
}

Expected<std::vector<Listing>> Cache::listings(const CachedCase& entry) {
  const Image code = image(entry.image);
  if (!code) return fail("io", "it is missing or damaged", entry.image);
  if (entry.image.ends_with(".ptx")) return {};
  return listings_of_code(entry.listing, *code);
}

std::optional<FoundCase> Cache::find(const std::string& key, std::string_view ending) {
  if (folder_.empty()) return std::nullopt;
  const std::string file = fmt::format("{}/{}.case", folder_, key);
  const auto text = read_entry(file);
  auto entry = text ? deserialized(key, *text) : std::nullopt;
  if (!entry || !entry->image.ends_with(ending)) return std::nullopt;
  auto listings = this->listings(*entry);
  if (!listings) return std::nullopt;
  FoundCase found{*std::move(entry), *std::move(listings)};
  if (ending != ".ptx" && !has_all_listings(found)) return std::nullopt;
  touch(file);
  return found;
}

void Cache::store(const std::string& key, const CachedCase& entry) {
  if (folder_.empty()) return;
  const auto written = write_entry(fmt::format("{}/{}.case", folder_, key), serialized(key, entry));
  if (!written) complain(written.error());
}

Expected<std::string> Cache::store_image(const std::string& bytes, const std::string& ending) {
  std::string name = hash_hex(bytes) + ending;
  const auto written =
      folder_.empty() ? fail("io", "there is no cache folder") : write_entry(folder_ + "/" + name, bytes);
  if (!written) {
    if (!folder_.empty()) complain(written.error());
    auto path = WARPCLOCK_TRY(memory_file(name, bytes));
    const std::lock_guard lock(*mutex_);
    in_memory_[name] = std::move(path);
  }
  auto code = code_in(name, bytes);
  const std::lock_guard lock(*mutex_);
  images_[name] = std::move(code);
  return name;
}

void Cache::prune() {
  if (folder_.empty()) return;
  struct File {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code reason;
  for (fs::directory_iterator at(folder_, reason), end; !reason && at != end; at.increment(reason)) {
    const std::string ending = at->path().extension().string();
    if (ending != ".case" && ending != ".cubin" && ending != ".ptx" && ending != ".tmp") continue;
    std::error_code gone;
    File file{at->last_write_time(gone), 0, at->path()};
    if (!gone) file.bytes = at->file_size(gone);
    if (gone) continue;
    total += file.bytes;
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &File::used);
  const auto keep_from = fs::file_time_type::clock::now() - limits_.recent;
  for (const auto& file : files) {
    if (file.used >= keep_from) break;
    if (total <= limits_.bytes) break;
    if (fs::remove(file.path, reason)) total -= file.bytes;
  }
}

}  // namespace warpclock
