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
#include <numeric>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/version.hpp"
#include "code/elf.hpp"
#include "code/toolkit.hpp"
#include "code/word.hpp"
#include "inspect/image/kernel_facts.hpp"

namespace warpclock {

namespace {

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The number that is there most often, and of several the last one.
template <class T>
std::optional<T> most_often(const std::vector<T>& all) {
  std::optional<T> most;
  std::map<T, int> times;
  for (const T& one : all)
    if (++times[one] >= (most ? times[*most] : 0)) most = one;
  return most;
}

CapturedTimes times_of(std::vector<double> ns, std::vector<double> mhz) {
  if (ns.empty()) return {};
  CapturedTimes made{.runs = std::ssize(ns), .total_ns = std::accumulate(ns.begin(), ns.end(), 0.0)};
  made.least_ns = std::ranges::min(ns), made.most_ns = std::ranges::max(ns);
  made.median_ns = median_of(ns), made.sm_mhz = median_of(mhz);
  return made;
}

class Assembler {
 public:
  Assembler(Capture& capture, const CodeSymbols& symbols) : capture_(capture), symbols_(symbols) {}

  void add(const Spooled& seen) {
    const auto process = std::ssize(capture_.processes);
    capture_.processes.push_back(seen.process);
    std::map<std::int64_t, std::int64_t> numbers;  // in the capture, by number in the process
    for (const auto& [id, launch] : seen.launches) {
      const auto function = seen.functions.find(launch.function);
      const auto device = seen.devices.find(launch.device);
      if (function == seen.functions.end() || device == seen.devices.end()) {
        ++unnamed_;
        continue;
      }
      CapturedLaunch made = launch_of(launch);
      made.process = process;
      made.kernel = kernel_of(function->second.symbol, function->second.code, seen);
      made.device = device_of(device->second);
      if (!wrong_with(made, capture_).empty()) {
        ++refused_;
        continue;
      }
      numbers[id] = std::ssize(capture_.launches);
      capture_.launches.push_back(std::move(made));
    }
    put_in_order(seen, numbers);
    add_others(seen, process);
    lost_ += seen.lost, damaged_ += seen.damaged;
  }

  void note() {
    const auto say = [&](std::int64_t count, std::string_view noun, std::string_view what) {
      if (count > 0) capture_.notes.push_back(fmt::format("{} {}", counted(count, noun), what));
    };
    say(lost_, "activity record", "had no room in CUPTI's buffers: these times are missing");
    say(damaged_, "line", "of what the processes saw could not be read");
    say(unnamed_, "launch", "ended before the name of its kernel or its device was known");
    say(refused_, "launch", "asked for what no GPU has, as a grid without blocks: it did not run");
    for (const CapturedProcess& one : capture_.processes) {
      if (!one.wrong.empty())
        capture_.notes.push_back(fmt::format("nothing of process {} was captured: {}", one.pid, one.wrong));
      else if (!one.ended)
        capture_.notes.push_back(
            fmt::format("process {} did not come to its end: its last launches may have no times", one.pid));
    }
  }

 private:
  static CapturedLaunch launch_of(const SpooledLaunch& from) {
    constexpr std::int64_t cooperative = 1, overlaps = 2;
    CapturedLaunch made{.grid = {from.grid.begin(), from.grid.end()},
                        .block = {from.block.begin(), from.block.end()},
                        .shared_bytes = from.shared_bytes,
                        .cooperative = (from.flags & cooperative) != 0,
                        .overlaps = (from.flags & overlaps) != 0,
                        .parameters = from.parameters,
                        .times = times_of(from.ns, from.mhz)};
    if (from.cluster[0] > 0) made.cluster = {from.cluster.begin(), from.cluster.end()};
    if (from.missing == "more")
      made.missing = "the kernel has more launches with other arguments than are kept";
    else if (!from.missing.empty())
      made.missing = "the driver does not say where the arguments are";
    for (const SpooledPointer& one : from.pointers) {
      if (one.parameter >= from.parameters.size()) continue;
      const CapturedParameter& parameter = from.parameters[one.parameter];
      const auto address = address_at(parameter, one.offset);
      if (!address || *address < one.base) continue;
      CapturedPointer pointer{parameter.at + one.offset, *address - one.base, one.bytes, one.base};
      const auto data = std::ranges::find(from.data, *address, &SpooledData::address);
      if (data != from.data.end()) pointer.data_bytes = data->bytes, pointer.data = data->hash;
      pointer.ago = most_often(one.ago);
      if (2 * one.below.size() >= one.ago.size()) pointer.below = most_often(one.below);
      made.pointers.push_back(std::move(pointer));
    }
    return made;
  }

