#include <fmt/format.h>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "code/nvdisasm.hpp"
#include "compose/window_checks.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

std::string differs(const PlacedWord& placed, std::string_view text, std::size_t address) {
  if (placed.distance) {
    const auto target = static_cast<std::int64_t>(address) + *placed.distance;
    const std::string meant = fmt::format("{} 0x{:x}", placed.key, target);
    return text == meant ? std::string() : fmt::format("'{}' is read for '{}'", text, meant);
  }
  const auto instruction = parse_instruction(text);
  if (!instruction || key_of(skeleton_of(text)) != placed.key) {
    return fmt::format("'{}' is read for '{}'", text, placed.key);
  }
  const Effects effects = effects_of(*instruction);
  const std::size_t results = instruction->operands.size() - effects.sources.size();
  bool same = effects.writes == placed.effects.writes && effects.sources.size() == placed.effects.sources.size();
  for (std::size_t i = 0; same && i < effects.sources.size(); ++i) {
    const bool is_address = instruction->operands[results + i].contains('[');
    same = is_address || effects.sources[i] == placed.effects.sources[i];
  }
  return same ? std::string() : fmt::format("'{}' is read with other registers than were meant", text);
}

/// Halves a list that the disassembler rejects, down to the word that it cannot read.
void read(const std::string& sm, const std::string& nvdisasm, std::span<const PlacedWord> words,
          std::span<ReadWord> out) {
  constexpr std::uint64_t base = 1 << 20;  // so that a branch back ends at an address
  if (words.empty()) return;
  std::string code;
  std::vector<Word> all;
  for (const PlacedWord& placed : words) {
    append_word(code, placed.word);
    all.push_back(placed.word);
  }
  const auto output = disassemble_raw(nvdisasm, sm, base, code);
  const auto texts = output ? raw_texts(*output, all, base) : std::unexpected(output.error());
  if (texts) {
    for (std::size_t i = 0; i < words.size(); ++i)
      out[i] = {std::string((*texts)[i]), differs(words[i], (*texts)[i], base + i * word_bytes)};
  } else if (words.size() == 1) {
    out[0].wrong = fmt::format("'{}' cannot be read: {}", words[0].key, texts.error().text);
  } else {
    const std::size_t half = words.size() / 2;
    read(sm, nvdisasm, words.first(half), out.first(half));
    read(sm, nvdisasm, words.subspan(half), out.subspan(half));
  }
}

}  // namespace

std::vector<ReadWord> read_words(const Arch& arch, const std::string& nvdisasm, std::span<const PlacedWord> words) {
  std::vector<ReadWord> out(words.size());
  read("SM" + to_string(arch).substr(3), nvdisasm, words, out);
  return out;
}

std::vector<std::string> misreadings(const Arch& arch, const std::string& nvdisasm, std::span<const PlacedWord> words) {
  return mapped(read_words(arch, nvdisasm, words), &ReadWord::wrong);
}

}  // namespace warpclock
