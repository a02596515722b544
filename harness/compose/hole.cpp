#include "compose/hole.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/files/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "code/disassembler.hpp"
#include "code/elf.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/ptxas.hpp"
#include "compose/hole_source.hpp"
#include "fields/skeleton.hpp"
#include "ptx/experiment/frame.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

/// The register of an operand that is a single register; -1 for any other operand.
int first_register(const Instruction& instruction, std::size_t operand) {
  if (operand >= instruction.operands.size()) return -1;
  const Skeleton skeleton = skeleton_of("OP " + instruction.operands[operand]);
  const bool is_register = skeleton.numerals.size() == 2 && skeleton.numerals[1].kind == Numeral::Kind::Register;
  return is_register ? static_cast<int>(skeleton.numerals[1].value) : -1;
}

std::unexpected<Error> odd(std::string text) { return fail("hole", std::move(text)); }

struct Ends {
  std::size_t open = 0, close = 0;
};

Expected<Ends> ends_of(const Listing& listing) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() != 2) return odd(fmt::format("the clock is read {} times", reads.size()));
  for (std::size_t i = reads[0] + 1; i < reads[1]; ++i) {
    const Instruction& one = listing.instructions[i];
    const Skeleton skeleton = skeleton_of(one.text);
    if (one.opcode != "LOP3" || skeleton.numerals.size() < 3 ||
        skeleton.numerals[1].value != skeleton.numerals[2].value) {
      return odd(fmt::format("there is '{}' in it", one.text));
    }
  }
  return Ends{reads[0], reads[1]};
}

/// The quads stored after the hole. Each must have been loaded before the hole, and nothing may write its
/// registers in between.
Expected<std::vector<int>> quads_of(const Listing& listing, const Ends& ends, std::size_t wanted) {
  struct Life {
    std::size_t loaded = 0, stored = 0;
  };
  std::vector<int> found;
  std::map<int, Life> lives;
  const auto& code = listing.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool wide = has_modifier(code[i], "128");
    if (i < ends.open && wide && code[i].opcode == "LDG") lives[first_register(code[i], 0)] = {i, 0};
    if (i > ends.close && wide && code[i].opcode == "STG") {
      const auto at = lives.find(first_register(code[i], 1));
      if (at == lives.end()) return odd(fmt::format("'{}' stores what was not loaded", code[i].text));
      at->second.stored = i;
      found.push_back(at->first);
    }
  }
  if (found.size() != wanted) return odd(fmt::format("{} quads are stored", found.size()));
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (i > ends.open && i < ends.close) continue;
    for (const Register& written : effects_of(code[i]).writes) {
      const int quad = written.index - written.index % static_cast<int>(std::size_t{quad_registers});
      const auto at = written.file == RegisterFile::Vector ? lives.find(quad) : lives.end();
      if (at == lives.end() || i <= at->second.loaded || i >= at->second.stored) continue;
      return odd(fmt::format("'{}' writes to a quad", code[i].text));
    }
  }
  return found;
}

/// The accumulators of the multiplies on both sides of the hole; -1 if there are none. Nothing else may write them.
Expected<int> accumulators_of(const Listing& listing, const Ends& ends) {
  std::optional<int> first;
  const auto& code = listing.instructions;
  for (const Instruction& one : code) {
    if (!is_group_multiply(one.opcode)) continue;
    if (first.value_or(first_register(one, 0)) != first_register(one, 0)) return odd("the accumulators move");
    first = first_register(one, 0);
  }
  if (!first) return -1;
  std::size_t multiplies = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (is_group_multiply(code[i].opcode)) ++multiplies;
    if (multiplies != 1 || (i > ends.open && i < ends.close) || is_group_multiply(code[i].opcode)) continue;
    for (const Register& written : effects_of(code[i]).writes) {
      if (written.file == RegisterFile::Vector && written.index >= *first &&
          written.index < *first + accumulator_registers) {
        return odd(fmt::format("'{}' writes to an accumulator", code[i].text));
      }
    }
  }
  return *first;
}

}  // namespace

