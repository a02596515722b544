#include "compile/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/files/paths.hpp"
#include "base/files/private_folder.hpp"
#include "base/hash.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "warpclock case 1\n";

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
  std::int64_t number = 0;
  if (!field || std::from_chars(field->data(), field->data() + field->size(), number).ec != std::errc{}) return {};
  return number;
}

std::string serialized(const CachedCase& entry) {
  std::string body;
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

std::optional<CachedCase> deserialized(std::string_view text) {
  if (!text.starts_with(magic)) return std::nullopt;
  text.remove_prefix(magic.size());
  const auto end = text.find('\n');
  if (end == text.npos || hash_hex(text.substr(end + 1)) != text.substr(0, end)) return std::nullopt;
  text.remove_prefix(end + 1);

  CachedCase entry;
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

/// Without fsync: after a crash of the machine, the hash reveals an incomplete file.
Expected<void> write_entry(const std::string& path, std::string_view text) {
  return write_file_atomically(path, text, Synced::No);
}

Expected<void> usable(const std::string& folder) {
  const std::string trial = fmt::format("{}/trial.{}.tmp", folder, getpid());
  WARPCLOCK_TRY(write_entry(trial, "x"));
  unlink(trial.c_str());
  return {};
}

/// A folder in the temporary directory that no other user can have placed there.
Expected<std::string> temporary_folder() {
  std::error_code reason;
  fs::path base = fs::temp_directory_path(reason);
  if (reason) base = "/tmp";
  const std::string own = (base / fmt::format("warpclock-cache-{}", geteuid())).string();
  if (private_folder(own) && usable(own)) return own;
  std::string fresh = (base / "warpclock-cache-XXXXXX").string();
  if (mkdtemp(fresh.data()) == nullptr) {
    return fail("io", fmt::format("cannot make a folder: {}", std::generic_category().message(errno)), fresh);
  }
  return fresh;
}

void touch(const std::string& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

}  // namespace

Expected<Cache> Cache::open(const std::string& folder, CacheLimits limits) {
  const std::string wanted = folder.empty() ? cache_dir().string() : folder;
  const auto writable = usable(wanted);
  if (writable) return Cache(wanted, "", limits);
  auto instead = WARPCLOCK_TRY(temporary_folder());
  std::string warning =
      fmt::format("the cache folder {} cannot be written ({}); using {}", wanted, writable.error().text, instead);
  return Cache(std::move(instead), std::move(warning), limits);
}

bool Cache::sound_image(const std::string& name) {
  {
    const std::lock_guard lock(*mutex_);
    if (const auto known = images_.find(name); known != images_.end()) return known->second;
  }
  const auto bytes = read_file(path(name));
  const bool sound = bytes && hash_hex(*bytes) == name.substr(0, name.find('.'));
  if (sound) touch(path(name));
  const std::lock_guard lock(*mutex_);
  return images_[name] = sound;
}

std::optional<CachedCase> Cache::find(const std::string& key) {
  const auto text = read_file(path(key + ".case"));
  if (!text) return std::nullopt;
  auto entry = deserialized(*text);
  if (!entry || !sound_image(entry->image)) return std::nullopt;
  touch(path(key + ".case"));
  return entry;
}

Expected<void> Cache::store(const std::string& key, const CachedCase& entry) {
  return write_entry(path(key + ".case"), serialized(entry));
}

Expected<std::string> Cache::store_image(const std::string& bytes, const std::string& ending) {
  std::string name = hash_hex(bytes) + ending;
  WARPCLOCK_TRY(write_entry(path(name), bytes));
  const std::lock_guard lock(*mutex_);
  images_[name] = true;
  return name;
}

void Cache::prune() {
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
    // Temporary files of killed processes are removed whatever the size of the folder.
    if (total <= limits_.bytes && file.path.extension() != ".tmp") continue;
    if (fs::remove(file.path, reason)) total -= file.bytes;
  }
}

}  // namespace warpclock
