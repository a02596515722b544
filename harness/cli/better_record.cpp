#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/files/packed_file.hpp"
#include "cli/measuring.hpp"
#include "cli/report_folder.hpp"
#include "record/json/record_file.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

/// Codes of errors that come neither from a probe nor from the GPU.
constexpr std::array<std::string_view, 7> of_the_machine = {"build",   "device-lost", "io",     "nvdisasm",
                                                            "process", "ptxas",       "toolkit"};

struct Worth {
  std::size_t rows = 0, measured = 0, failed = 0;
  std::string why;  ///< of the first row that failed for reasons of the machine

  void add(bool is_measured, std::string_view code, std::string_view text) {
    ++rows;
    measured += is_measured ? 1 : 0;
    if (is_measured || std::ranges::find(of_the_machine, code) == of_the_machine.end()) return;
    if (failed++ == 0) why = fmt::format("{}: {}", code, text);
  }
};

Worth worth_of(const Record& record) {
  Worth worth;
  for (const CaseRecord& row : record.cases)
    worth.add(row.outcome == Outcome::Measured || row.outcome == Outcome::Unsteady, row.reason.code, row.reason.text);
  return worth;
}

Worth worth_of(const InstructionTable& table) {
  Worth worth;
  for (const InstructionRecord& row : table.rows)
    worth.add(row.outcome == Outcome::Measured, row.reason.code, row.reason.text);
  return worth;
}

Worth worth_of(const MachineTable& table) {
  Worth worth;
  for (const MachineRow& row : table.rows)
    worth.add(!row.reason, row.reason ? row.reason->code : "", row.reason ? row.reason->text : "");
  return worth;
}

Expected<Record> read_before(const fs::path& path, const Record& /*kind*/) { return read_report(path); }
Expected<InstructionTable> read_before(const fs::path& path, const InstructionTable& /*kind*/) {
  return read_instructions(path);
}
Expected<MachineTable> read_before(const fs::path& path, const MachineTable& /*kind*/) { return read_machine(path); }

}  // namespace

template <class T>
Expected<void> may_take_place(const std::string& folder, const T& record, bool replace) {
  const Worth now = worth_of(record);
  if (replace || now.failed == 0) return {};
  const fs::path path = fs::path(folder) / fmt::format("{}.json.gz", word(record_kind(record)));
  // One that cannot be read is no better.
  const auto before = read_before(path, record);
  if (!before || worth_of(*before).measured <= now.measured) return {};
  return fail("worse",
              fmt::format("this record has {} measured rows and is not replaced: of the new one, {} of {} rows failed "
                          "for reasons of this machine ({}). Mend that and measure again, or replace it by --replace",
                          worth_of(*before).measured, now.failed, now.rows, now.why),
              path.string());
}
template Expected<void> may_take_place(const std::string&, const Record&, bool);
template Expected<void> may_take_place(const std::string&, const InstructionTable&, bool);
template Expected<void> may_take_place(const std::string&, const MachineTable&, bool);

}  // namespace warpclock
