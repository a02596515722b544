// A tiled product on tensor cores: a cp.async pipeline, ldmatrix, mma, and wmma for the second half.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int k) {
  __shared__ alignas(128) __half tile[2][2][64 * 16];
  const int thread = threadIdx.x;
  float d[4] = {};
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
  nvcuda::wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    __pipeline_memcpy_async(&tile[(i / 16) % 2][0][thread * 8], a + i * 64 + thread * 8, 16);
    __pipeline_memcpy_async(&tile[(i / 16) % 2][1][thread * 8], b + i * 64 + thread * 8, 16, thread & 8);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const __half* from = tile[(i / 16 + 1) % 2][0];
    unsigned x[4], y[2];
    const auto place = static_cast<unsigned>(__cvta_generic_to_shared(from + (thread % 16) * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(place));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(place));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major> left;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __half, nvcuda::wmma::col_major> right;
    nvcuda::wmma::load_matrix_sync(left, from, 16);
    nvcuda::wmma::load_matrix_sync(right, from + 256, 16);
    nvcuda::wmma::mma_sync(sum, left, right, sum);
    __syncthreads();
  }
  nvcuda::wmma::store_matrix_sync(c, sum, 16, nvcuda::wmma::mem_row_major);
  *reinterpret_cast<float4*>(c + 256 + 4 * thread) = make_float4(d[0], d[1], d[2], d[3]);
}
