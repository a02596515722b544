#include "compose/window_checks.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "code/toolkit.hpp"
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

namespace {

constexpr int scoreboards = 6;
constexpr int unsignalled = -1;

using Placed = std::map<Word, const PlacedWord*>;

/// What is under way at one point of straight-line code.
class Outstanding {
 public:
  Expected<void> step(const Word& word, const PlacedWord* placed) {
    const Control control = decode_control(word.high);
    for (int i = 0; i < scoreboards; ++i) {
      if ((control.wait_mask >> i & 1U) == 0) continue;
      if (!set_.contains(i)) return wrong(placed, "waits for scoreboard {}, which no earlier word sets", i);
      if (late_ == i) return wrong(placed, "is too close after the word that sets scoreboard {} to see it", i);
      std::erase_if(results_, [&](const auto& one) { return one.second == i; });
      std::erase_if(sources_, [&](const auto& one) { return one.second == i; });
    }
    if (placed != nullptr) {
      for (const auto& [reg, scoreboard] : results_) {
        if (!placed->effects.reads(reg)) continue;
        if (scoreboard == unsignalled)
          return wrong(placed, "reads {}, whose arrival no scoreboard signals", to_string(reg));
        return wrong(placed, "reads {} without waiting for scoreboard {}", to_string(reg), scoreboard);
      }
      for (const auto& [reg, scoreboard] : sources_) {
        if (placed->effects.writes_to(reg))
          return wrong(placed, "overwrites {} before scoreboard {} says that it was read", to_string(reg), scoreboard);
      }
      for (const Register& reg : placed->effects.writes) {
        results_.erase(reg);
        if (placed->signals) results_[reg] = control.write_barrier >= 0 ? control.write_barrier : unsignalled;
      }
      for (const auto& source : placed->effects.sources) {
        for (const Register& reg : source) {
          if (control.read_barrier >= 0) sources_[reg] = control.read_barrier;
        }
      }
    }
    late_.reset();
    for (const int scoreboard : {control.write_barrier, control.read_barrier}) {
      if (scoreboard < 0) continue;
      set_.insert(scoreboard);
      if (control.stall < least_scoreboard_distance) late_ = scoreboard;
    }
    return {};
  }

 private:
  template <class... Args>
  static std::unexpected<Error> wrong(const PlacedWord* placed, fmt::format_string<Args...> what, Args... args) {
    return fail("scoreboard", fmt::format("'{}' {}", placed != nullptr ? placed->key : "NOP",
                                          fmt::format(what, std::forward<Args>(args)...)));
  }

  std::set<int> set_;
  std::map<Register, int> results_, sources_;  ///< by register, the scoreboard that signals it
  std::optional<int> late_;
};

}  // namespace

Expected<void> check_waits(const Filling& filling) {
  Placed placed;
  for (const PlacedWord& one : filling.placed) placed[one.word] = &one;
  for (const std::span<const Word> words :
       {std::span<const Word>(filling.before), std::span<const Word>(filling.window),
        std::span<const Word>(filling.after)}) {
    Outstanding outstanding;  // between these parts, a barrier or a clock read waits for everything
    bool again = false;
    const auto pass = [&]() -> Expected<void> {
      for (const Word& word : words) {
        const auto known = placed.find(with_control(word, {.stall = 1}));
        const PlacedWord* const one = known == placed.end() ? nullptr : known->second;
        again = again || (one != nullptr && one->distance.value_or(0) < 0);
        WARPCLOCK_TRY(outstanding.step(word, one));
      }
      return {};
    };
    WARPCLOCK_TRY(pass());
    if (again) WARPCLOCK_TRY(pass());  // the next trip of a loop
  }
  return {};
}

}  // namespace warpclock
