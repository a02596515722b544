#include "compile/nvrtc_library.hpp"

#include <fmt/format.h>

#include "code/toolkit.hpp"

namespace warpclock {
namespace {

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
  load_function(handle, "nvrtcSetFlowCallback", nvrtc.nvrtcSetFlowCallback);
  return nvrtc;
}

}  // namespace

const Expected<NvrtcLibrary>& nvrtc_library() {
  static const Expected<NvrtcLibrary> library = load_nvrtc();
  return library;
}

}  // namespace warpclock
