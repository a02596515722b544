// What sanitized programs need to live with NVIDIA's closed libraries; no other build links this.
#include <dlfcn.h>

// CUPTI opens its host library with RTLD_DEEPBIND, at which AddressSanitizer ends the program. Its own allocator would
// be bound past, which is what the flag is for and what a sanitizer cannot have.
extern "C" void* dlopen(const char* file, int mode) noexcept {
  using Open = void* (*)(const char*, int);
  static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  return next(file, mode & ~RTLD_DEEPBIND);
}

// What leaks inside them, once per process; LeakSanitizer asks when the program ends.
extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libcupti\n"
         "leak:libnvperf\n"
         "leak:libnvrtc\n"
         "leak:libcuda.so\n";
}
