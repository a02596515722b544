// A counted loop whose own instructions are FADD, FSETP and BRA, so that none of them can be mistaken for a measured
// one: `float left = trips()` before the window, and do { ... } while (again(left)) in it. The count is read again for
// each pass, because otherwise it would be copied inside the window. It comes from constant memory, because ptxas must
// know that all lanes leave the loop together.
__constant__ u32 no_more_trips;
__device__ __forceinline__ float trips(u32 count = N) {
  return static_cast<float>(count + *const_cast<const volatile u32*>(&no_more_trips));
}
__device__ __forceinline__ bool again(float& left) {
  asm volatile("add.rn.f32 %0, %0, 0fBF800000;" : "+f"(left));
  return left > 0.0f;
}
