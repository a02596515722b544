#include "compile/compiler/compiler.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/file.hpp"
#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "base/lookup.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/compiler/source_file.hpp"

namespace warpclock {

template <>
inline constexpr auto enum_words<Compilation::Status> = std::to_array<std::string_view>({"done", "failed", "cancelled",
                                                                                         "died"});

namespace {

/// A request as it is written, all bytes as text.
struct RequestLine {
  std::string unit, name, nvcc, folder, arch;
  bool is_ptx = false, line_info = false;
  std::int64_t limit_ms = 0, memory = 0;
  std::vector<std::string> options, headers, texts;
};

struct CompilationLine {
  Compilation::Status status = Compilation::Status::Failed;
  std::string image, ptx, log;
  std::vector<std::string> headers;
};

void describe(auto& a, Like<RequestLine> auto& v) {
  WARPCLOCK_REQUIRED(unit, name, nvcc, folder, arch, is_ptx, line_info, limit_ms, memory, options, headers, texts);
}

void describe(auto& a, Like<CompilationLine> auto& v) { WARPCLOCK_REQUIRED(status, image, ptx, log, headers); }

constexpr unsigned moved = 0x100;

bool stays(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// Any bytes as UTF-8 that JSON need not escape: printable ASCII stays, and byte b becomes the character U+0100 + b,
/// which takes two bytes. (Machine code is half zeros, each of which JSON would write in six.)
std::string as_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  for (const char each : bytes) {
    const auto c = static_cast<unsigned char>(each);
    if (stays(c)) {
      text += each;
    } else {
      text += static_cast<char>(0xc0U | (moved + c) >> 6U);
      text += static_cast<char>(0x80U | (c & 0x3fU));
    }
  }
  return text;
}

/// The bytes of such a text.
std::string as_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      bytes += static_cast<char>((c & 3U) << 6U | (static_cast<unsigned char>(text[++i]) & 0x3fU));
    }
  }
  return bytes;
}

std::vector<std::string> as_texts(const std::vector<std::string>& all) { return mapped(all, as_text); }
std::vector<std::string> as_bytes(const std::vector<std::string>& all) {
  return mapped(all, [](const std::string& text) { return as_bytes(std::string_view(text)); });
}

template <class Line>
Expected<Line> line_of(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  if (!document) return fail("protocol", document.error().text);
  Line line;
  JsonReader reader(true);
  reader.read_at("line", document->root(), line);
  if (reader.problem() != nullptr) return fail("protocol", *reader.problem());
  return line;
}

}  // namespace

std::string to_line(const CompileRequest& request) {
  RequestLine line{.unit = as_text(request.unit),
                   .name = as_text(request.name),
                   .nvcc = as_text(request.nvcc),
                   .folder = as_text(request.folder),
                   .arch = to_string(request.target.arch),
                   .is_ptx = request.target.is_ptx,
                   .line_info = request.line_info,
                   .limit_ms = request.limit.count(),
                   .memory = request.memory,
                   .options = as_texts(request.options)};
  for (const auto& [path, text] : request.headers) {
    line.headers.push_back(as_text(path));
    line.texts.push_back(as_text(text));
  }
  return JsonLine::of(line, true);
}

std::string to_line(const Compilation& compilation) {
  return JsonLine::of(CompilationLine{compilation.status, as_text(compilation.image), as_text(compilation.ptx),
                                      as_text(compilation.log), as_texts(compilation.headers)},
                      true);
}

Expected<CompileRequest> parse_request(std::string_view text) {
  const auto line = WARPCLOCK_TRY(line_of<RequestLine>(text));
  if (line.headers.size() != line.texts.size()) return fail("protocol", "headers without texts");
  CompileRequest request;
  request.unit = as_bytes(line.unit);
  request.name = as_bytes(line.name);
  request.nvcc = as_bytes(line.nvcc);
  request.folder = as_bytes(line.folder);
  request.target = {WARPCLOCK_TRY(parse_arch(line.arch)), line.is_ptx};
  request.line_info = line.line_info;
  request.limit = std::chrono::milliseconds(line.limit_ms);
  request.memory = line.memory;
  request.options = as_bytes(line.options);
  for (std::size_t i = 0; i < line.headers.size(); ++i)
    request.headers.emplace_back(as_bytes(line.headers[i]), as_bytes(line.texts[i]));
  return request;
}

Expected<Compilation> parse_compilation(std::string_view text) {
  const auto line = WARPCLOCK_TRY(line_of<CompilationLine>(text));
  Compilation compilation;
  compilation.status = line.status;
  compilation.image = as_bytes(line.image);
  compilation.ptx = as_bytes(line.ptx);
  compilation.log = as_bytes(line.log);
  compilation.headers = as_bytes(line.headers);
  return compilation;
}

namespace {

// So that a machine with many cores need not keep a compiler for each all day. A new one takes some 20 ms.
constexpr int idle_ms = 10'000;

void limit(decltype(RLIMIT_AS) resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(most, now.rlim_max);
  setrlimit(resource, &now);
}

/// What is started inherits the limit. The shadow of AddressSanitizer takes terabytes of addresses.
void limit_memory([[maybe_unused]] std::int64_t bytes) {
#ifndef __SANITIZE_ADDRESS__
  limit(RLIMIT_AS, static_cast<rlim_t>(bytes));
#endif
}

bool is_socket(int fd) {
  struct stat file {};
  return fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode);
}

/// Ends this process, and nvcc's, when the one that asks is gone: nobody else would end a compilation that hangs.
void end_with_the_asking_process() {
  std::thread([] {
    // Without an event to wait for, only the end of the other side is seen.
    for (std::array<pollfd, 1> other{{{STDIN_FILENO, 0, 0}}}; poll(other.data(), other.size(), -1) < 0;) {
      if (errno != EINTR) break;
    }
    if (getpgrp() == getpid()) kill(0, SIGKILL);
    _exit(0);
  }).detach();
}

/// Nobody sends a second request before the first is answered, so nothing waits in the stream's buffer.
bool somebody_asks() {
  std::array<pollfd, 1> input{{{STDIN_FILENO, POLLIN, 0}}};
  int ready = 0;
  while ((ready = poll(input.data(), input.size(), idle_ms)) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

}  // namespace

int serve_compilations() {
  if (!is_socket(STDIN_FILENO)) {
    std::fputs("warpclock: this command is for warpclock itself; say warpclock --help\n", stderr);
    return 2;
  }
  const int channel = take_channel();
  if (channel < 0) return 1;
  end_with_the_asking_process();
  limit(RLIMIT_CORE, 0);
  std::ios::sync_with_stdio(false);  // otherwise each character of a request is a call
  for (std::string line; somebody_asks() && std::getline(std::cin, line);) {
    const auto request = parse_request(line);
    if (!request) {
      std::fprintf(stderr, "%s\n", request.error().text.c_str());
      _exit(1);
    }
    limit_memory(request->memory);
    const Compilation done = request->nvcc.empty() ? compile_by_nvrtc(*request) : compile_by_nvcc(*request);
    if (done.status == Compilation::Status::Died) {
      std::fprintf(stderr, "%s\n", done.log.c_str());
      _exit(1);
    }
    if (!write_fully(channel, to_line(done) + '\n')) break;
  }
  // The libraries' own end may hang.
  _exit(0);
}

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
    if (!child) return without_code(Compilation::Status::Died, child.error().text);
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
