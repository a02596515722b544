#include "capture/capture_program.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/folder.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/version.hpp"
#include "capture/assemble_capture.hpp"
#include "capture/capture_file.hpp"
#include "capture/spool_text.hpp"
#include "code/elf.hpp"
#include "code/toolkit.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

constexpr const char* injected_by = "CUDA_INJECTION64_PATH";
constexpr const char* library_name = "libwarpclock_capture.so";

std::atomic<pid_t> captured = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler reads it");

/// The terminal sends its signals to the program as well.
void pass_on(int signal) {
  if (const pid_t pid = captured; pid > 0 && signal != SIGINT && signal != SIGQUIT) kill(pid, signal);
}

/// Signals that would end this program are the captured one's as long as this object lives.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    struct sigaction action {};
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;
  ~SignalsPassedOn() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 4> signals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 4> before_{};
};

/// Where CUPTI is; empty if this program does not find it: the captured one may.
std::string cupti_path() {
  const auto library = load_library({.name = "libcupti.so", .built_with = WARPCLOCK_CUPTI_DEFAULT, .companions = {}});
  struct link_map* map = nullptr;
  if (!library || dlinfo(*library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  return map->l_name;
}

Expected<void> make_folders(const fs::path& folder) {
  std::error_code error;
  const bool used = fs::exists(folder, error) && !fs::is_empty(folder, error);
  if (used && !is_capture(folder) && !fs::is_directory(folder / capture_spool, error))
    return fail("not-generated", "it has files and is no capture; give another folder by --out", folder.string());
  for (const char* part : {capture_spool, capture_code, capture_data}) {
    fs::create_directories(folder / part, error);
    if (error) return fail("io", fmt::format("cannot make it: {}", error.message()), (folder / part).string());
  }
  return {};
}

/// 0 to 255, as shells have it.
Expected<int> status_of(const std::vector<std::string>& command) {
  constexpr int by_signal = 128;
  const SignalsPassedOn signals;
  const pid_t pid = WARPCLOCK_TRY(spawn(command.front(), command, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO));
  captured = pid;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  captured = 0;
  return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Becomes empty if a process cannot keep all that it sees.
constexpr const char* all_written = "written";

/// Whatever comes of the capture, what the processes wrote is not needed any more. Without a record, the empty folder
/// shows that the folder around it is for captures.
class SpoolFolder {
 public:
  explicit SpoolFolder(fs::path path) : path_(std::move(path)) {}
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;
  ~SpoolFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (!is_capture(path_.parent_path())) fs::create_directory(path_, ignored);
  }

 private:
  fs::path path_;
};

/// What an earlier capture left, which was killed, is not of this one.
Expected<void> begin_spool(const fs::path& spool) {
  for (const fs::path& left : WARPCLOCK_TRY(entries_of(spool))) {
    std::error_code error;
    fs::remove(left, error);
    if (error) return fail("io", "cannot remove what is left of another capture: " + error.message(), left.string());
  }
  return write_file_atomically(spool / all_written, "yes\n", Synced::No);
}

/// The files of the processes. Error "io", also if one of them could not keep all that it saw.
Expected<std::vector<fs::path>> spooled(const fs::path& spool) {
  const std::string written = WARPCLOCK_TRY(read_file(spool / all_written));
  if (written.empty())
    return fail("io",
                "a process could not keep all that it saw, so there is no new record: make room, and capture again",
                spool.string());
  auto files = WARPCLOCK_TRY(entries_of(spool));
  std::erase(files, spool / all_written);
  return files;
}

/// Lets this program launch the empty kernel, where the captured one launched any. If it cannot, the record lacks it.
void launch_beside(const fs::path& folder) {
  std::error_code error;
  if (const auto files = spooled(folder / capture_spool); files && !files->empty()) {
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    static_cast<void>(run_process({self.string(), "empty-kernel"}, {.timeout = std::chrono::seconds(30)}));
  }
  unsetenv(injected_by);
}

CodeSymbols symbols_of(const fs::path& folder, const std::vector<Spooled>& processes) {
  CodeSymbols symbols;
  for (const Spooled& one : processes) {
    for (const std::string& hash : one.code) {
      const auto [at, added] = symbols.try_emplace(hash);
      if (!added) continue;
      const auto cubin = read_kept(folder, capture_code, hash);
      const auto sections = cubin ? code_sections(*cubin) : std::unexpected(cubin.error());
      for (std::size_t i = 0; sections && i < sections->size(); ++i)
        at->second.emplace((*sections)[i].kernel, hash_hex((*sections)[i].code));
    }
  }
  return symbols;
}

/// Removes what the record does not name.
void sweep(const fs::path& folder, const Capture& capture) {
  std::set<std::string> code, data;
  for (const CapturedKernel& one : capture.kernels) code.insert(one.code);
  for (const CapturedLaunch& launch : capture.launches) {
    for (const CapturedPointer& one : launch.pointers) data.insert(one.data);
  }
  std::error_code ignored;
  for (const auto& [part, named] : {std::pair(capture_code, &code), std::pair(capture_data, &data)}) {
    for (const fs::path& file : entries_of(folder / part).value_or(std::vector<fs::path>())) {
      if (!named->contains(file.filename().string())) fs::remove(file, ignored);
    }
  }
}

}  // namespace

Expected<fs::path> capture_library() {
  for (const fs::path& folder : {program_folder(), program_folder() / WARPCLOCK_INSTALLED_LIBRARY}) {
    std::error_code error;
    fs::path path = fs::canonical(folder / library_name, error);
    if (!error) return path;
  }
  return fail("capture", fmt::format("there is no {} beside this program: install it as a whole, with CUPTI's headers "
                                     "where it is built",
                                     library_name));
}

Expected<Capture> capture_program(const CaptureRequest& request) {
  if (request.command.empty()) return fail("option", "give a command after --");
  if (const char* const other = std::getenv(injected_by); other != nullptr && *other != '\0')
    return fail("capture", fmt::format("{} names another library: unset it", injected_by), other);
  const fs::path library = WARPCLOCK_TRY(capture_library());
  WARPCLOCK_TRY(make_folders(request.folder));
  const auto lock = WARPCLOCK_TRY(FolderLock::take(request.folder));
  std::error_code error;
  const fs::path folder = fs::canonical(request.folder, error);
  if (error) return fail("io", "cannot open the folder: " + error.message(), request.folder.string());
  remove_leftovers(folder);
  const SpoolFolder spool(folder / capture_spool);
  WARPCLOCK_TRY(begin_spool(folder / capture_spool));
  setenv(injected_by, library.c_str(), 1);
  setenv("WARPCLOCK_CAPTURE_FOLDER", folder.c_str(), 1);
  setenv("WARPCLOCK_CAPTURE_CUPTI", cupti_path().c_str(), 1);
  setenv("WARPCLOCK_CAPTURE_DATA", std::to_string(request.data_bytes).c_str(), 1);
  const auto begun = std::chrono::steady_clock::now();
  Capture made{.program = version_line(), .command = request.command};
  const auto status = status_of(request.command);
  if (!status) return std::unexpected(status.error());
  made.exit_status = *status;
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  launch_beside(folder);
  std::vector<Spooled> processes;
  for (const fs::path& file : WARPCLOCK_TRY(spooled(folder / capture_spool)))
    processes.push_back(read_spool(WARPCLOCK_TRY(read_file(file))));
  assemble(made, processes, symbols_of(folder, processes));
  WARPCLOCK_TRY(write_file_atomically(folder / capture_record, gzip_compress(to_json(made))));
  sweep(folder, made);
  return made;
}

}  // namespace warpclock