void find_free(const Listing& listing, Hole& hole) {
  std::set<std::pair<Numeral::Kind, std::int64_t>> taken;
  for (const Instruction& instruction : listing.instructions) {
    const std::string guard = instruction.predicate.empty() ? "" : "@" + instruction.predicate + " ";
    for (const Numeral& one : skeleton_of(guard + instruction.text).numerals) {
      for (std::int64_t i = 0; i < 2; ++i) taken.insert({one.kind, one.value + i});  // a pair is named by its first
    }
  }
  const auto is_free = [&](Numeral::Kind kind, int i) { return !taken.contains({kind, i}); };
  constexpr int last_uniform = 62, last_predicate = 6;  // also the last uniform predicate
  for (int i = 0; i <= last_uniform; ++i) {
    if (is_free(Numeral::Kind::UniformRegister, i)) hole.uniform.push_back(i);
  }
  for (int i = 0; i <= last_predicate; ++i) {
    if (is_free(Numeral::Kind::Predicate, i)) hole.predicates.push_back(i);
    if (is_free(Numeral::Kind::UniformPredicate, i)) hole.uniform_predicates.push_back(i);
  }
}

Expected<Word> branch_to_itself(const Listing& listing) {
  const auto is_one = [](const Instruction& one) { return one.opcode == "BRA" && one.branch_target == one.address; };
  const auto found = std::ranges::find_if(listing.instructions, is_one);
  if (found == listing.instructions.end()) return odd("no branch to itself ends it");
  return Word{found->low, found->high};
}

Expected<Word> barrier_before(const Listing& listing, std::size_t open) {
  for (std::size_t i = open; i-- > 0;) {
    const Instruction& one = listing.instructions[i];
    if (one.opcode == "BAR") return Word{one.low, one.high};
  }
  return odd("there is no barrier in front of it");
}

void find_descriptor(const Listing& listing, std::size_t close, Hole& hole) {
  for (std::size_t i = close; i < listing.instructions.size(); ++i) {
    const Instruction& store = listing.instructions[i];
    if (store.opcode != "STG" || !store.text.contains("desc[UR")) continue;
    const Skeleton skeleton = skeleton_of(store.text);
    const auto numeral = std::ranges::find(skeleton.numerals, Numeral::Kind::UniformRegister, &Numeral::kind);
    const Register wanted{RegisterFile::Uniform, static_cast<int>(numeral->value)};
    for (std::size_t j = i; j-- > 0;) {
      const Instruction& load = listing.instructions[j];
      if (!effects_of(load).writes_to(wanted)) continue;
      hole.descriptor_register = wanted.index;
      hole.descriptor = {Word{load.low, load.high}};
      return;
    }
  }
}

