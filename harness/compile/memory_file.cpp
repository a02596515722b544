#include "compile/memory_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "base/process.hpp"

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

}  // namespace warpclock
