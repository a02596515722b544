#include "inspect/image/kernel_facts.hpp"

#include <elf.h>

#include <algorithm>

#include "code/word.hpp"

namespace warpclock {

Expected<std::vector<ModuleVariable>> module_variables(const std::vector<ElfSection>& sections,
                                                       std::size_t image_bytes) {
  constexpr std::uint32_t address = 2;           // R_CUDA_64
  constexpr std::uint64_t bank_bytes = 1 << 16;  // CUDA C++ Programming Guide, "Technical Specifications": 64 KB
  const auto named = [&](std::string_view name) {
    const auto found = std::ranges::find(sections, name, &ElfSection::name);
    return found == sections.end() ? std::string_view() : found->bytes;
  };
  const std::string_view places = named(".rela.nv.constant4"), symbols = named(".symtab");
  StringTable names(named(".strtab"), most_times_shared * image_bytes);
  std::vector<ModuleVariable> all;
  for (std::uint64_t i = 0; const auto place = struct_at<Elf64_Rela>(places, i * sizeof(Elf64_Rela)); ++i) {
    const auto symbol = struct_at<Elf64_Sym>(symbols, ELF64_R_SYM(place->r_info) * sizeof(Elf64_Sym));
    // An address behind the beginning of a variable is not needed: ptxas adds offsets in the code.
    if (!symbol || ELF64_R_TYPE(place->r_info) != address || place->r_addend != 0 || place->r_offset >= bank_bytes ||
        ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 || symbol->st_size > INT32_MAX)
      continue;
    ModuleVariable& made = all.emplace_back(ModuleVariable{.at = static_cast<std::uint32_t>(place->r_offset)});
    made.name = WARPCLOCK_TRY(names.at(symbol->st_name));
    made.bytes = static_cast<std::int64_t>(symbol->st_size);
    if (!made.name.starts_with("__cudart_") || symbol->st_shndx >= sections.size()) continue;
    const std::string_view held = sections[symbol->st_shndx].bytes;
    if (symbol->st_value <= held.size() && symbol->st_size <= held.size() - symbol->st_value)
      made.contents = held.substr(symbol->st_value, symbol->st_size);
  }
  return all;
}

namespace {

using AllFacts = std::map<std::string, KernelFacts, std::less<>>;

/// Numbers of the attributes, as nvdisasm names them: EIATTR_REGCOUNT is 0x2f.
enum : std::uint8_t {
  max_threads = 0x05,
  reqntid = 0x10,
  frame_size = 0x11,
  kparam_info = 0x17,
  cbank_param_size = 0x19,
  maxreg_count = 0x1b,
  regcount = 0x2f,
  indirect_branch_targets = 0x34,
  cta_per_cluster = 0x3d,
  num_barriers = 0x4c,
  annotations = 0x55
};

/// An attribute of .nv.info. A short value is its single number.
struct Attribute {
  std::uint8_t id = 0;
  std::vector<std::uint32_t> numbers;
};

/// Each attribute has a format, an id and either a value of 16 bits, or the number of bytes that follow.
std::optional<std::vector<Attribute>> attributes_of(std::string_view bytes) {
  constexpr std::size_t head = 4, word = 4;
  constexpr std::uint64_t sized = 4;
  std::vector<Attribute> all;
  while (!bytes.empty()) {
    if (bytes.size() < head) return std::nullopt;
    const std::uint64_t format = number_in(bytes.substr(0, 1)), value = number_in(bytes.substr(2, 2));
    Attribute& attribute = all.emplace_back(static_cast<std::uint8_t>(bytes[1]));
    bytes.remove_prefix(head);
    if (format != sized) {
      attribute.numbers.push_back(static_cast<std::uint32_t>(value));
      continue;
    }
    if (value > bytes.size()) return std::nullopt;
    for (std::size_t at = 0; at + word <= value; at += word)
      attribute.numbers.push_back(static_cast<std::uint32_t>(number_in(bytes.substr(at, word))));
    bytes.remove_prefix(value);
  }
  return all;
}

/// The kernel or function that each symbol names; null for others. Notes which are kernels. A stripped cubin has no
/// symbols, or a table that is empty.
Expected<std::vector<KernelFacts*>> named_by_symbols(const std::vector<ElfSection>& sections, std::size_t image_bytes,
                                                     AllFacts& all) {
  constexpr unsigned char cuda_entry = 0x10;  // STO_CUDA_ENTRY
  std::vector<KernelFacts*> named;
  const auto table = std::ranges::find(sections, ".symtab", &ElfSection::name);
  const auto strings = std::ranges::find(sections, ".strtab", &ElfSection::name);
  if (table == sections.end() || strings == sections.end() || table->bytes.empty())
    return fail("elf", "the cubin cannot be read: it has no symbols, by which kernels are told from functions");
  StringTable names(strings->bytes, most_times_shared * image_bytes);
  for (std::size_t at = 0; const auto symbol = struct_at<Elf64_Sym>(table->bytes, at); at += sizeof(Elf64_Sym)) {
    const auto name = WARPCLOCK_TRY(names.at(symbol->st_name));
    const auto kernel = all.find(name);
    named.push_back(kernel == all.end() ? nullptr : &kernel->second);
    if (named.back() != nullptr) named.back()->entry |= (symbol->st_other & cuda_entry) != 0;
  }
  return named;
}

int small(std::uint64_t number) { return static_cast<int>(std::min<std::uint64_t>(number, 1 << 30)); }

/// The product of three extents; 0 if they are not three.
int volume(const std::vector<std::uint32_t>& extents) {
  std::uint64_t product = extents.size() == 3 ? 1 : 0;
  for (const std::uint32_t extent : extents) product = std::min<std::uint64_t>(product * extent, 1 << 30);
  return small(product);
}

void take_spills(KernelFacts& facts, const std::vector<std::uint32_t>& pairs) {
  constexpr std::uint32_t spill = 1;
  if (!facts.spills) facts.spills.emplace();
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i] == spill) facts.spills->push_back(pairs[i + 1]);
  }
  std::ranges::sort(*facts.spills);
}

