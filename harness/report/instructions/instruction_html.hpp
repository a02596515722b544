#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/instruction_record.hpp"
#include "record/page_place.hpp"

namespace warpclock {

/// instructions.html: one self-contained page that makes no requests, for one table or for several GPUs side by side.
/// It holds the texts of instructions.json, deflated and in base64, which its script shows. The first rows are markup,
/// so that they are painted before the script has run. Without JavaScript the page leads to instructions.md. Pure: the
/// same tables give the same bytes. The markup is well-formed XML, except for its style and its first and last script.
[[nodiscard]] std::string render_instruction_html(std::span<const InstructionTable> tables,
                                                  const PagePlace& place = {});

}  // namespace warpclock
