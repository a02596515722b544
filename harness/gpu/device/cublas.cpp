#include "gpu/device/cublas.hpp"

#include <fmt/format.h>

#include <array>

#include "code/toolkit.hpp"

namespace warpclock {
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
