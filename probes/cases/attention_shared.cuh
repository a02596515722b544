#pragma once

// Scores go through shared memory: which elements a lane has of a fragment of wmma is not documented, so rows are known
// only there. Two lanes work on a row, on every second four of its columns.

#include "attention_rows.cuh"

constexpr u32 wide = tile + 8;  // floats; the vectors of eight lanes are in different banks

struct Queries {
  float* scores;  // [height][wide], then the sums of the output
  u16* halves;    // [height][pitch]: queries, then exponentials, then the output
  u32 lane;

  __device__ Queries(char* scratch, u32 warp, u32 lane_) : lane(lane_) {
    scores = reinterpret_cast<float*>(scratch + warp * height * (wide * 4 + pitch * 2));
    halves = reinterpret_cast<u16*>(scores + height * wide);
  }

  __device__ void load(const u16* from) {
    const auto* const vectors = reinterpret_cast<const uint4*>(from);
    UNROLL for (u32 i = 0; i < height * head / 8; i += lanes) { *vector(i + lane) = vectors[i + lane]; }
    __syncwarp();
  }

  __device__ void store(u16* to) {
    auto* const vectors = reinterpret_cast<uint4*>(to);
    UNROLL for (u32 i = 0; i < height * head / 8; i += lanes) { vectors[i + lane] = *vector(i + lane); }
    __syncwarp();
  }

  __device__ uint4* vector(u32 i) {
    return reinterpret_cast<uint4*>(halves + i / (head / 8) * pitch + i % (head / 8) * 8);
  }

  __device__ void attend(const u16* keys, const u16* values) {
    Rows a[head / 16], b;
    UNROLL for (u32 k = 0; k < head / 16; ++k) load_a(a[k], halves + k * 16, pitch);
    UNROLL for (u32 j = 0; j < tile / 16; ++j) {
      Sums sum = {};
      UNROLL for (u32 k = 0; k < head / 16; ++k) {
        load_b_columns(b, keys + j * 16 * pitch + k * 16, pitch);
        multiply_columns(sum, a[k], b);
      }
      store_sums(scores + j * 16, sum, wide);
    }
    __syncwarp();
    const float scale = exponentials();
    __syncwarp();
    UNROLL for (u32 k = 0; k < tile / 16; ++k) load_a(a[k], halves + k * 16, pitch);
    UNROLL for (u32 j = 0; j < head / 16; ++j) {
      Sums sum = {};
      UNROLL for (u32 k = 0; k < tile / 16; ++k) {
        load_b_rows(b, values + k * 16 * pitch + j * 16, pitch);
        multiply_rows(sum, a[k], b);
      }
      store_sums(scores + j * 16, sum, wide);
    }
    __syncwarp();
    UNROLL for (u32 i = 0; i < head / 8; ++i) {
      const float4 v = *four(i);
      keep(i, v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
    __syncwarp();
  }

  // Writes the exponentials of this lane's scores, and returns one over the sum of the row.
  __device__ float exponentials() {
    float4 v[tile / 8];
    float most = -1e30F, sum = 0;
    UNROLL for (u32 i = 0; i < tile / 8; ++i) {
      v[i] = *four(i);
      most = fmaxf(most, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    most = fmaxf(most, __shfl_xor_sync(all_lanes, most, 1));
    UNROLL for (u32 i = 0; i < tile / 8; ++i) {
      float* const s = &v[i].x;
      UNROLL for (u32 k = 0; k < 4; ++k) sum += s[k] = exp2_fast(fmaf(s[k], to_exponent, -most * to_exponent));
      keep(i, s[0], s[1], s[2], s[3]);
    }
    return reciprocal(sum + __shfl_xor_sync(all_lanes, sum, 1));
  }

  __device__ float4* four(u32 i) { return reinterpret_cast<float4*>(scores + lane / 2 * wide + i * 8 + lane % 2 * 4); }

  __device__ void keep(u32 i, float x, float y, float z, float w) {
    *reinterpret_cast<uint2*>(halves + lane / 2 * pitch + i * 8 + lane % 2 * 4) = {to_halves(x, y), to_halves(z, w)};
  }
};
