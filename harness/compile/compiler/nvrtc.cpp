#include "compile/compiler/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nvrtc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "code/toolkit.hpp"

/// The functions of NVRTC in use.
#define WARPCLOCK_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                    \
  X(nvrtcGetNumSupportedArchs)       \
  X(nvrtcGetSupportedArchs)          \
  X(nvrtcGetErrorString)             \
  X(nvrtcCreateProgram)              \
  X(nvrtcCompileProgram)             \
  X(nvrtcDestroyProgram)             \
  X(nvrtcGetProgramLogSize)          \
  X(nvrtcGetProgramLog)              \
  X(nvrtcGetPTXSize)                 \
  X(nvrtcGetPTX)                     \
  X(nvrtcGetCUBINSize)               \
  X(nvrtcGetCUBIN)

namespace warpclock {

namespace {

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

/// The text after the first `mark` in the line.
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  const auto at = line.find(mark);
  if (at == line.npos) return std::nullopt;
  return line.substr(at + mark.size());
}

struct PtxPosition {
  std::string place;
  std::string statement;
};

/// The source position that the .loc lines give for a line of the PTX.
PtxPosition ptx_position(const Compilation& compilation, int wanted) {
  std::string_view ptx = compilation.ptx;
  std::map<int, std::string> files;
  int file = 0, source_line = 0, number = 0;
  std::string statement;
  while (!ptx.empty()) {
    const auto line = trim(next_line(ptx));
    if (++number <= wanted && line.starts_with(".loc")) {
      const auto rest = trim(line.substr(4));
      file = leading_number<int>(rest).value_or(0);
      const auto blank = rest.find_first_of(" \t");
      source_line = blank == rest.npos ? 0 : leading_number<int>(trim(rest.substr(blank))).value_or(0);
    } else if (number == wanted) {
      statement = std::string(line);
    } else if (line.starts_with(".file")) {
      // The table of files comes last: .file 1 "shuffle/latency.cu"
      const auto open = line.find('"');
      const auto close = line.rfind('"');
      if (open != line.npos && close > open) {
        files[leading_number<int>(trim(line.substr(5))).value_or(0)] =
            std::string(line.substr(open + 1, close - open - 1));
      }
    }
  }
  PtxPosition position{{}, std::move(statement)};
  // The table lists files as if they were in the current folder.
  for (const std::string& header : compilation.headers) {
    if (source_line > 0 && files[file].ends_with("/" + header))
      position.place = fmt::format("{}:{}", header, source_line);
  }
  return position;
}

/// "shuffle/latency.cu(12): error: identifier "x" is undefined"
std::optional<Error> front_end_error(std::string_view line) {
  const auto close = line.find("): ");
  if (close == line.npos) return std::nullopt;
  const auto open = line.rfind('(', close);
  const auto said = line.substr(close + 3);
  if (open == line.npos || !leading_number<int>(line.substr(open + 1))) return std::nullopt;
  if (!said.starts_with("error") && !said.starts_with("catastrophic error") && !said.starts_with("internal error")) {
    return std::nullopt;
  }
  const auto text = after(said, ": ").value_or(said);
  return Error{"compile-error", std::string(trim(text)),
               fmt::format("{}:{}", line.substr(0, open), line.substr(open + 1, close - open - 1))};
}

/// What the host compiler that nvcc starts says: "a.cu:3:10: fatal error: far.h: No such file or directory"
std::optional<Error> host_error(std::string_view line) {
  for (const std::string_view mark : {": fatal error: ", ": error: "}) {
    const auto text = after(line, mark);
    if (!text) continue;
    const std::string_view place = line.substr(0, line.find(mark));
    const auto column = place.rfind(':');
    const auto number = column == place.npos ? column : place.rfind(':', column - 1);
    if (number == place.npos || !leading_number<int>(place.substr(number + 1))) continue;
    return Error{"compile-error", std::string(trim(*text)), std::string(place.substr(0, column))};
  }
  return std::nullopt;
}

/// "ptxas application ptx input, line 56; error   : Unknown modifier '.bogus'", "ptxas error   : Entry function ..."
std::optional<Error> back_end_error(std::string_view line, const Compilation& compilation) {
  if (!line.starts_with("ptxas")) return std::nullopt;
  const bool counts = line.find("error") != line.npos || line.find("fatal") != line.npos;
  const auto text = after(line, " : ");
  if (!counts || !text) return std::nullopt;
  Error error{"compile-error", std::string(trim(*text)), {}};
  if (const auto number = after(line, ", line ").and_then(leading_number<int>)) {
    const PtxPosition position = ptx_position(compilation, *number);
    error.place = position.place;
    if (!position.statement.empty()) error.text += fmt::format(" in `{}`", position.statement);
  }
  return error;
}

}  // namespace

Error compile_error(const Compilation& compilation) {
  if (compilation.status == Compilation::Status::Cancelled) {
    return {"compile-error", "the compilation took too long and was given up; lower the probe's repeat counts", {}};
  }
  if (compilation.status == Compilation::Status::Died) return {"compiler-died", compilation.log, {}};
  std::string_view log = compilation.log;
  std::string first;
  while (!log.empty()) {
    const auto line = trim(next_line(log));
    if (auto error = front_end_error(line)) return *std::move(error);
    if (auto error = back_end_error(line, compilation)) return *std::move(error);
    if (auto error = host_error(line)) return *std::move(error);
    if (first.empty()) first = line;
  }
  return {"compile-error", first.empty() ? "the compiler failed and gave no reason" : first, {}};
}

