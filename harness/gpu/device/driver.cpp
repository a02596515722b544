#include "gpu/device/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files/file.hpp"
#include "code/toolkit.hpp"

#define WARPCLOCK_TEXT_OF(name) #name
#define WARPCLOCK_TEXT(name) WARPCLOCK_TEXT_OF(name)

namespace warpclock {

Expected<Driver> load_driver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail("no-driver", fmt::format("the NVIDIA driver is not installed ({})", why ? why : library));
  }
  Driver driver;
  const char* missing = nullptr;
#define WARPCLOCK_LOAD(name)                                \
  load_function(handle, WARPCLOCK_TEXT(name), driver.name); \
  if (driver.name == nullptr) missing = WARPCLOCK_TEXT(name);
  WARPCLOCK_DRIVER_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
#define WARPCLOCK_LOAD(name) load_function(handle, WARPCLOCK_TEXT(name), driver.name);
  WARPCLOCK_GREEN_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  if (missing != nullptr) {
    return fail("no-driver",
                fmt::format("{} has no {}: the NVIDIA driver is older than this program needs", library, missing));
  }
  return driver;
}

namespace {

/// Whether this error destroys the context, so that only a new process can continue (CUDA Driver API, "CUresult":
/// "leaves the process in an inconsistent state").
bool is_sticky(CUresult result) {
  static constexpr std::array sticky = {
      CUDA_ERROR_ECC_UNCORRECTABLE,     CUDA_ERROR_NVLINK_UNCORRECTABLE, CUDA_ERROR_ILLEGAL_ADDRESS,
      CUDA_ERROR_LAUNCH_TIMEOUT,        CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
      CUDA_ERROR_HARDWARE_STACK_ERROR,  CUDA_ERROR_ILLEGAL_INSTRUCTION,  CUDA_ERROR_MISALIGNED_ADDRESS,
      CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED,
      CUDA_ERROR_EXTERNAL_DEVICE,       CUDA_ERROR_DEINITIALIZED,        CUDA_ERROR_UNKNOWN,
  };
  // Later toolkits name more of them; these numbers are from CUDA 13.0's cuda.h.
  static constexpr std::array<int, 2> newer = {721 /* TENSOR_MEMORY_LEAK */, 226 /* CONTAINED */};
  return std::ranges::find(sticky, result) != sticky.end() ||
         std::ranges::find(newer, static_cast<int>(result)) != newer.end();
}

}  // namespace

Expected<void> check(const Driver& driver, CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown CUDA error";
  if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  const ErrorCode code = is_sticky(result)                    ? ErrorCode::Fault
                         : result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::Memory
                                                              : ErrorCode::Cuda;
  return fail(code, fmt::format("{} ({}): {}, while {}", name, static_cast<int>(result), text, doing));
}

void tell_fault(const Driver& driver, Error& error) {
  if (driver.cuStreamSynchronize(nullptr) != CUDA_SUCCESS) error.code = word(ErrorCode::Fault);
}

int device_attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

ModuleCache::~ModuleCache() {
  for (const Entry& entry : entries_) driver_.cuModuleUnload(entry.module);
}

Expected<ModuleCache::Entry*> ModuleCache::entry(const std::string& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front();
  }
  const auto image = WARPCLOCK_TRY(read_file(path));
  while (entries_.size() >= capacity_) WARPCLOCK_TRY(unload(std::string(entries_.back().path)));
  CUmodule module = nullptr;
  // c_str() ends in the NUL that the driver requires after PTX text.
  WARPCLOCK_TRY(check(driver_, driver_.cuModuleLoadData(&module, image.c_str()), fmt::format("loading {}", path)));
  entries_.push_front({path, module, {}});
  return &entries_.front();
}

Expected<void> ModuleCache::unload(const std::string& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found == entries_.end()) return {};
  const CUmodule module = found->module;
  entries_.erase(found);
  return check(driver_, driver_.cuModuleUnload(module), "unloading a module");
}

Expected<CUfunction> ModuleCache::function(const std::string& path, const std::string& symbol) {
  const auto found = WARPCLOCK_TRY(entry(path));
  auto& functions = found->functions;
  if (const auto known = functions.find(symbol); known != functions.end()) return known->second;
  CUfunction function = nullptr;
  WARPCLOCK_TRY(check(driver_, driver_.cuModuleGetFunction(&function, found->module, symbol.c_str()),
                      fmt::format("looking up the kernel {}", symbol)));
  functions[symbol] = function;
  return function;
}

namespace {

// cublas_api.h and library_types.h: cublasOperation_t, cudaDataType, cublasComputeType_t and cublasGemmAlgo_t.
constexpr int as_it_is = 0, transposed = 1;
constexpr int f32 = 0, f16 = 2;
constexpr int compute_f32 = 68;
constexpr int default_algorithm = -1;

}  // namespace

Expected<Cublas> load_cublas() {
  void* library = WARPCLOCK_TRY(load_library({.name = "libcublas.so", .built_with = "", .companions = {}}));
  Cublas cublas;
  bool whole = true;
  const auto load = [&](const char* name, auto& function) {
    load_function(library, name, function);
    whole = whole && function != nullptr;
  };
  load("cublasCreate_v2", cublas.cublasCreate_v2);
  load("cublasDestroy_v2", cublas.cublasDestroy_v2);
  load("cublasGetProperty", cublas.cublasGetProperty);
  load("cublasGetStatusString", cublas.cublasGetStatusString);
  load("cublasGemmEx", cublas.cublasGemmEx);
  if (!whole) return fail("toolkit", "cuBLAS lacks a function: install CUDA Toolkit 13.0");
  return cublas;
}

Expected<CublasHandle> CublasHandle::open(const Cublas& cublas) {
  void* handle = nullptr;
  const int status = cublas.cublasCreate_v2(&handle);
  CublasHandle made(cublas, handle);
  WARPCLOCK_TRY(made.check(status, "starting"));
  return made;
}

Expected<void> CublasHandle::check(int status, const char* doing) const {
  if (status == 0) return {};
  return fail("library", fmt::format("{} cuBLAS: {}", doing, cublas_.cublasGetStatusString(status)));
}

Expected<std::string> CublasHandle::version() const {
  std::array<int, 3> parts{};  // in the order of libraryPropertyType
  for (std::size_t i = 0; i < parts.size(); ++i)
    WARPCLOCK_TRY(check(cublas_.cublasGetProperty(static_cast<int>(i), &parts.at(i)), "reading the version of"));
  return fmt::format("{}", fmt::join(parts, "."));
}

// cuBLAS reads matrices by columns, so it takes C, A and B by rows for their transposes: C^T = B A^T.
Expected<void> CublasHandle::multiply(const LibraryGemm& size, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const {
  const auto m = static_cast<int>(size.m), n = static_cast<int>(size.n), k = static_cast<int>(size.k);
  constexpr float one = 1, zero = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): cuBLAS takes the driver's addresses as pointers.
  const auto pointer = [](CUdeviceptr address) { return reinterpret_cast<void*>(address); };
  const int status =
      cublas_.cublasGemmEx(handle_.get(), transposed, as_it_is, n, m, k, &one, pointer(b), f16, k, pointer(a), f16, k,
                           &zero, pointer(c), f32, n, compute_f32, default_algorithm);
  return check(status, "calling");
}

}  // namespace warpclock
