#include "code/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/lookup.hpp"
#include "code/elf.hpp"
#include "code/encoding.hpp"
#include "code/nvdisasm.hpp"

namespace warpclock {
namespace {

struct KernelWords {
  std::string kernel;
  std::vector<Word> words;
};

Expected<std::vector<KernelWords>> kernels_of(std::string_view image) {
  const auto sections = WARPCLOCK_TRY(code_sections(image));
  std::vector<KernelWords> kernels;
  for (const CodeSection& section : sections) {
    if (section.relocated) return fail("relocation", fmt::format("the loader changes {}", section.kernel));
    if (section.code.size() % 16 != 0) return fail("elf", fmt::format("{} ends within a word", section.kernel));
    kernels.push_back({section.kernel, words_of(section.code)});
  }
  if (kernels.empty()) return fail("elf", "there is no machine code in the cubin");
  return kernels;
}

std::vector<Word> distinct(const std::vector<KernelWords>& kernels) {
  std::vector<Word> all;
  for (const KernelWords& kernel : kernels) all.insert(all.end(), kernel.words.begin(), kernel.words.end());
  sort_once(all);
  return all;
}

Expected<std::string> text_of(const KernelWords& kernel, const WordTable& table) {
  constexpr std::string_view word = " /* 0x", close = " */\n";
  const std::vector<const WordText*> texts = table.texts(kernel.words);
  const std::uint64_t size = kernel.words.size() * 16;
  std::string out = fmt::format("\t.section\t.text.{},\"ax\",@progbits\n", kernel.kernel);
  out.reserve(out.size() + texts.size() * 96);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const WordText& one = *texts[i];
    (append_hex(out += "/*", i * 16, 4), out) += "*/ ";
    if (one.distance) {
      const std::uint64_t target = i * 16 + static_cast<std::uint64_t>(*one.distance);
      // Labels lie between instructions of the section, or after the last one.
      if (target > size || target % 16 != 0) {
        return fail("branch", fmt::format("'{}' at {:#x} leads out of {}", one.text, i * 16, kernel.kernel));
      }
      out.append(one.text, 0, one.at) += "`(0x";
      append_hex(out, target, 1);
      (out += ')').append(one.text, one.at);
    } else {
      out += one.text;
    }
    (append_hex((out += " ;") += word, kernel.words[i].low, 16), out) += close;
    (append_hex((out += word.substr(1)), kernel.words[i].high, 16), out) += close;
  }
  return out;
}

}  // namespace

std::vector<Expected<KernelTexts>> Disassembler::read(const std::string& nvdisasm, const Arch& arch,
                                                      const std::vector<std::string_view>& images) {
  WordTable& known = table(nvdisasm, arch);
  std::vector<Expected<std::vector<KernelWords>>> modules;
  std::vector<std::vector<Word>> wanted;
  for (const std::string_view image : images) {
    modules.push_back(kernels_of(image));
    wanted.push_back(modules.back() ? distinct(*modules.back()) : std::vector<Word>{});
  }
  const std::vector<Expected<void>> learned = known.learn(wanted);
  std::vector<Expected<KernelTexts>> all;
  for (std::size_t i = 0; i < images.size(); ++i) {
    Expected<KernelTexts>& texts = all.emplace_back(KernelTexts{{"", fmt::format("\t.target\t{}\n", to_string(arch))}});
    if (!modules[i] || !learned[i]) {
      texts = std::unexpected(modules[i] ? learned[i].error() : modules[i].error());
      continue;
    }
    for (const KernelWords& kernel : *modules[i]) {
      auto text = text_of(kernel, known);
      if (!text) {
        texts = std::unexpected(text.error());
        break;
      }
      texts->emplace(kernel.kernel, *std::move(text));
    }
  }
  return all;
}

bool Disassembler::hopeless(const std::string& nvdisasm, const Arch& arch) { return table(nvdisasm, arch).hopeless(); }

WordTable& Disassembler::table(const std::string& nvdisasm, const Arch& arch) {
  const std::lock_guard lock(mutex_);
  auto& table = tables_[{nvdisasm_identity(nvdisasm), arch}];
  if (!table) {
    const std::string sm = fmt::format("SM{}{}", arch.sm, arch.specific ? "a" : "");
    // Each start of nvdisasm takes one core a third of a second.
    const unsigned runs = std::max(1U, std::thread::hardware_concurrency() / 4);
    table = std::make_unique<WordTable>(
        [nvdisasm, sm](std::uint64_t base, const std::string& code) {
          return disassemble_raw(nvdisasm, sm, base, code);
        },
        runs);
  }
  return *table;
}

Disassembler& common_disassembler() {
  static Disassembler common;
  return common;
}

}  // namespace warpclock
