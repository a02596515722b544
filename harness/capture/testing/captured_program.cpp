// A program that is captured in tests: it launches kernels of the GPU that does not exist, and ends as its arguments
// say, one after the other.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

template <class Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

int main(int argc, char** argv) {
  void* const cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (cuda == nullptr || dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL) == nullptr) return 99;
  function<void()>(cuda, "fake_start")();
  auto* const launch = function<void(const char*, std::size_t, int, std::uint64_t)>(cuda, "fake_launch");
  for (int i = 1; i < argc; ++i) {
    const std::string what = argv[i];
    if (what == "launch") {
      for (int run = 0; run < 3; ++run) launch("pipeline", 512, 65, 2000);
      launch("pipeline", 256, 65, 3000);
      launch("pipeline", 4, 65, 2000);
      launch("pipeline", 512, 33, 1000);
    } else if (what == "many") {
      for (int number = 0; number < 300; ++number) launch("pipeline", 0, number, 10);
    } else if (what == "times" && i + 1 < argc) {
      for (long left = std::stol(argv[++i]); left > 0; --left) launch("pipeline", 512, 65, 2000);
    } else if (what == "graph") {
      function<void(const char*)>(cuda, "fake_graph")("pipeline");
    } else if (what == "libraries") {
      function<void(const char*)>(cuda, "fake_libraries")("pipeline");
    } else if (what == "flush") {
      function<int(std::uint32_t)>(cuda, "cuptiActivityFlushAll")(0);
    } else if (what == "fork") {
      const pid_t child = fork();
      if (child == 0) {
        launch("pipeline", 0, 1000, 10);
        std::exit(5);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (WEXITSTATUS(status) != 5) return 98;
    } else if (what == "exec") {
      const pid_t child = fork();
      if (child == 0) execl(argv[0], argv[0], "launch", nullptr);
      waitpid(child, nullptr, 0);
    } else if (what == "kill") {
      kill(getpid(), SIGKILL);
    } else if (what == "abort") {
      std::abort();
    } else if (what == "leave") {
      _exit(4);
    } else {
      return std::stoi(what);
    }
  }
}
