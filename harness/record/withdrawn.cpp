#include "record/withdrawn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace warpclock {
namespace {

/// A probe whose window once did not count an opcode: there are as many as a parameter says.
struct Uncounted {
  std::string_view probe, opcode, parameter, why;
};

constexpr std::array all{
    Uncounted{"bandwidth/copy_mixed", "LDG", "loads", "ptxas had left out the loads of which nothing was used"}};

void withdraw(const Uncounted& one, CaseRecord& row) {
  const auto* const asked = std::get_if<std::int64_t>(find(row.parameters, one.parameter));
  if (asked == nullptr) return;
  std::int64_t found = 0;
  for (const auto& [opcode, count] : row.window.opcodes)
    if (opcode == one.opcode || opcode.starts_with(std::string(one.opcode) + '.')) found += count;
  if (found == *asked) return;
  row.outcome = Outcome::Rejected;
  row.reason = {"verify", "withdrawn",
                fmt::format("{} times {} in the window instead of {}: {}", found, one.opcode, *asked, one.why)};
  row.window.verdict = "withdrawn";
  row.estimates.clear();
}

}  // namespace

bool may_be_withdrawn(std::string_view probe) { return std::ranges::find(all, probe, &Uncounted::probe) != all.end(); }

void withdraw_wrong_rows(Record& record) {
  for (CaseRecord& row : record.cases) {
    const auto found = std::ranges::find(all, row.probe, &Uncounted::probe);
    if (found != all.end() && (row.outcome == Outcome::Measured || row.outcome == Outcome::Unsteady))
      withdraw(*found, row);
  }
}

}  // namespace warpclock
