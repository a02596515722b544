#include "report/sections/page_place.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

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

std::string page_name(const std::string& folder, const std::string& what) {
  if (what.empty()) return folder.empty() ? "full" : folder;
  return folder.empty() ? what : folder + " " + what;
}

std::string name_of(const DeviceFacts& device) { return device.name.empty() ? "unknown GPU" : device.name; }

std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b) {
  if (a.uuid.empty() || b.uuid.empty()) return "GPU not recorded";
  return a.uuid == b.uuid ? same_gpu_words : "another GPU";
}

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

std::string board_in_words(const DeviceFacts& device) {
  std::vector<std::string> words;
  if (!device.uuid.empty()) words.push_back(device.uuid);
  if (!device.pci.empty()) words.push_back("PCI " + device.pci);
  if (!device.board.empty()) words.push_back("part " + device.board);
  if (!device.vbios.empty()) words.push_back("VBIOS " + device.vbios);
  return join(words, ", ");
}

std::string clocks_in_words(const DeviceFacts& device) {
  std::vector<std::string> words;
  if (!device.persistence.empty()) words.push_back("persistence " + device.persistence);
  if (device.sm_clock_set_mhz > 0) words.push_back(fmt::format("SM clock set to {:.0f} MHz", device.sm_clock_set_mhz));
  if (device.memory_clock_set_mhz > 0)
    words.push_back(fmt::format("memory clock set to {:.0f} MHz", device.memory_clock_set_mhz));
  if (device.power_limit_w > 0) words.push_back(fmt::format("power limit {:.0f} W", device.power_limit_w));
  return join(words, ", ");
}

}  // namespace warpclock
