#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/instruction_record.hpp"
#include "record/page_place.hpp"

namespace warpclock {

/// instructions.html: one self-contained page of one table, or of several GPUs side by side; no request to anywhere.
/// The texts of instructions.json are in it, deflated and in base64, and its script shows them. The first rows are
/// markup, so that they are painted before any of that; without JavaScript the page is a plain table. Pure: the same
/// tables give the same bytes. The markup is well-formed XML but for its style and its first and last script.
[[nodiscard]] std::string render_instruction_html(std::span<const InstructionTable> tables,
                                                  const std::vector<PageLink>& links = {});

}  // namespace warpclock
