#include "gpu/launch/sharing.hpp"

#include <fmt/format.h>

#include "base/terminal.hpp"
#include "cli/measuring.hpp"

namespace warpclock {

bool warn_of_others(const Worker& worker) {
  const Style style(Stream::Err);
  const bool busy = worker.wait_us() >= foreign_wait_us;
  for (const std::string& process : worker.others())
    fmt::print(stderr, "{} another process is on this GPU: {}\n", style.yellow("warning:"), process);
  if (busy) {
    fmt::print(stderr,
               "{} this GPU is busy: a kernel waits {:.0f} us for it. Numbers will not be those of the GPU alone; "
               "end the other work and measure again\n",
               style.yellow("warning:"), worker.wait_us());
  }
  return busy || !worker.others().empty();
}

std::unexpected<Error> refuse_to_share(const char* what) {
  return fail("shared", fmt::format("--exclusive: {}", what));
}

}  // namespace warpclock
