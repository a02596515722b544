#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fields/form_table.hpp"
#include "gpu/job/timing_line.hpp"
#include "gpu/worker/worker.hpp"
#include "plan/arch.hpp"
#include "record/machine_row.hpp"

namespace warpclock {

/// Words between the clock reads of a hole that machine instructions are measured in, and kernels of its image.
constexpr std::size_t hole_room = 120, hole_kernels = 32;

struct MachineInquiry {
  Arch arch;
  std::string folder;  ///< for the images, which are removed again
  std::string nvdisasm;
  std::span<const WordForm> forms;         ///< to be measured
  std::span<const WordForm> architecture;  ///< all that are known, among which the movers are
  TimingLine::Desk desk;
  std::function<void(std::size_t done, std::size_t total)> progress;
  std::function<void(const MachineRow& row)> failed;  ///< the worker gave no answer for it
};

/// A row for each form, in their order. What a form cannot be measured for is its row's reason ("read-back" where the
/// disassembler reads a word of its windows as something else); one that faults or hangs costs its own row. Errors:
/// "device-lost"; those of make_hole().
[[nodiscard]] Expected<std::vector<MachineRow>> measure_machine(const MachineInquiry& inquiry);

}  // namespace warpclock
