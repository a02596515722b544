#include "capture/injection/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "base/hash.hpp"

namespace warpclock::injected {
namespace {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

bool Spool::open(const std::string& folder) {
  folder_ = folder;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string path = fmt::format("{}/spool/{}.{}", folder, getpid(), now);
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) lose();
  return file_ >= 0;
}

void Spool::lose() {
  lost_ = true;
  static_cast<void>(::truncate((folder_ + "/spool/written").c_str(), 0));
}

void Spool::write(std::string_view lines) {
  if (file_ >= 0 && !lost_ && !write_all(file_, lines)) lose();
}

void Spool::leave() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

std::string Spool::keep(std::string_view kind, std::string_view bytes) {
  if (file_ < 0 || lost_) return {};
  std::string hash = hash_hex(bytes);
  const std::string path = fmt::format("{}/{}/{}", folder_, kind, hash);
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return hash;
  const std::string temporary = fmt::format("{}.{}.{}", path, getpid(), gettid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    lose();
    return {};
  }
  const bool written = write_all(file, bytes);
  ::close(file);
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return hash;
  ::unlink(temporary.c_str());
  lose();
  return {};
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    text += digits[static_cast<std::uint8_t>(byte) >> 4];
    text += digits[static_cast<std::uint8_t>(byte) & 15];
  }
  return text;
}

}  // namespace warpclock::injected
