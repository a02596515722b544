#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <ios>
#include <string>

#include "base/files/paths.hpp"
#include "gpu/launch/launcher.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_contents = std::size_t{256} << 20;

}  // namespace

Expected<void> Launcher::exchange(const Job& job, std::span<const ReadyKernel> kernels) {
  const JobContents& contents = job.contents;
  const auto bytes = static_cast<std::size_t>(job.data.bytes), begin = static_cast<std::size_t>(contents.begin);
  const auto kept = static_cast<std::size_t>(contents.end) - begin;
  if (contents.begin < 0 || contents.begin > contents.end || contents.end > job.data.bytes)
    return fail("data", fmt::format("bytes {} to {} of {} are to be kept", contents.begin, contents.end, bytes));
  if (!held_contents_ || held_contents_->first != contents.from) {
    auto text = WARPCLOCK_TRY(read_file(contents.from, most_contents));
    held_contents_.emplace(contents.from, std::move(text));
  }
  if (contents.constants < 0 || contents.constants + std::int64_t{sizeof tensor_} > job.data.bytes)
    return fail("data", "the constants are not in the data");
  const std::string& all = held_contents_->second;
  std::ofstream to(contents.to, std::ios::binary | std::ios::trunc);
  std::string left(kept, '\0');
  for (const ReadyKernel& kernel : kernels) {
    const std::size_t at = static_cast<std::size_t>(kernel.part) * bytes;
    if (kernel.part < 0 || at + bytes > all.size())
      return fail("data", fmt::format("{} has no part {}", contents.from, kernel.part));
    WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyHtoD(data_.address(), all.data() + at, bytes), "filling the data"));
    std::memcpy(&tensor_, all.data() + at + static_cast<std::size_t>(contents.constants), sizeof tensor_);
    const auto clocks = WARPCLOCK_TRY(this->clocks(kernel));
    WARPCLOCK_TRY(launch(job, kernel, clocks));
    WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(left.data(), data_.address() + begin, kept), "running a kernel"));
    to.write(left.data(), static_cast<std::streamsize>(kept));
  }
  if (!to.flush()) return fail("io", fmt::format("cannot write {}", contents.to));
  return {};
}

}  // namespace warpclock
