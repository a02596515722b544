#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "build/nvdisasm.hpp"
#include "code/form.hpp"
#include "ptx/testdata_fixture.hpp"

namespace warpclock::testing {

/// nvdisasm, for "sm_90a".
inline PrintWords printer(const std::string& arch) {
  return [sm = "SM" + arch.substr(3)](std::uint64_t base, const std::string& code) -> Expected<std::string> {
    const auto nvdisasm = find_nvdisasm();
    return nvdisasm ? disassemble_raw(*nvdisasm, sm, base, code) : std::unexpected(nvdisasm.error());
  };
}

struct Recorded {
  std::string arch;
  Word word;
};

inline Recorded recorded(const std::string& line) {
  Recorded found;
  std::istringstream(line) >> found.arch >> std::hex >> found.word.low >> found.word.high;
  return found;
}

inline constexpr const char* forms_file = "harness/code/testdata/forms.txt";

/// The form of the recorded word of an opcode, learned anew.
inline WordForm form_of(const std::string& arch, const std::string& opcode) {
  for (const auto& [line, answer] : testdata(forms_file)) {
    if (!line.starts_with(arch + " ") || answer.find(" " + opcode + " ") == std::string::npos) continue;
    const std::vector<Word> words = {recorded(line).word};
    const auto learned = learn_forms(words, printer(arch));
    EXPECT_TRUE(learned) << learned.error().text;
    if (learned) return learned->front();
  }
  ADD_FAILURE() << "no " << opcode;
  return {};
}

}  // namespace warpclock::testing
