#pragma once

#include <array>
#include <string_view>

#include "base/words.hpp"

namespace warpclock {

/// The kinds of records, in the order in which pages link to them.
enum class RecordFile { Result, Instructions, Machine, Cases };

template <>
inline constexpr auto enum_words<RecordFile> =
    std::array<std::string_view, 4>{"result", "instructions", "machine", "cases"};

struct Record;
struct InstructionTable;
struct MachineTable;
struct KernelTable;

[[nodiscard]] constexpr RecordFile record_kind(const Record&) { return RecordFile::Result; }
[[nodiscard]] constexpr RecordFile record_kind(const InstructionTable&) { return RecordFile::Instructions; }
[[nodiscard]] constexpr RecordFile record_kind(const MachineTable&) { return RecordFile::Machine; }
[[nodiscard]] constexpr RecordFile record_kind(const KernelTable&) { return RecordFile::Cases; }

}  // namespace warpclock