  static std::optional<std::int64_t> address_at(const CapturedParameter& parameter, std::int64_t offset) {
    constexpr std::size_t size = sizeof(std::int64_t);
    const auto bytes = bytes_of_hex(parameter.bytes);
    if (!bytes || offset < 0 || static_cast<std::size_t>(offset) + size > bytes->size()) return std::nullopt;
    return static_cast<std::int64_t>(
        number_in(std::string_view(*bytes).substr(static_cast<std::size_t>(offset), size)));
  }

  void put_in_order(const Spooled& seen, const std::map<std::int64_t, std::int64_t>& numbers) {
    std::map<std::int64_t, std::int64_t> most;
    for (const auto& [pair, times] : seen.after) {
      const auto launch = numbers.find(pair.first), before = numbers.find(pair.second);
      if (launch == numbers.end() || before == numbers.end() || times <= most[pair.first]) continue;
      most[pair.first] = times;
      capture_.launches[static_cast<std::size_t>(launch->second)].after = before->second;
    }
  }

  void add_others(const Spooled& seen, std::int64_t process) {
    using Key =
        std::tuple<std::string, std::int64_t, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>, std::int64_t>;
    std::map<Key, std::vector<double>> times;
    for (const SpooledOther& one : seen.others)
      times[{one.symbol, one.device, one.grid, one.block, one.shared_bytes}].push_back(one.ns);
    for (auto& [key, ns] : times) {
      const auto& [symbol, number, grid, block, shared] = key;
      const auto device = seen.devices.find(number);
      CapturedLaunch made{.kernel = kernel_of(symbol, "", seen),
                          .device = device_of(device == seen.devices.end() ? CapturedDevice{} : device->second),
                          .process = process,
                          .grid = {grid.begin(), grid.end()},
                          .block = {block.begin(), block.end()},
                          .shared_bytes = shared,
                          .missing = "its launch was not seen: a kernel or the device launched it",
                          .times = times_of(std::move(ns), {})};
      if (wrong_with(made, capture_).empty())
        capture_.launches.push_back(std::move(made));
      else
        ++refused_;
    }
  }

  std::int64_t kernel_of(const std::string& symbol, std::string code, const Spooled& seen) {
    std::string missing;
    if (code.empty()) std::tie(code, missing) = code_of(symbol, seen);
    const auto [at, added] = kernels_.try_emplace({symbol, code}, std::ssize(capture_.kernels));
    if (added) capture_.kernels.push_back({symbol, code, missing});
    return at->second;
  }

  /// The cubin that has a kernel of this name, or why it is not known.
  [[nodiscard]] std::pair<std::string, std::string> code_of(const std::string& symbol, const Spooled& seen) const {
    std::map<std::string, std::string> found;  // a cubin, by the hash of the kernel's code
    for (const std::string& hash : seen.code) {
      const auto names = symbols_.find(hash);
      const auto* const code = names == symbols_.end() ? nullptr : value_at(names->second, symbol);
      if (code != nullptr) found.emplace(*code, hash);
    }
    if (found.size() == 1) return {found.begin()->second, ""};
    return {"", found.empty() ? "no module with it was seen when it was loaded"
                              : fmt::format("modules have {} different kernels of this name", found.size())};
  }

