#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// An operation named in a row of the guide's table.
struct GuideAsk {
  std::string operation;         ///< "multiply-add"
  std::vector<std::string> ids;  ///< catalogue ids: the plain form, and ways to ask where that has no rate
  int results = 1;               ///< results that one instruction gives to a thread
  std::string because;           ///< why more than one
};

/// A cell of the table.
struct GuideRate {
  std::vector<Arch> archs;
  double rate = 0;              ///< results per clock and SM; 0 if the guide says "multiple instructions"
  std::string source;           ///< description of the source that was read
  std::string unconfirmed;      ///< why the value is here although no source that was read quotes it; empty if one does
  std::string why;              ///< why the hardware has another rate; empty if unknown
  std::vector<std::string> of;  ///< the operations to which `why` applies; empty: all
};

struct GuideRow {
  std::string name;
  std::string brief;  ///< "fp16"
  std::vector<GuideAsk> asks;
  std::vector<GuideRate> rates;
  std::string place;  ///< file:line:column
};

/// NVIDIA's table of results per clock and SM. For comparison only: no measured value comes from it.
struct Guide {
  std::string title;
  std::vector<GuideRow> rows;
};

/// The row's cell for an architecture, with or without `a`; nullptr if the table has no known one.
[[nodiscard]] const GuideRate* rate_for(const GuideRow& row, const Arch& arch);

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<Guide> parse_guide(const std::string& file, std::string_view text);

/// The guide among the configs (path -> text); one without rows if there is none.
[[nodiscard]] Expected<Guide> load_guide(const std::map<std::string, std::string>& configs);

/// Whether a config is the guide rather than a family of the catalogue.
[[nodiscard]] bool is_guide(std::string_view path);

}  // namespace warpclock
