#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "answer/overview/reported_gpu.hpp"
#include "record/outline.hpp"
#include "record/variation.hpp"

namespace warpclock {

/// A probe in the record of one GPU. Both are null if the GPU has no case of it.
struct ProbePlace {
  const Record* record = nullptr;
  const ProbeOutline* probe = nullptr;
};

/// The probes that some GPUs measured, each in one suite: the one with most measured rows of it, of several equal ones
/// not `full`. Points into the records.
class ProbeBook {
 public:
  /// Only of one suite, "full" or "memory", if one is given.
  explicit ProbeBook(const std::vector<ReportedGpu>& gpus, const std::string& suite = "");

  [[nodiscard]] const std::vector<ReportedGpu>& gpus() const { return gpus_; }
  /// "H100", or "H100 80GB HBM3" where two GPUs would have one name.
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  /// In the order of the first GPU's records, families together.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(const std::string& probe) const { return places_.contains(probe); }
  /// One for each GPU.
  [[nodiscard]] const std::vector<ProbePlace>& places(const std::string& probe) const { return places_.at(probe); }
  /// Why numbers of a record may come out otherwise in another process.
  [[nodiscard]] const Variations& variations(const Record& record) const { return variations_.at(&record); }
  /// "full", "memory"
  [[nodiscard]] std::string suite(const std::string& probe) const;
  /// "nvidia-h200/memory/report.html#..." of a case, or of the probe's part of the page.
  [[nodiscard]] std::string case_link(std::size_t gpu, const CaseRecord& row) const;
  [[nodiscard]] std::string probe_link(std::size_t gpu, const std::string& probe) const;

 private:
  [[nodiscard]] std::string page(std::size_t gpu, const std::string& probe) const;

  const std::vector<ReportedGpu>& gpus_;
  std::vector<std::string> labels_, names_;
  std::map<const Record*, Variations> variations_;
  /// By suite folder, for each GPU.
  std::map<std::string, std::vector<std::vector<FamilyOutline>>> outlines_;
  std::map<std::string, std::string> suites_;  ///< by probe: its folder
  std::map<std::string, std::vector<ProbePlace>> places_;
};

}  // namespace warpclock
