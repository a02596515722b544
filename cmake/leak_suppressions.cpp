// What leaks inside closed libraries, once per process; read by LeakSanitizer when the program ends.
extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libnvrtc\n"
         "leak:libcupti\n"
         "leak:libcuda.so\n";
}
