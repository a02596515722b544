#include "prove/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "compose/hole_layout.hpp"
#include "prove/proof_data.hpp"

namespace warpclock {
namespace {

using namespace hole_layout;

std::uint32_t word_at(const std::string& data, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, data.data() + at, sizeof word);
  return word;
}

/// The name of what a word of the results is.
std::string name_of(const Hole& hole, std::size_t place, std::size_t component) {
  if (place < hole.quads.size()) return fmt::format("R{}", hole.quads[place] + static_cast<int>(component));
  if (place * quad_bytes >= results_at) return fmt::format("byte {} of a cell in global memory", 4 * component);
  return fmt::format("word {} of the thread's cells", (place - number_quads) * components + component);
}

/// The vector registers that decide what the words of a filling compute, before they change them.
std::set<int> registers_read(const Filling& filling) {
  std::set<int> read;
  for (const PlacedWord& placed : filling.placed) {
    for (const auto& source : placed.effects.sources) {
      for (const Register reg : source)
        if (reg.file == RegisterFile::Vector) read.insert(reg.index);
    }
  }
  return read;
}

}  // namespace

std::string first_difference(const Hole& hole, const Filling& filling, const std::string& operands,
                             const std::string& kept, const ExecutedResults& results) {
  std::optional<std::size_t> first;
  std::size_t count = 0, thread = proof_data::threads;
  for (std::size_t at = 0; at < kept.size(); at += register_bytes) {
    if (!results.followed[at / register_bytes] || word_at(kept, at) == word_at(results.kept, at)) continue;
    ++count;
    const std::size_t of = at % quad_bytes / thread_bytes;
    if (of < thread) thread = of, first = at;
  }
  if (!first) return {};
  std::vector<std::string> inputs;
  for (const int reg : registers_read(filling)) {
    for (std::size_t quad = 0; quad < hole.quads.size(); ++quad) {
      if (reg < hole.quads[quad] || reg >= hole.quads[quad] + quad_registers) continue;
      const std::size_t at =
          quad * quad_bytes + thread * thread_bytes + static_cast<std::size_t>(reg - hole.quads[quad]) * register_bytes;
      inputs.push_back(fmt::format("R{} = {:#x}", reg, word_at(operands, at)));
    }
  }
  return fmt::format("thread {} with {}: {} is {:#x} on the GPU, {:#x} here ({} words differ)", thread,
                     join(inputs, ", "), name_of(hole, *first / quad_bytes, *first % thread_bytes / register_bytes),
                     word_at(kept, *first), word_at(results.kept, *first), count);
}

}  // namespace warpclock
