#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {

// What the compiler process and those who ask it exchange: one line of JSON each. Sources, logs and images may hold any
// bytes.
[[nodiscard]] std::string to_line(const CompileRequest& request);
[[nodiscard]] std::string to_line(const Compilation& compilation);

/// Error "protocol".
[[nodiscard]] Expected<CompileRequest> parse_request(std::string_view line);
[[nodiscard]] Expected<Compilation> parse_compilation(std::string_view line);

/// The compiler process: one request per line of standard input, one compilation per line out, until the input ends.
/// It and all that it started end when nobody is left who reads the answers. The exit status; 2 if standard input is
/// not the channel of a process that asks.
[[nodiscard]] int serve_compilations();

/// Compiles in a child process, which serves one source after the other: a source that crashes the compiler, or takes
/// more than `memory`, ends that process alone, and one that takes longer than `limit` is ended with it. Any number of
/// threads may compile at once; each has a child of its own then. Children end with this process, however it ends.
///
/// Died if the compiler ends itself, also in a fresh process. Failed with the reason if no process can be started.
[[nodiscard]] Compilation compile(const CompileRequest& request);

/// How many compilations this process has started.
[[nodiscard]] std::uint64_t compilations_started();

/// The version of the PTX ISA that NVRTC emits: "9.0".
[[nodiscard]] const std::string& ptx_isa_version();

/// The first thing that main() of a program with compile() calls. compile() starts the program anew with the argument
/// `compiler`: such a process compiles here until nobody asks any more, and this is its exit status. Nothing in any
/// other process.
[[nodiscard]] std::optional<int> compiler_process(int argc, char** argv);

}  // namespace warpclock
