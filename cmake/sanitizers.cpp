// What sanitized programs need to live with NVIDIA's closed libraries; no other build links this.
#include <dlfcn.h>

// CUPTI opens its host library with RTLD_DEEPBIND, at which AddressSanitizer ends the program. Its own allocator would
// be bound past, which is what the flag is for and what a sanitizer cannot have.
extern "C" void* dlopen(const char* file, int mode) noexcept {
  using Open = void* (*)(const char*, int);
  static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  return next(file, mode & ~RTLD_DEEPBIND);
}

extern "C" {
const char* __asan_default_options();
const char* __lsan_default_options();
const char* __lsan_default_suppressions();

// The CUDA driver maps memory where the shadow's gap is. And where a library's thread-local block happens to begin 16
// bytes into a page, the runtime of GCC 12 reads the bytes before it as a header of glibc 2.19, and the leak check
// crashes reading what that "header" points to: once in some hundred runs of what opens CUPTI. NVRTC allocates so much
// that whole stacks of it and a quarantine of 256 MB take a sixth of the time of tests that compile; ASAN_OPTIONS
// brings them back.
const char* __asan_default_options() {
  return "protect_shadow_gap=0:intercept_tls_get_addr=0:malloc_context_size=8:quarantine_size_mb=16";
}

// A list of what was suppressed would stand in the output that tests compare.
const char* __lsan_default_options() { return "print_suppressions=0"; }

// What leaks inside the libraries, once per process.
const char* __lsan_default_suppressions() {
  return "leak:libcupti\n"
         "leak:libnvperf\n"
         "leak:libnvrtc\n"
         "leak:libcuda.so\n";
}
}
