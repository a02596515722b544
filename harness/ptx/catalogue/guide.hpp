#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// An operation that a row of the guide's table names.
struct GuideAsk {
  std::string operation;         ///< "multiply-add"
  std::vector<std::string> ids;  ///< of the catalogue: ways to ask for one machine instruction
  int results = 1;               ///< that one instruction gives a thread
  std::string because;           ///< why more than one
};

/// A cell of the table.
struct GuideRate {
  std::vector<Arch> archs;
  double rate = 0;              ///< results a clock and SM; 0 where the guide says "multiple instructions"
  std::string source;           ///< what was read, in words
  std::string unconfirmed;      ///< why the value is here although no source that was read quotes it; empty: one does
  std::string why;              ///< why the hardware has another rate; empty where nobody has said so
  std::vector<std::string> of;  ///< the operations that `why` is about; empty: all
};

struct GuideRow {
  std::string name;
  std::string brief;  ///< "fp16"
  std::vector<GuideAsk> asks;
  std::vector<GuideRate> rates;
  std::string place;  ///< file:line:column
};

/// NVIDIA's table of results a clock and SM. Reference only: nothing measured is taken from it.
struct Guide {
  std::string title;
  std::vector<GuideRow> rows;
};

/// The row's cell for an architecture, whatever its `a`; nullptr where the table has none that is known.
[[nodiscard]] const GuideRate* rate_for(const GuideRow& row, const Arch& arch);

/// Foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<Guide> parse_guide(const std::string& file, std::string_view text);

/// The guide among the configs (path -> text); one without rows where they hold none.
[[nodiscard]] Expected<Guide> load_guide(const std::map<std::string, std::string>& configs);

/// Whether a config is the guide's and not a family of the catalogue.
[[nodiscard]] bool is_guide(std::string_view path);

}  // namespace warpclock
