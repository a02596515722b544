// A counted loop whose own instructions are FADD, FSETP and BRA, so that none of them can be taken for one that is
// measured: `float left = trips()` before the window, and do { ... } while (again(left)) in it. The count is read anew
// for each pass, or it would be copied inside the window, and from constant memory: ptxas has to know that no lane
// leaves before another.
__constant__ u32 no_more_trips;
__device__ __forceinline__ float trips() {
  return static_cast<float>(N + *const_cast<const volatile u32*>(&no_more_trips));
}
__device__ __forceinline__ bool again(float& left) {
  asm volatile("add.rn.f32 %0, %0, 0fBF800000;" : "+f"(left));
  return left > 0.0f;
}
