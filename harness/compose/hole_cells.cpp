#include "compose/hole_cells.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "compose/hole_layout.hpp"

namespace warpclock {

using namespace hole_layout;

FrameWords new_words(Frame& frame) {
  FrameWords words;
  for (std::string& word : words) word = frame.new_word();
  return words;
}

std::string vector_of(const FrameWords& words) { return fmt::format("{{{}}}", join(words, ", ")); }

HoleCell put_cell(Frame& frame, std::size_t bytes, std::size_t first, const std::optional<CellWords>& words) {
  const std::string address = frame.new_pair();
  HoleCell cell{frame.new_word(), frame.new_word(), frame.new_word()};
  frame.line("mul.wide.u32 {}, w_thread, {};", address, bytes);
  frame.line("add.s64 {0}, {0}, w_cells;", address);
  frame.line("add.s64 {0}, {0}, {1};", address, first * quad_bytes);
  frame.line("mov.b64 {{{}, {}}}, {};", cell.low, cell.high, address);
  frame.line("mov.u32 {}, w_shared;", cell.shared);
  frame.line("add.u32 {0}, {0}, {1};", cell.shared, first * quad_bytes);
  frame.line("mad.lo.u32 {0}, w_thread, {1}, {0};", cell.shared, bytes);
  for (std::size_t at = 0; at < bytes; at += 4) {
    const std::string& half = at % 8 == 0 ? cell.low : cell.high;
    frame.line("st.volatile.global.u32 [{}+{}], {};", address, at, words ? words->global[at / 4] : half);
    frame.line("st.volatile.shared.u32 [{}+{}], {};", cell.shared, at, words ? words->shared[at / 4] : cell.shared);
  }
  return cell;
}

CellWords load_cell_words(Frame& frame, const std::string& own) {
  CellWords words{new_words(frame), new_words(frame), new_words(frame)};
  std::size_t quad = number_quads;
  for (const FrameWords* one : {&words.global, &words.shared, &words.local})
    frame.line("ld.volatile.global.v4.u32 {}, [{}+{}];", vector_of(*one), own, quad++ * quad_bytes);
  return words;
}

void store_cells(Frame& frame, const std::string& own) {
  const auto keep = [&](std::size_t quad, std::size_t component, const std::string& word) {
    frame.line("st.volatile.global.u32 [{}+{}], {};", own,
               results_at + (number_quads + quad) * quad_bytes + 4 * component, word);
  };
  std::size_t component = 0;
  for (const std::size_t first : {0, 1, 2}) {
    const std::size_t bytes = std::size_t{4} << first;
    const std::string cell = frame.new_word();
    frame.line("mov.u32 {}, w_shared;", cell);
    frame.line("add.u32 {0}, {0}, {1};", cell, first * quad_bytes);
    frame.line("mad.lo.u32 {0}, w_thread, {1}, {0};", cell, bytes);
    for (std::size_t at = 0; at < bytes; at += 4, ++component) {
      const std::string word = frame.new_word();
      frame.line("ld.volatile.shared.u32 {}, [{}+{}];", word, cell, at);
      keep(component / components, component % components, word);
    }
  }
  // The address from memory: ptxas would otherwise know what was stored there. Local memory is never volatile.
  const std::string local = frame.new_word();
  frame.line("ld.volatile.global.u32 {}, [{}+{}];", local, own, results_at + (number_quads + 2) * quad_bytes + 4);
  for (std::size_t i = 0; i < components; ++i) {
    const std::string word = frame.new_word();
    frame.line("ld.local.u32 {}, [{}+{}];", word, local, 4 * i);
    keep(2, i, word);
  }
}

}  // namespace warpclock
