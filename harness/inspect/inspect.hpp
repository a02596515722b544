#pragma once

#include <string>

#include "base/error.hpp"
#include "inspect/inspection.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"

namespace warpclock {

struct InspectOptions {
  std::string kernel;                ///< a name or a part of one, in C++ or as in the file; empty: all
  int threads = 0;                   ///< of a block; 0: what the kernel states, or several
  std::int64_t dynamic_bytes = 0;    ///< shared memory that the launch adds
  const Machine* machine = nullptr;  ///< latencies, if it is of the file's architecture
};

/// Error "kernel" if no kernel has the name. Pure.
[[nodiscard]] Expected<Inspection> inspect(const std::string& name, const LoadedFile& file,
                                           const InspectOptions& options);

/// "nested(float*, int, int)" of "_Z6nestedPfii".
[[nodiscard]] std::string readable_name(const std::string& symbol);

/// "@P0 BRA 0x01f0": with its predicate, and the address in place of a label of nvdisasm.
[[nodiscard]] std::string listed_text(const Instruction& instruction);

/// Whether a symbol or its readable name contains the word. Without spaces a name can be written without quotes.
[[nodiscard]] bool is_meant(const std::string& symbol, const std::string& word);

/// Error "kernel" at a place: none of the names is meant, and which of them is closest.
[[nodiscard]] Error no_such_kernel(const std::string& word, const std::vector<std::string>& names,
                                   const std::string& place = "");

}  // namespace warpclock
