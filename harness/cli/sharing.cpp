#include "gpu/launch/sharing.hpp"

#include <fmt/format.h>

#include "answer/numbers/clock_words.hpp"
#include "base/terminal.hpp"
#include "cli/measuring.hpp"

namespace warpclock {

Expected<void> warn_of_others(const Worker& worker, bool exclusive) {
  const Style style(Stream::Err);
  const std::string warning = style.yellow("warning:");
  const bool busy = worker.wait_us() >= foreign_wait_us, paused = worker.pause_us() >= foreign_pause_us;
  for (const std::string& process : worker.others())
    fmt::print(stderr, "{} another process is on this GPU: {}\n", warning, process);
  if (busy || paused) {
    fmt::print(stderr,
               "{} this GPU is busy: a kernel {} for {:.0f} us. Numbers will not be those of the GPU alone; end the "
               "other work and measure again\n",
               warning, busy ? "waits for it" : "stands still", busy ? worker.wait_us() : worker.pause_us());
  }
  const bool alone = !busy && !paused && worker.others().empty();
  if (!alone && exclusive) return refuse_to_share("the GPU is not this process's alone: nothing was measured");
  return {};
}

bool warn_of_timer(const Provenance& provenance) {
  const std::string warning = timer_warning(provenance.timer);
  if (!warning.empty()) fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), warning);
  return !warning.empty();
}

std::unexpected<Error> refuse_to_share(const char* what) {
  return fail("shared", fmt::format("--exclusive: {}", what));
}

}  // namespace warpclock
