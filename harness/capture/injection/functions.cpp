#include "capture/injection/functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "capture/injection/libraries.hpp"

namespace warpclock::injected {
namespace {

/// The modules that were loaded in this thread's call of the driver.
thread_local std::vector<std::string> loaded_in_call;

int attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  return driver().cuFuncGetAttribute(&value, which, function) == CUDA_SUCCESS ? value : -1;
}

/// The runtime and libraries may hand over a CUkernel as a CUfunction. Null if it is neither.
CUfunction function_of(CUfunction handle) {
  CUfunction function = handle;
  const char* name = nullptr;
  if (driver().cuFuncGetName(&name, handle) != CUDA_SUCCESS &&
      driver().cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(handle)) != CUDA_SUCCESS)
    return nullptr;
  return function;
}

std::vector<Parameter> parameters_of(CUfunction function) {
  std::vector<Parameter> all;
  Parameter one;
  while (driver().cuFuncGetParamInfo(function, all.size(), &one.at, &one.bytes) == CUDA_SUCCESS) all.push_back(one);
  return all;
}

}  // namespace

Function* Functions::find(CUfunction handle) {
  {
    const std::lock_guard guard(lock_);
    const auto found = by_handle_.find(handle);
    if (found != by_handle_.end()) return found->second;
  }
  const CUfunction function = function_of(handle);
  if (function == nullptr) return nullptr;
  auto made = std::make_unique<Function>(Function{.handle = function, .parameters = parameters_of(function)});
  const std::lock_guard guard(lock_);
  const auto [at, added] = by_handle_.emplace(handle, made.get());
  if (added) {
    made->id = static_cast<int>(all_.size());
    all_.push_back(std::move(made));
  }
  return at->second;
}

void Functions::loaded(std::string_view cubin) {
  const std::string hash = spool_.keep("code", cubin);
  if (hash.empty()) return;
  spool_.write(fmt::format("code {}\n", hash));
  loaded_in_call.push_back(hash);
}

void Functions::call_begins() { loaded_in_call.clear(); }

void Functions::module_is(CUmodule module) {
  if (loaded_in_call.empty()) return;
  const std::lock_guard guard(lock_);
  auto& held = code_[module];
  held.insert(held.end(), loaded_in_call.begin(), loaded_in_call.end());
}

void Functions::kernel_is(CUfunction handle) {
  CUmodule module = nullptr;
  if (!loaded_in_call.empty() && driver().cuFuncGetModule(&module, function_of(handle)) == CUDA_SUCCESS)
    module_is(module);
}

void Functions::launched(Function& function, const char* symbol) {
  const CUfunction handle = function.handle;
  CUmodule module = nullptr;
  std::string code = "-";
  if (loaded_in_call.size() == 1) code = loaded_in_call.front();
  if (driver().cuFuncGetModule(&module, handle) == CUDA_SUCCESS) {
    const std::lock_guard guard(lock_);
    const auto found = code_.find(module);
    if (code == "-" && found != code_.end() && found->second.size() == 1) code = found->second.front();
  }
  const char* name = symbol;
  if (name == nullptr && driver().cuFuncGetName(&name, handle) != CUDA_SUCCESS) name = "";
  spool_.write(fmt::format(
      "function {} {} {} {} {} {} {}\n", function.id, code, attribute(handle, CU_FUNC_ATTRIBUTE_NUM_REGS),
      attribute(handle, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), attribute(handle, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
      attribute(handle, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), hex_of(name)));
}

void Functions::forget() {
  const std::lock_guard guard(lock_);
  by_handle_.clear();
  code_.clear();
}

}  // namespace warpclock::injected
