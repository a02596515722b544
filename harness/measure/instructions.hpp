#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"
#include "plan/arch.hpp"
#include "plan/probe.hpp"
#include "ptx/experiment/ways.hpp"
#include "record/instruction_assemble.hpp"
#include "record/instruction_record.hpp"
#include "verify/instruction/study.hpp"

namespace warpclock {

/// An instruction to find out about.
struct Subject {
  std::string id, family, ptx;
  PtxInstruction instruction;
  Needs needs;                          ///< architectures that have it
  std::string line;                     ///< as it was given: a line, or all that a file holds
  std::vector<Way> ways;                ///< of a block
  std::vector<MadeConstant> constants;  ///< what of it is measured with one value alone
};

struct Found {
  InstructionRecord record;
  Study study;  ///< without the trials' machine code unless it was asked for
};

struct Inquiry {
  Arch arch;
  StudyOptions study;
  bool keep_code = false;    ///< leave the listings in the studies
  Worker* worker = nullptr;  ///< null: nothing is run
  bool counters = true;
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< from the calling thread
};

/// Where the time of an inquiry went. Compiling goes on beside all others; timing and counting take turns.
struct InquiryTimes {
  double compiling_s = 0;   ///< from the start until the last instruction was verified
  double timing_s = 0;      ///< the worker had a row to be timed
  double again_s = 0;       ///< of that, rows whose launches differed, with more launches
  std::size_t again = 0;    ///< such rows
  double assembling_s = 0;  ///< making rows of what the worker gave
  double counting_s = 0;
};

/// Studies every subject, and runs it as soon as it is verified, while others are still compiled; reads counters where
/// the worker would wait for the compiler, and the rest last. Call it from the thread that started the worker. Rows are
/// in the order of the subjects. Error "device-lost".
[[nodiscard]] Expected<std::vector<Found>> inquire(const std::vector<Subject>& subjects, const Inquiry& inquiry,
                                                   InquiryTimes* times = nullptr);

}  // namespace warpclock
