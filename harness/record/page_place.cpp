#include "record/page_place.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace warpclock {
namespace {

std::string name_of(const std::string& folder) { return folder.empty() ? "full" : folder; }

/// The path from one folder of a GPU to a file in another.
std::string href(const std::string& from, const std::string& to, const char* file) {
  if (from == to) return file;
  return (from.empty() ? "" : "../") + (to.empty() ? "" : to + "/") + file;
}

enum class PageKind { Result, Table, Machine, Kernels, Overview };

std::vector<PageLink> links(const GpuFolder& gpu, const std::string& from, PageKind kind, const DeviceFacts& device) {
  std::vector<PageLink> all;
  const auto add = [&](PageKind to, const auto& folders, const std::string& what, const char* file) {
    for (const auto& [folder, other] : folders) {
      const std::string text = what.empty() ? name_of(folder) : folder.empty() ? what : folder + " " + what;
      const bool here = to == kind && folder == from;
      all.push_back({text, href(from, folder, file), std::string(same_gpu(device, other)), here});
    }
  };
  add(PageKind::Result, gpu.results, "", "report.html");
  add(PageKind::Table, gpu.tables, "instructions", "instructions.html");
  add(PageKind::Machine, gpu.machines, "machine instructions", "machine.html");
  add(PageKind::Kernels, gpu.kernels, "predictions", "cases.html");
  return all;
}

PagePlace place_of(const GpuFolder& gpu, const std::string& folder, PageKind kind, const DeviceFacts& device) {
  PagePlace place;
  place.suite = name_of(folder);
  place.links = links(gpu, folder, kind, device);
  place.gpu_name = device.name;
  place.to_gpu = folder.empty() ? "" : "../";
  return place;
}

}  // namespace

std::string_view same_gpu(const DeviceFacts& a, const DeviceFacts& b) {
  if (a.uuid.empty() || b.uuid.empty()) return "GPU not recorded";
  return a.uuid == b.uuid ? same_gpu_words : "another GPU";
}

PagePlace place_of_result(const GpuFolder& gpu, const std::string& folder) {
  return place_of(gpu, folder, PageKind::Result, gpu.results.at(folder));
}

PagePlace place_of_table(const GpuFolder& gpu, const std::string& folder) {
  return place_of(gpu, folder, PageKind::Table, gpu.tables.at(folder));
}

PagePlace place_of_machine(const GpuFolder& gpu, const std::string& folder) {
  return place_of(gpu, folder, PageKind::Machine, gpu.machines.at(folder));
}

PagePlace place_of_overview(const GpuFolder& gpu, const std::string& gpu_name) {
  PagePlace place = place_of(gpu, "", PageKind::Overview, {});
  place.gpu_name = gpu_name;
  return place;
}

PagePlace place_of_kernels(const GpuFolder& gpu, const std::string& folder) {
  return place_of(gpu, folder, PageKind::Kernels, gpu.kernels.at(folder));
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