/// For each jump: its address, a zero, the number of targets, the targets.
void take_targets(KernelFacts& facts, const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t head = 3;
  for (std::size_t at = 0; at + head <= numbers.size();) {
    std::vector<std::uint64_t>& targets = facts.indirect[numbers[at]];
    const std::size_t count = numbers[at + 2];
    at += head;
    for (std::size_t i = 0; i < count && at < numbers.size(); ++i) targets.push_back(numbers[at++]);
  }
}

/// An index, the number and the place of the parameter, and its size above 18 other bits.
void take_parameter(KernelFacts& facts, const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t size = 3, most = 4096;
  constexpr std::uint32_t half = 0xffff;
  if (numbers.size() != size) return;
  const std::size_t number = numbers[1] & half;
  if (number >= most) return;
  if (facts.parameters.size() <= number) facts.parameters.resize(number + 1);
  facts.parameters[number] = {static_cast<int>(numbers[1] >> 16), static_cast<int>(numbers[2] >> 18)};
}

void take_own(KernelFacts& facts, const std::vector<Attribute>& attributes) {
  for (const auto& [id, numbers] : attributes) {
    const int first = numbers.empty() ? 0 : small(numbers[0]);
    if (id == max_threads) facts.most_threads = volume(numbers);
    if (id == reqntid) facts.required_threads = volume(numbers);
    if (id == cta_per_cluster) facts.cluster_blocks = volume(numbers);
    if (id == kparam_info) take_parameter(facts, numbers);
    if (id == cbank_param_size) facts.parameter_bytes = first;
    if (id == maxreg_count) facts.most_registers = first;
    if (id == num_barriers) facts.barriers = first;
    if (id == indirect_branch_targets) take_targets(facts, numbers);
    if (id == annotations) take_spills(facts, numbers);
  }
}

/// Attributes of .nv.info itself, which name the kernel by its symbol.
void take_shared(const std::vector<KernelFacts*>& named, const std::vector<Attribute>& attributes) {
  for (const auto& [id, numbers] : attributes) {
    if (numbers.size() != 2 || numbers[0] >= named.size() || named[numbers[0]] == nullptr) continue;
    KernelFacts& kernel = *named[numbers[0]];
    if (id == regcount) kernel.registers = small(numbers[1]);
    if (id == frame_size) kernel.stack_bytes = numbers[1];
  }
}

/// ptxas 13 lists spills in every kernel for which it states the CUDA version with this number or a later one; without
/// an attribute there are none.
bool lists_spills(const std::vector<Attribute>& attributes) {
  constexpr std::uint8_t api_version = 0x37;
  constexpr std::uint32_t cuda_13 = 130;
  return std::ranges::any_of(attributes, [](const Attribute& attribute) {
    return attribute.id == api_version && !attribute.numbers.empty() && attribute.numbers[0] >= cuda_13;
  });
}

}  // namespace

Expected<AllFacts> kernel_facts(std::string_view image) {
  constexpr std::string_view text = ".text.", info = ".nv.info", shared = ".nv.shared.";
  constexpr std::string_view reserved = ".nv.shared.reserved.";
  constexpr std::uint64_t reserved_bytes = 1024;
  const auto sections = WARPCLOCK_TRY(elf_sections(image));
  AllFacts all;
  for (const ElfSection& section : sections) {
    if (section.type == SHT_PROGBITS && section.name.starts_with(text))
      all[std::string(section.name.substr(text.size()))];
  }
  // Where the system reserves shared memory of a block, each kernel's section begins with it.
  const bool reserves = std::ranges::any_of(sections, [&](const auto& s) { return s.name.starts_with(reserved); });
  if (all.empty()) return all;
  const auto named = WARPCLOCK_TRY(named_by_symbols(sections, image.size(), all));
  for (const ElfSection& section : sections) {
    if (section.name.starts_with(shared)) {
      const auto kernel = all.find(section.name.substr(shared.size()));
      const std::uint64_t own = section.size - std::min(section.size, reserves ? reserved_bytes : 0);
      if (kernel != all.end()) kernel->second.shared_bytes = small(own);
    }
    if (!section.name.starts_with(info)) continue;
    const auto attributes = attributes_of(section.bytes);
    if (!attributes) return fail("elf", "the cubin cannot be read: an attribute of a kernel is cut short");
    if (section.name == info) take_shared(named, *attributes);
    const auto kernel = section.name.size() > info.size() ? all.find(section.name.substr(info.size() + 1)) : all.end();
    if (kernel == all.end()) continue;
    if (lists_spills(*attributes)) kernel->second.spills.emplace();
    take_own(kernel->second, *attributes);
  }
  const auto variables = WARPCLOCK_TRY(module_variables(sections, image.size()));
  for (auto& [name, facts] : all) facts.variables = variables;
  return all;
}

}  // namespace warpclock