namespace {

/// Reads back what ptxas made of the source. Errors: "hole" if it does not have the structure of a hole; those of
/// code_sections().
Expected<Hole> find_hole(std::string image, std::span<const Listing> listings) {
  Hole hole;
  const auto sections = WARPCLOCK_TRY(code_sections(image));
  for (const Listing& listing : listings) {
    const auto ends = WARPCLOCK_TRY(ends_of(listing));
    const int accumulators = WARPCLOCK_TRY(accumulators_of(listing, ends));
    auto found = WARPCLOCK_TRY(quads_of(listing, ends, hole_quads + (accumulators < 0 ? 0 : 1)));
    if (!hole.kernels.empty() && found != hole.quads) return odd("the quads of two kernels differ");
    hole.quads = std::move(found);
    hole.accumulators = accumulators;
    const auto section = std::ranges::find(sections, listing.kernel, &CodeSection::kernel);
    if (section == sections.end()) return odd(fmt::format("{} is not in the cubin", listing.kernel));
    if (section->code.size() < (ends.close + 1) * word_bytes) return odd("the cubin ends within it");
    hole.kernels.push_back({listing.kernel, static_cast<std::size_t>(section->code.data() - image.data()), ends.open,
                            ends.close - ends.open - 1});
  }
  if (hole.kernels.empty()) return odd("there is no kernel");
  find_free(listings.front(), hole);
  const Ends ends = ends_of(listings.front()).value();
  hole.to_itself = WARPCLOCK_TRY(branch_to_itself(listings.front()));
  hole.barrier = WARPCLOCK_TRY(barrier_before(listings.front(), ends.open));
  find_descriptor(listings.front(), ends.close, hole);
  const int* address = &hole.quads[number_quads];
  hole.global = {address[0], address[0] + 2, address[1]};
  hole.shared = {address[1] + 2, address[1] + 3, address[2]};
  hole.local = address[2] + 1;
  hole.mbarrier = address[2] + 2;
  hole.counter = address[2] + 3;
  if (hole.accumulators >= 0) hole.descriptors = address[3];
  hole.quads.resize(number_quads);
  hole.image = std::move(image);
  return hole;
}

Expected<std::string> listing_text(const Arch& arch, const std::string& nvdisasm, const std::string& image) {
  const auto parts = WARPCLOCK_TRY(common_disassembler().read(nvdisasm, arch, {image}).front());
  std::string text;
  for (const auto& [kernel, part] : parts) text += part;
  return text;
}

struct Assembled {
  std::string image;
  std::vector<Listing> listings;
};

Expected<Assembled> assembled(const Arch& arch, const std::string& nvdisasm, const std::string& ptxas,
                              const CompileRequest& request, const std::string& key, Cache* cache) {
  Compilation done = assemble(ptxas, request);
  if (done.status != Compilation::Status::Done) return fail("compile-error", done.log);
  const auto text = WARPCLOCK_TRY(listing_text(arch, nvdisasm, done.image));
  auto listings = WARPCLOCK_TRY(parse_listings(text));
  if (cache != nullptr) {
    if (auto image = cache->store_image(done.image, ".cubin"))
      cache->store(key, {.image = *std::move(image), .kernels = {}, .listing = text, .ptx = ""});
  }
  return Assembled{std::move(done.image), std::move(listings)};
}

/// Nothing if either part is missing.
std::optional<Assembled> cached(Cache& cache, const std::string& key) {
  auto found = cache.find(key);
  if (!found) return std::nullopt;
  auto image = read_file(cache.path(found->entry.image));
  if (!image) return std::nullopt;
  return Assembled{*std::move(image), std::move(found->listings)};
}

}  // namespace

Expected<std::vector<Listing>> listings_of(const Arch& arch, const std::string& nvdisasm, const std::string& image) {
  const auto text = WARPCLOCK_TRY(listing_text(arch, nvdisasm, image));
  return parse_listings(text);
}

Expected<Hole> make_hole(const Arch& arch, const std::string& nvdisasm, const std::string& source, Cache* cache) {
  auto ptxas = WARPCLOCK_TRY(find_ptxas());
  CompileRequest request;
  request.target = WARPCLOCK_TRY(target_for(arch));
  request.unit = fmt::format(".version {}\n.target {}\n.address_size 64\n{}", ptx_isa_version(), to_string(arch),
                             replace_all(source, kernel_mark, "hole"));
  const std::string key =
      hash_hex(fmt::format("hole\n{}\n{}\n{}", ptxas_identity(ptxas), nvdisasm_identity(nvdisasm), request.unit));
  std::optional<Assembled> made = cache != nullptr ? cached(*cache, key) : std::nullopt;
  if (!made) made = WARPCLOCK_TRY(assembled(arch, nvdisasm, ptxas, request, key, cache));
  return find_hole(std::move(made->image), made->listings);
}

}  // namespace warpclock
