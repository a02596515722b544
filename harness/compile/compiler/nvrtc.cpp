#include "compile/compiler/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nvrtc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

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
