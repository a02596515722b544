#include "report/page/page_place.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "answer/numbers/device_words.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

/// The path from one folder of a GPU to a file in another.
std::string href(const std::string& from, const std::string& to, const char* file) {
  if (from == to) return file;
  return (from.empty() ? "" : "../") + (to.empty() ? "" : to + "/") + file;
}

struct RecordPage {
  RecordFile kind;
  const char *what, *file;
};

constexpr std::array<RecordPage, 4> record_pages{{{RecordFile::Result, "", "report.html"},
                                                  {RecordFile::Instructions, "instructions", "instructions.html"},
                                                  {RecordFile::Machine, "machine instructions", "machine.html"},
                                                  {RecordFile::Cases, "predictions", "cases.html"}}};

/// The place of the page of a record, or of the overview if there is no kind.
PagePlace place_in(const GpuFolder& gpu, std::optional<RecordFile> kind, const std::string& from,
                   const DeviceFacts& device) {
  PagePlace place{.suite = page_name(from), .gpu_name = device.name, .to_gpu = from.empty() ? "" : "../"};
  for (const RecordPage& page : record_pages) {
    const auto of_kind = gpu.find(page.kind);
    if (of_kind == gpu.end()) continue;
    const std::string what = page.what;
    for (const auto& [folder, other] : of_kind->second) {
      const std::string text = page_name(folder, what);
      const bool here = page.kind == kind && folder == from;
      place.links.push_back({text, href(from, folder, page.file), std::string(same_gpu(device, other)), here});
    }
  }
  return place;
}

}  // namespace

PagePlace place_of(const GpuFolder& gpu, RecordFile kind, const std::string& folder) {
  return place_in(gpu, kind, folder, gpu.at(kind).at(folder));
}

PagePlace place_of_overview(const GpuFolder& gpu, const std::string& gpu_name) {
  PagePlace place = place_in(gpu, std::nullopt, "", {});
  place.gpu_name = gpu_name;
  return place;
}

std::string pages_in_words(const PagePlace& place) {
  std::vector<std::string> words;
  for (const PageLink& link : place.links) {
    if (!link.here) words.push_back(fmt::format("{} ({})", link.text, link.gpu));
  }
  return join(words, ", ");
}

}  // namespace warpclock
