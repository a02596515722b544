#include "fleet/expected_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files/paths.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

/// "GPU-d483ba7f-aaa5-bad0-9d98-020dbaec1eb9" of a line; empty if there is none.
std::string uuid_in(std::string_view line) {
  constexpr std::string_view begin = "GPU-", layout = "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  for (std::size_t at = line.find(begin); at != line.npos; at = line.find(begin, at + 1)) {
    const std::string_view word = line.substr(at, layout.size());
    const bool fits = std::ranges::equal(word, layout, [](char c, char wanted) {
      return wanted == 'x' ? std::string_view("0123456789abcdef").contains(c) : c == wanted;
    });
    if (fits) return std::string(word);
  }
  return {};
}

}  // namespace

Expected<ExpectedGpus> expected_gpus(const std::string& given) {
  ExpectedGpus expected;
  if (const auto count = whole_number<std::size_t>(given)) {
    if (*count == 0) return fail("usage", "--expect: a fleet has at least one GPU");
    expected.count = count;
    return expected;
  }
  const std::string text = WARPCLOCK_TRY(read_file(given, most_text_bytes));
  std::size_t number = 0;
  for (const std::string& line : lines(text)) {
    ++number;
    const std::string_view said = trim(line);
    if (said.empty() || said.starts_with('#')) continue;
    std::string uuid = uuid_in(said);
    if (uuid.empty())
      return fail("config", "there is no UUID of a GPU in this line: `nvidia-smi -L` prints them",
                  fmt::format("{}:{}", given, number));
    expected.uuids.push_back(std::move(uuid));
  }
  if (expected.uuids.empty()) return fail("config", "there is no GPU in this list", given);
  sort_once(expected.uuids);
  return expected;
}

std::vector<FleetFailure> missed(const ExpectedGpus& expected, const Observations& observations) {
  std::vector<FleetFailure> failures;
  if (expected.count) {
    if (const std::size_t count = observations.gpus.size(); count != *expected.count)
      failures.push_back({"--expect", fmt::format("{} expected, and there are records of {}",
                                                  counted(static_cast<std::int64_t>(*expected.count), "GPU"), count)});
    return failures;
  }
  std::set<std::string> absent(expected.uuids.begin(), expected.uuids.end());
  for (const FleetGpu& gpu : observations.gpus) {
    if (absent.erase(gpu.device.uuid) == 0)
      failures.push_back({gpu.folder, fmt::format("{} is not in the list of --expect", gpu.label)});
  }
  for (const std::string& uuid : absent) failures.push_back({uuid, "it is expected, and there is no record of it"});
  return failures;
}

}  // namespace warpclock
