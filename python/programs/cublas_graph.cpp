// Products of matrices by cuBLAS: of FP32, TF32, FP16 and BF16, batched, by vectors, and in a CUDA graph.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, status);
  std::exit(1);
}

struct Operands {
  void *a, *b, *c;
};

void multiply(cublasHandle_t blas, const Operands& of, int m, int n, int k, cudaDataType type, cublasComputeType_t by,
              cublasOperation_t first = CUBLAS_OP_N) {
  const float one = 1, zero = 0;
  check(cublasGemmEx(blas, first, CUBLAS_OP_N, m, n, k, &one, of.a, type, first == CUBLAS_OP_N ? m : k, of.b, type, k,
                     &zero, of.c, type, m, by, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

void multiply_all(cublasHandle_t blas, const Operands& of) {
  const int shapes[][3] = {{4096, 4096, 4096}, {8192, 1024, 2048}, {1024, 8192, 4096}, {2048, 2048, 8192},
                           {512, 512, 16384},  {4096, 64, 4096},   {16384, 2048, 512}};
  for (const auto& [m, n, k] : shapes) {
    for (const auto first : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      multiply(blas, of, m, n, k, CUDA_R_16F, CUBLAS_COMPUTE_32F, first);
      multiply(blas, of, m, n, k, CUDA_R_16BF, CUBLAS_COMPUTE_32F, first);
      multiply(blas, of, m, n, k, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, first);
    }
    multiply(blas, of, m, n, k, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  }
}

}  // namespace

int main() {
  constexpr size_t bytes = size_t{256} << 20;
  Operands of{};
  for (void** operand : {&of.a, &of.b, &of.c}) {
    check(cudaMalloc(operand, bytes), "cudaMalloc");
    check(cudaMemset(*operand, 0x1d, bytes), "cudaMemset");
  }
  cublasHandle_t blas = nullptr;
  cudaStream_t stream = nullptr;
  check(cublasCreate(&blas), "cublasCreate");
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  check(cublasSetStream(blas, stream), "cublasSetStream");
  for (int time = 0; time < 2; ++time) multiply_all(blas, of);

  const float one = 1, zero = 0;
  const auto a = static_cast<const float*>(of.a), b = static_cast<const float*>(of.b);
  const auto c = static_cast<float*>(of.c);
  check(cublasSgemv(blas, CUBLAS_OP_N, 4096, 8192, &one, a, 4096, b, 1, &zero, c, 1), "cublasSgemv");
  check(cublasSgemv(blas, CUBLAS_OP_T, 4096, 8192, &one, a, 4096, b, 1, &zero, c, 1), "cublasSgemv");
  check(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 256, 256, 256, &one, a, 256, 65536, b, 256, 65536,
                                  &zero, c, 256, 65536, 64),
        "cublasSgemmStridedBatched");
  check(cublasSdot(blas, 1 << 24, a, 1, b, 1, c), "cublasSdot");

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  multiply(blas, of, 2048, 2048, 2048, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  multiply(blas, of, 2048, 2048, 4096, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  for (int time = 0; time < 3; ++time) check(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}
