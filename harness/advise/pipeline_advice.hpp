#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/citations.hpp"
#include "base/error.hpp"
#include "predict/program/program.hpp"

namespace warpclock {

/// As the paths of the model have it: "l2", "dram".
[[nodiscard]] std::string path_word(MemoryLevel level);

struct PipelineQuestion {
  std::string tile;                    ///< "128x128x64": rows of A, columns of B, and the depth of a step
  std::string type;                    ///< of A and B: "f16"
  MemoryLevel from = MemoryLevel::L2;  ///< L2 or DRAM
};

/// The types of A and B that a question may name.
[[nodiscard]] std::vector<std::string> pipeline_types();

/// Stages, warp groups and shared memory of a tile, and the share of the peak that it reaches: the model of the picture
/// "Stages that hide a copy", with the tensor cores as the computation. Error "option" if the tile is none. Pure.
[[nodiscard]] Expected<Advice> advise_pipeline(const AdviceSource& from, const PipelineQuestion& question);

/// A type of wgmma's A and B.
struct MultiplyType {
  std::string name, accumulator;
  std::int64_t depth = 0;  ///< k of an instruction
  std::int64_t bits = 0;   ///< of an element
};
/// nullptr for another word.
[[nodiscard]] const MultiplyType* multiply_type(const std::string& name);
/// "wgmma.m64n128k16.f32.f16.a_shared"; `a` is "shared" or "registers".
[[nodiscard]] std::string multiply_entry(const MultiplyType& type, std::int64_t columns, const std::string& a);

}  // namespace warpclock
