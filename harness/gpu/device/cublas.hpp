#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "gpu/job/call.hpp"

namespace warpclock {

/// The functions of cuBLAS in use, with the types of cublas_api.h: a pointer for a handle, int for an enumeration. The
/// parts of a toolkit that this program is built with do not include that header. Tests replace them by their own.
struct Cublas {
  int (*cublasCreate_v2)(void** handle) = nullptr;
  int (*cublasDestroy_v2)(void* handle) = nullptr;
  int (*cublasGetProperty)(int type, int* value) = nullptr;
  const char* (*cublasGetStatusString)(int status) = nullptr;
  int (*cublasGemmEx)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                      int type_a, int lda, const void* b, int type_b, int ldb, const void* beta, void* c, int type_c,
                      int ldc, int compute, int algorithm) = nullptr;
};

/// cuBLAS, loaded at run time. Error "toolkit" if there is none, or if it lacks a function.
[[nodiscard]] Expected<Cublas> load_cublas();
using LoadCublas = std::function<Expected<Cublas>()>;

/// A handle of cuBLAS for the current context; it uses the default stream.
class CublasHandle {
 public:
  /// Error "library" with the status that cuBLAS gives.
  [[nodiscard]] static Expected<CublasHandle> open(const Cublas& cublas);

  [[nodiscard]] Expected<std::string> version() const;  ///< "13.1.0". Error "library".

  /// Puts C = A B^T into the stream and does not wait. Error "library".
  [[nodiscard]] Expected<void> multiply(const LibraryGemm& size, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const;

 private:
  CublasHandle(const Cublas& cublas, void* handle) : cublas_(cublas), handle_(handle, cublas.cublasDestroy_v2) {}
  [[nodiscard]] Expected<void> check(int status, const char* doing) const;

  Cublas cublas_;
  std::unique_ptr<void, int (*)(void*)> handle_;
};

}  // namespace warpclock