  std::int64_t device_of(const CapturedDevice& device) {
    const auto found = std::ranges::find(capture_.devices, device.uuid, &CapturedDevice::uuid);
    if (found != capture_.devices.end()) return found - capture_.devices.begin();
    capture_.devices.push_back(device);
    return std::ssize(capture_.devices) - 1;
  }

  Capture& capture_;
  const CodeSymbols& symbols_;
  std::map<std::pair<std::string, std::string>, std::int64_t> kernels_;
  std::int64_t lost_ = 0, damaged_ = 0, unnamed_ = 0, refused_ = 0;
};

}  // namespace

void assemble(Capture& capture, const std::vector<Spooled>& processes, const CodeSymbols& symbols) {
  Assembler assembler(capture, symbols);
  for (const Spooled& one : processes) assembler.add(one);
  assembler.note();
}

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

/// The cubin without the machine code of its other kernels. Functions that kernels may call keep theirs.
Expected<std::string> with_kernels(std::string_view cubin, const std::set<std::string>& kernels) {
  std::set<std::string> others;
  for (const auto& [symbol, facts] : WARPCLOCK_TRY(kernel_facts(cubin)))
    if (facts.entry && !kernels.contains(symbol)) others.insert(symbol);
  return without_code_of(cubin, others);
}

/// Keeps the machine code of launched kernels alone, packed: the cubins of libraries have thousands of others.
Expected<void> keep_launched(const fs::path& folder, Capture& capture) {
  std::map<std::string, std::set<std::string>> launched;  // kernels, by their cubin
  for (const CapturedKernel& one : capture.kernels) {
    if (!one.code.empty()) launched[one.code].insert(one.symbol);
  }
  std::map<std::string, std::string> renamed;
  for (const auto& [hash, kernels] : launched) {
    const std::string cubin = WARPCLOCK_TRY(read_kept(folder, capture_code, hash));
    const auto less = with_kernels(cubin, kernels);
    if (!less || *less == cubin) continue;
    const std::string& name = renamed[hash] = hash_hex(*less);
    WARPCLOCK_TRY(write_file_atomically(folder / capture_code / (name + ".gz"), gzip_compress(*less)));
  }
  for (CapturedKernel& one : capture.kernels)
    if (const std::string* name = value_at(renamed, one.code)) one.code = *name;
  return {};
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
      if (!named->contains(without_gz(file).filename().string())) fs::remove(file, ignored);
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
  WARPCLOCK_TRY(keep_launched(folder, made));
  WARPCLOCK_TRY(write_file_atomically(folder / capture_record, gzip_compress(to_json(made))));
  sweep(folder, made);
  return made;
}

Expected<void> launch_empty_kernel(const Driver& driver) {
  constexpr int launches = 64;
  constexpr unsigned warp_threads = 32;
  const std::string ptx =
      fmt::format(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {}() {{ ret; }}\n", empty_kernel);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (driver.cuInit(0) != CUDA_SUCCESS || driver.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
    return fail(ErrorCode::NoDevice, "there is no GPU");
  WARPCLOCK_TRY(check(driver, driver.cuDevicePrimaryCtxRetain(&context, device), "making a context"));
  WARPCLOCK_TRY(check(driver, driver.cuCtxSetCurrent(context), "making a context"));
  WARPCLOCK_TRY(check(driver, driver.cuModuleLoadData(&module, ptx.c_str()), "loading the empty kernel"));
  WARPCLOCK_TRY(check(driver, driver.cuModuleGetFunction(&function, module, empty_kernel), "loading the empty kernel"));
  const CUlaunchConfig config = launch_config({1, 1, 1}, {warp_threads, 1, 1});
  for (int i = 0; i < launches; ++i) {
    WARPCLOCK_TRY(check(driver, driver.cuLaunchKernelEx(&config, function, nullptr, nullptr), "launching it"));
    WARPCLOCK_TRY(check(driver, driver.cuStreamSynchronize(nullptr), "launching it"));
  }
  return check(driver, driver.cuDevicePrimaryCtxRelease(device), "releasing a context");
}

}  // namespace warpclock
