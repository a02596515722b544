#include "compile/compiler/compiler.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/child.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "compile/compiler/compiler_lines.hpp"
#include "compile/compiler/compiler_server.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {
namespace {

constexpr const char* compiler_argument = "compiler";
constexpr std::chrono::milliseconds time_to_end{2'000};  // for a process that no longer answers

std::atomic<std::uint64_t> started{0};

/// The command that starts this program, without its arguments; empty unless main() began with compiler_process(). Any
/// other program would run as a whole. Written before there are threads.
std::vector<std::string> own_command;

/// The processes that compile nothing at the moment.
class IdleCompilers {
 public:
  [[nodiscard]] std::optional<Child> take() {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      Child child = std::move(idle_.back());
      idle_.pop_back();
      if (child.running()) return child;
    }
    return std::nullopt;
  }

  void give_back(Child child) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(child));
  }

 private:
  std::mutex mutex_;
  std::vector<Child> idle_;
};

IdleCompilers& idle_compilers() {
  static IdleCompilers idle;
  return idle;
}

/// A program that was started by a loader (`ld.so --inhibit-cache warpclock verify`) is that loader with arguments.
std::vector<std::string> command_without_arguments(int argc) {
  auto words = split(read_file("/proc/self/cmdline").value_or(""), '\0');
  if (!words.empty()) words.pop_back();  // each word is ended, not separated
  if (std::cmp_less_equal(words.size(), argc)) return {"warpclock"};
  words.resize(words.size() - static_cast<std::size_t>(argc) + 1);
  return words;
}

Expected<Child> new_compiler() {
  if (own_command.empty()) return fail("process", "this program does not begin with compiler_process()");
  std::vector<std::string> command = own_command;
  command.emplace_back(compiler_argument);
  return Child::start("/proc/self/exe", command, Group::Own);
}

Compilation without_code(Compilation::Status status, std::string log) {
  Compilation result;
  result.status = status;
  result.log = std::move(log);
  return result;
}

/// What the process answers; an error if it is of no use any more.
Expected<Compilation> ask(Child& child, const CompileRequest& request) {
  const auto deadline = std::chrono::steady_clock::now() + request.limit;
  WARPCLOCK_TRY(child.send(to_line(request), deadline));
  const auto line = WARPCLOCK_TRY(child.receive(deadline));
  return parse_compilation(line);
}

Compilation died(Child& child, const CompileRequest& request, const Error& why) {
  const bool by_itself = why.code == ErrorCode::Closed;
  std::string how = child.end(by_itself ? time_to_end : std::chrono::milliseconds(0));
  if (!by_itself) how = "answered nonsense: " + why.text;
  std::string words = child.last_words();
  if (!words.empty()) words = "; it last wrote: " + words;
  return without_code(Compilation::Status::Died,
                      fmt::format("the compiler {}{} (its address space is limited to {:g} GiB)", how, words,
                                  static_cast<double>(request.memory) / (1 << 30)));
}

}  // namespace

Compilation compile(const CompileRequest& request) {
  ++started;
  std::optional<Child> used = idle_compilers().take();
  for (;;) {
    const bool fresh = !used;
    auto child = fresh ? new_compiler() : Expected<Child>(*std::exchange(used, std::nullopt));
    if (!child) return without_code(Compilation::Status::Failed, child.error().text);
    auto answer = ask(*child, request);
    if (answer) {
      idle_compilers().give_back(*std::move(child));
      return *std::move(answer);
    }
    if (answer.error().code == ErrorCode::Timeout) return without_code(Compilation::Status::Cancelled, {});
    // A process that served others may lack what they left behind.
    if (fresh) return died(*child, request, answer.error());
  }
}

std::uint64_t compilations_started() { return started.load(); }

const std::string& ptx_isa_version() {
  static const std::string version = [] {
    const std::string ptx = compile({.unit = "__global__ void empty() {}", .target = {newest_known_arch(), true}}).ptx;
    constexpr std::string_view directive = "\n.version ";
    const auto at = ptx.find(directive);
    if (at == ptx.npos) return std::string("9.0");
    const auto from = at + directive.size();
    return ptx.substr(from, ptx.find_first_not_of("0123456789.", from) - from);
  }();
  return version;
}

std::optional<int> compiler_process(int argc, char** argv) {
  own_command = command_without_arguments(argc);
  if (argc != 2 || std::string_view(argv[1]) != compiler_argument) return std::nullopt;
  return serve_compilations();
}

}  // namespace warpclock
