#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/config/yaml.hpp"
#include "plan/probe.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// One entry of a catalogue file's `instructions:`: a line of PTX with {words} that its sweep fills in and {operands}
/// that stay. In YAML:
///
///     - ptx: "add{sat}.{type} {d}, {a}, {b}"   # {sat}, {type}: words; {d}, {a}, {b}: operands
///       sat: ["", .sat]                        # a word may be empty, or bring its dot
///       type: [u32, s32]
///       except: [{sat: .sat, type: u32}]       # points that are no instruction
///       needs: {min: sm_80}                    # optional: min, only, why
///       operands: {b: "imm:3"}                 # optional: see Choices
///       values: {a: zero}
struct PtxTemplate {
  std::string ptx;  ///< "fma.{round}.f32 {d}, {a}, {b}, {c}"
  Sweep sweep;      ///< words only; an empty word is a modifier left out
  Needs needs;
  Choices choices;
  std::string place;  ///< file:line:column of its `ptx`
};

/// Reads an entry; errors go to the node's document. Every key is one of the format's own or a {word} of the line, so
/// that a word without a place in the line, and a mistyped key, are unknown keys.
[[nodiscard]] PtxTemplate read_ptx_template(const Node& node);

/// The lines that the template stands for, in the order of its sweep. Error "config": see expand() of plan/sweep.hpp.
[[nodiscard]] Expected<std::vector<std::string>> expand(const PtxTemplate& ptx_template);

}  // namespace warpclock