namespace {

struct NvrtcLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses.
#define WARPCLOCK_DECLARE(name) decltype(&::name) name = nullptr;
  WARPCLOCK_NVRTC_FUNCTIONS(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
};

Expected<NvrtcLibrary> load_nvrtc() {
  void* handle = WARPCLOCK_TRY(load_library(
      {.name = "libnvrtc.so", .built_with = WARPCLOCK_NVRTC_DEFAULT, .companions = {"libnvrtc-builtins.so"}}));
  NvrtcLibrary nvrtc;
  const char* missing = nullptr;
#define WARPCLOCK_LOAD(name)                \
  load_function(handle, #name, nvrtc.name); \
  if (nvrtc.name == nullptr) missing = #name;
  WARPCLOCK_NVRTC_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  if (missing != nullptr) return fail("toolkit", fmt::format("NVRTC has no {}: install CUDA Toolkit 13.0", missing));
  return nvrtc;
}

/// NVRTC, loaded at the first call. Error "toolkit" if there is none, or if it lacks a function.
const Expected<NvrtcLibrary>& nvrtc_library() {
  static const Expected<NvrtcLibrary> library = load_nvrtc();
  return library;
}

template <class Size, class Get>
std::string fetch(nvrtcProgram program, Size size, Get get) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(program, text.data()) != NVRTC_SUCCESS) return {};
  return text;
}

std::string without_end(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

std::string nvrtc_version() {
  int major = 0, minor = 0;
  if (!nvrtc_library()) return "none";
  if (nvrtc_library()->nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "unknown";
  return fmt::format("{}.{}", major, minor);
}

std::string nvrtc_path() {
  Dl_info info{};
  if (!nvrtc_library()) return {};
  return dladdr(reinterpret_cast<const void*>(nvrtc_library()->nvrtcVersion), &info) != 0 ? info.dli_fname : "";
}

const std::string& nvrtc_identity() {
  static const std::string identity = fmt::format("{} {}", nvrtc_version(), tool_identity(nvrtc_path()));
  return identity;
}

const std::vector<int>& supported_sms() {
  static const std::vector<int> sms = [] {
    int count = 0;
    std::vector<int> all;
    if (!nvrtc_library()) return all;
    if (nvrtc_library()->nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
      all.resize(static_cast<std::size_t>(count));
      if (nvrtc_library()->nvrtcGetSupportedArchs(all.data()) != NVRTC_SUCCESS) all.clear();
    }
    std::ranges::sort(all);
    return all;
  }();
  return sms;
}

Arch newest_known_arch() { return {.sm = supported_sms().empty() ? 0 : supported_sms().back()}; }

Expected<Target> target_for(const Arch& arch) {
  if (!nvrtc_library()) return std::unexpected(nvrtc_library().error());
  const auto& sms = supported_sms();
  const bool known = std::ranges::binary_search(sms, arch.sm);
  if (known && arch.specific && arch.sm < 90) {
    return fail(ErrorCode::UnsupportedArch,
                fmt::format("{} has no architecture-specific variant; say sm_{}", to_string(arch), arch.sm));
  }
  if (known) return Target{arch, false};
  const auto above = std::ranges::upper_bound(sms, arch.sm);
  if (above == sms.begin()) {
    return fail(ErrorCode::UnsupportedArch, fmt::format("NVRTC {} does not compile for {}; it knows sm_{}",
                                                        nvrtc_version(), to_string(arch), fmt::join(sms, ", sm_")));
  }
  return Target{{.sm = *std::prev(above)}, true};
}

std::vector<std::string> compile_options(const Target& target) {
  const std::string name = to_string(target.arch);
  return {"-arch=" + (target.is_ptx ? "compute" + name.substr(2) : name), "-std=c++17", "-default-device"};
}

Compilation compile_by_nvrtc(const CompileRequest& request) {
  std::vector<const char*> names, texts, options;
  for (const auto& [name, text] : request.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  std::vector<std::string> all = compile_options(request.target);
  if (request.line_info) all.emplace_back("-lineinfo");
  all.insert(all.end(), request.options.begin(), request.options.end());
  for (const auto& option : all) options.push_back(option.c_str());

  Compilation result;
  for (const auto& header : request.headers) result.headers.push_back(header.first);
  if (!nvrtc_library()) {
    result.log = nvrtc_library().error().text;
    return result;
  }
  const NvrtcLibrary& nvrtc = *nvrtc_library();
  nvrtcProgram program = nullptr;
  nvrtcResult status = nvrtc.nvrtcCreateProgram(&program, request.unit.c_str(), request.name.c_str(),
                                                static_cast<int>(names.size()), texts.data(), names.data());
  if (status != NVRTC_SUCCESS) {
    result.log = nvrtc.nvrtcGetErrorString(status);
    return result;
  }
  status = nvrtc.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  result.log = without_end(fetch(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog));
  result.ptx = without_end(fetch(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX));
  if (status == NVRTC_SUCCESS) {
    result.image = request.target.is_ptx ? result.ptx : fetch(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN);
    result.status = result.image.empty() ? Compilation::Status::Failed : Compilation::Status::Done;
  } else if (status == NVRTC_ERROR_OUT_OF_MEMORY) {
    // Not the source's fault if earlier ones left too little: a fresh process is to try it.
    result.status = Compilation::Status::Died;
    result.log = "ran out of memory";
  } else if (result.log.empty()) {
    result.log = nvrtc.nvrtcGetErrorString(status);
  }
  nvrtc.nvrtcDestroyProgram(&program);
  return result;
}

}  // namespace warpclock
