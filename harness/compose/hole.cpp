#include "compose/hole.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "code/disassembler.hpp"
#include "code/elf.hpp"
#include "code/modifiers.hpp"
#include "code/semantics.hpp"
#include "compile/nvrtc.hpp"
#include "compile/ptxas.hpp"
#include "fields/skeleton.hpp"
#include "ptx/experiment/frame.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

constexpr std::size_t number_quads = result_quads + constant_quads, address_quads = 3;
constexpr std::size_t quads = number_quads + address_quads;
constexpr std::size_t components = 4, word_bytes = 16;
constexpr std::size_t quad_bytes = 1024 * word_bytes;   // of one quad, for every thread that a block can have
constexpr std::size_t results_at = quads * quad_bytes;  // after the inputs
constexpr std::size_t cells_at = 2 * results_at;        // cells of 4, 8 and 16 bytes for each thread
constexpr std::size_t place_bytes = 3 * quad_bytes;     // of the cells at one place
constexpr Word no_operation{0x7918, 0};

/// Bits to keep and bits to set in words with even and with odd numbers.
struct Mask {
  std::uint32_t keep_even, set_even, keep_odd, set_odd;
};
constexpr std::uint32_t all = 0xffffffff;
// In the order of Values. Numbers from 1 to 2 are such that neither a product nor a sum of a few of them loses its
// inputs. With coarse halves, the upper half of a single-precision sum of products is again a number, and the lower
// half is 0.
constexpr std::array<Mask, 17> masks{{{all, 0, all, 0},
                                      {1, 0, 1, 0},
                                      {0x007fffff, 0x3f800000, 0x007fffff, 0x3f800000},
                                      {0x00400000, 0x3f800000, 0x00400000, 0x3f800000},
                                      {0x007fffff, 0x3f000000, 0x007fffff, 0x3f000000},
                                      {0x807fffff, 0x3f000000, 0x807fffff, 0x3f000000},
                                      {all, 0, 0x000fffff, 0x3ff00000},
                                      {0, 0, 0x00080000, 0x3ff00000},
                                      {all, 0, 0x800fffff, 0x3fe00000},
                                      {0x03ff03ff, 0x3c003c00, 0x03ff03ff, 0x3c003c00},
                                      {0x02000200, 0x3c003c00, 0x02000200, 0x3c003c00},
                                      {0x03ff03ff, 0x38003800, 0x03ff03ff, 0x38003800},
                                      {0x83ff83ff, 0x38003800, 0x83ff83ff, 0x38003800},
                                      {0x007f007f, 0x3f803f80, 0x007f007f, 0x3f803f80},
                                      {0x00400040, 0x3f803f80, 0x00400040, 0x3f803f80},
                                      {0x007f007f, 0x3f003f00, 0x007f007f, 0x3f003f00},
                                      {0x807f807f, 0x3f003f00, 0x807f807f, 0x3f003f00}}};

std::string reg(std::size_t quad, std::size_t component) { return fmt::format("wq{}_{}", quad, component); }

std::string all_of(std::size_t quad) {
  return fmt::format("{}, {}, {}, {}", reg(quad, 0), reg(quad, 1), reg(quad, 2), reg(quad, 3));
}

std::string globals() {
  // Zeros come first: a load of constants with index 0 then returns 0 as the index of the next one.
  std::vector<std::string> words(components, "0");
  for (const Mask& mask : masks) {
    for (const std::uint32_t bits : {mask.keep_even, mask.set_even, mask.keep_odd, mask.set_odd}) {
      words.push_back(fmt::format("0x{:x}", bits));
    }
  }
  return fmt::format(".const .align 16 .b32 w_masks[{}] = {{{}}};\n", words.size(), join(words, ", "));
}

/// Turns random bits into numbers of the kind whose index is at bit `shift` of the argument, and stores them where the
/// quads are loaded from: ptxas could keep computed values in other registers than loaded ones.
void put_values(Frame& frame, std::size_t first, std::size_t count, int shift, const std::string& own) {
  const std::string byte = frame.new_pair(), base = frame.new_pair();
  std::array<std::string, components> mask, word;
  for (std::string& one : mask) one = frame.new_word();
  for (std::string& one : word) one = frame.new_word();
  const std::string masks_of = fmt::format("{{{}}}", join(mask, ", ")),
                    words_of = fmt::format("{{{}}}", join(word, ", "));
  frame.line("shr.u64 {}, {}, {};", byte, frame.argument_at(argument::at), shift);
  frame.line("and.b64 {0}, {0}, 0xff;", byte);
  frame.line("mov.u64 {}, w_masks;", base);
  frame.line("mad.lo.u64 {0}, {1}, {2}, {0};", base, byte, word_bytes);
  frame.line("ld.const.v4.u32 {}, [{}+{}];", masks_of, base, word_bytes);
  for (std::size_t quad = first; quad < first + count; ++quad) {
    frame.line("ld.volatile.global.v4.u32 {}, [{}+{}];", words_of, own, quad * quad_bytes);
    for (std::size_t i = 0; i < components; ++i) {
      frame.line("and.b32 {0}, {0}, {1};", word[i], mask[i % 2 * 2]);
      frame.line("or.b32 {0}, {0}, {1};", word[i], mask[i % 2 * 2 + 1]);
    }
    frame.line("st.volatile.global.v4.u32 [{}+{}], {};", own, results_at + quad * quad_bytes, words_of);
  }
}

/// A cell of a number of bytes for each thread that holds its own address: one in global memory, where a cell of four
/// bytes holds the lower half, and one in shared memory. The cells of all threads lie one after another, from a
/// multiple of a quad's size on.
struct Cell {
  std::string low, high, shared;
};

Cell put_cell(Frame& frame, std::size_t bytes, std::size_t first) {
  const std::string address = frame.new_pair();
  Cell cell{frame.new_word(), frame.new_word(), frame.new_word()};
  frame.line("mul.wide.u32 {}, w_thread, {};", address, bytes);
  frame.line("add.s64 {0}, {0}, w_cells;", address);
  frame.line("add.s64 {0}, {0}, {1};", address, first * quad_bytes);
  frame.line("mov.b64 {{{}, {}}}, {};", cell.low, cell.high, address);
  frame.line("mov.u32 {}, w_shared;", cell.shared);
  frame.line("add.u32 {0}, {0}, {1};", cell.shared, first * quad_bytes);
  frame.line("mad.lo.u32 {0}, w_thread, {1}, {0};", cell.shared, bytes);
  for (std::size_t at = 0; at < bytes; at += 4) {
    frame.line("st.volatile.global.u32 [{}+{}], {};", address, at, at % 8 == 0 ? cell.low : cell.high);
    frame.line("st.volatile.shared.u32 [{0}+{1}], {0};", cell.shared, at);
  }
  return cell;
}

/// Stores the addresses in the last quads. They go through memory so that they are loaded into consecutive registers.
void put_addresses(Frame& frame, const std::string& own) {
  const Cell four = put_cell(frame, 4, 0), eight = put_cell(frame, 8, 1), sixteen = put_cell(frame, 16, 2);
  const std::string local = frame.new_word(), generic = frame.new_pair();
  frame.line("mov.u32 {}, w_local;", local);
  frame.line("mov.u64 {}, w_local;", generic);
  frame.line("cvta.local.u64 {0}, {0};", generic);
  frame.line("st.volatile.v4.u32 [{0}], {{{1}, {1}, {1}, {1}}};", generic, local);
  const auto keep = [&](std::size_t quad, const std::string& a, const std::string& b, const std::string& c,
                        const std::string& d) {
    frame.line("st.volatile.global.v4.u32 [{}+{}], {{{}, {}, {}, {}}};", own,
               results_at + (number_quads + quad) * quad_bytes, a, b, c, d);
  };
  keep(0, four.low, four.high, eight.low, eight.high);
  keep(1, sixteen.low, sixteen.high, four.shared, eight.shared);
  keep(2, sixteen.shared, local, local, local);
}

/// The register of an operand that is a single register; -1 for any other operand.
int first_register(const Instruction& instruction, std::size_t operand) {
  if (operand >= instruction.operands.size()) return -1;
  const Skeleton skeleton = skeleton_of("OP " + instruction.operands[operand]);
  const bool is_register = skeleton.numerals.size() == 2 && skeleton.numerals[1].kind == Numeral::Kind::Register;
  return is_register ? static_cast<int>(skeleton.numerals[1].value) : -1;
}

std::unexpected<Error> odd(std::string text) { return fail("hole", std::move(text)); }

void put(std::string& image, std::size_t at, const Word& word) {
  std::string bytes;
  append_word(bytes, word);
  image.replace(at, bytes.size(), bytes);
}

std::size_t words_in(const Filling& filling) {
  return filling.before.size() + filling.window.size() + filling.after.size();
}

std::size_t rests_in(const Filling& filling) {
  return hole_rest * (filling.after.empty() ? 2 : 3) + (filling.before.empty() ? 0 : hole_rest + 1);
}

/// The word with waits for all scoreboards that `words` set, in addition to its own.
Word waiting_for(Word word, std::span<const Word> words) {
  Control control = decode_control(word.high);
  for (const Word& one : words) {
    const Control setting = decode_control(one.high);
    for (const int scoreboard : {setting.write_barrier, setting.read_barrier}) {
      if (scoreboard >= 0) control.wait_mask |= 1U << scoreboard;
    }
  }
  return with_control(word, control);
}

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

/// The quads stored after the hole. Each must have been loaded before the hole, and nothing may write its registers in
/// between.
Expected<std::vector<int>> quads_of(const Listing& listing, const Ends& ends) {
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
  if (found.size() != quads) return odd(fmt::format("{} quads are stored", found.size()));
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (i > ends.open && i < ends.close) continue;
    for (const Register& written : effects_of(code[i]).writes) {
      const int quad = written.index - written.index % static_cast<int>(components);
      const auto at = written.file == RegisterFile::Vector ? lives.find(quad) : lives.end();
      if (at == lives.end() || i <= at->second.loaded || i >= at->second.stored) continue;
      return odd(fmt::format("'{}' writes to a quad", code[i].text));
    }
  }
  return found;
}

/// Finds the uniform registers and the predicates of both kinds that occur nowhere in the listing.
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

/// The last barrier before the hole.
Expected<Word> barrier_of(const Listing& listing, const Ends& ends) {
  for (std::size_t i = ends.open; i-- > 0;) {
    const Instruction& one = listing.instructions[i];
    if (one.opcode == "BAR") return Word{one.low, one.high};
  }
  return odd("there is no barrier in front of it");
}

/// Finds the descriptor with which the kernel stores after the hole, and the word that loads it.
void find_descriptor(const Listing& listing, const Ends& ends, Hole& hole) {
  for (std::size_t i = ends.close; i < listing.instructions.size(); ++i) {
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

}  // namespace

std::int64_t hole_argument(const HoleValues& values) {
  return static_cast<std::int64_t>(values.results) | static_cast<std::int64_t>(values.constants) << 8 |
         std::int64_t{values.first_thread} << 16;
}

std::int64_t hole_data_bytes(std::int64_t places) {
  return static_cast<std::int64_t>(cells_at) + places * static_cast<std::int64_t>(place_bytes);
}

std::string hole_source(std::size_t room, std::size_t kernels) {
  Frame frame;
  const std::string own = frame.new_pair();
  frame.line(".reg .b64 w_base;");
  frame.line(".local .align 16 .b8 w_local[16];");
  frame.line(".shared .align 16 .b8 w_shared[{}];", 3 * quad_bytes);
  frame.line("ld.param.u64 w_base, [{}+{}];", kernel_parameter(), argument::data);
  frame.line("cvta.to.global.u64 w_base, w_base;");
  const std::string first = frame.new_pair();
  const std::string at = frame.argument_at(argument::at);
  frame.line(".reg .b64 w_cells;");
  frame.line("shr.u64 w_cells, {}, 32;", at);
  frame.line("mad.lo.u64 w_cells, w_cells, {}, w_base;", place_bytes);
  frame.line("add.s64 w_cells, w_cells, {};", cells_at);
  frame.line("shr.u64 {0}, {1}, 16;", first, at);
  frame.line("and.b64 {0}, {0}, 0xffff;", first);
  frame.line("mad.lo.u64 {}, {}, {}, w_base;", own, first, word_bytes);
  frame.line("mul.wide.u32 {}, w_thread, {};", first, word_bytes);
  frame.line("add.s64 {0}, {0}, {1};", own, first);
  put_values(frame, 0, result_quads, 0, own);
  put_values(frame, result_quads, constant_quads, 8, own);
  put_addresses(frame, own);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    frame.line(".reg .b32 {};", all_of(quad));
    frame.line("ld.volatile.global.v4.u32 {{{}}}, [{}+{}];", all_of(quad), own, results_at + quad * quad_bytes);
  }
  frame.begin_passes();
  for (std::size_t quad = 0; quad < quads; ++quad) {
    for (std::size_t i = 0; i < components; ++i) frame.observe(Waits::First, reg(quad, i));
  }
  frame.line("bar.sync 0;");
  frame.open();
  for (std::size_t i = 0; i < room; ++i) {
    frame.line("lop3.b32 {0}, {0}, {1}, {2}, 0x96;", reg(0, 0), reg(0, 1), reg(0, 2));
  }
  frame.close();
  frame.end_passes();
  // The quads go through memory: ptxas does not know what will be in the hole, and would fold the values from before
  // it.
  const std::string fold = frame.new_word(), places = frame.argument_at(argument::places);
  frame.line("mov.u32 {}, 0;", fold);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    frame.line("st.volatile.global.v4.u32 [{}+{}], {{{}}};", own, results_at + quad * quad_bytes, all_of(quad));
  }
  for (std::size_t quad = 0; quad < number_quads; ++quad) {
    frame.line("ld.volatile.global.v4.u32 {{{}}}, [{}+{}];", all_of(quad), own, results_at + quad * quad_bytes);
    for (std::size_t i = 0; i < components; ++i) {
      frame.line("mad.lo.u32 {0}, {0}, 0x01000193, {1};", fold, reg(quad, i));
    }
  }
  frame.line("cvta.to.global.u64 {0}, {0};", places);
  frame.line("mad.wide.u32 {0}, w_thread, 4, {0};", places);
  frame.line("st.volatile.global.u32 [{}], {};", places, fold);
  frame.report();
  const std::string one = frame.kernel("", ".maxntid 1024, 1, 1");
  std::string source = globals();
  for (std::size_t i = 0; i < kernels; ++i)
    source += replace_all(one, kernel_mark, fmt::format("{}{}", kernel_mark, i));
  return source;
}

Expected<Hole> find_hole(std::string image, std::span<const Listing> listings) {
  Hole hole;
  const auto sections = WARPCLOCK_TRY(code_sections(image));
  for (const Listing& listing : listings) {
    const auto ends = WARPCLOCK_TRY(ends_of(listing));
    auto found = WARPCLOCK_TRY(quads_of(listing, ends));
    if (!hole.kernels.empty() && found != hole.quads) return odd("the quads of two kernels differ");
    hole.quads = std::move(found);
    const auto section = std::ranges::find(sections, listing.kernel, &CodeSection::kernel);
    if (section == sections.end()) return odd(fmt::format("{} is not in the cubin", listing.kernel));
    if (section->code.size() < (ends.close + 1) * word_bytes) return odd("the cubin ends within it");
    hole.kernels.push_back({listing.kernel, static_cast<std::size_t>(section->code.data() - image.data()), ends.open,
                            ends.close - ends.open - 1});
  }
  if (hole.kernels.empty()) return odd("there is no kernel");
  find_free(listings.front(), hole);
  const Ends ends = ends_of(listings.front()).value();
  hole.barrier = WARPCLOCK_TRY(barrier_of(listings.front(), ends));
  find_descriptor(listings.front(), ends, hole);
  const int* address = &hole.quads[number_quads];
  hole.global = {address[0], address[0] + 2, address[1]};
  hole.shared = {address[1] + 2, address[1] + 3, address[2]};
  hole.local = address[2] + 1;
  hole.quads.resize(number_quads);
  hole.image = std::move(image);
  return hole;
}

Expected<std::vector<Listing>> listings_of(const Arch& arch, const std::string& nvdisasm, const std::string& image) {
  Disassembler disassembler;
  const auto parts = WARPCLOCK_TRY(disassembler.read(nvdisasm, arch, {image}).front());
  std::string text;
  for (const auto& [kernel, part] : parts) text += part;
  return parse_listings(text);
}

Expected<Hole> make_hole(const Arch& arch, const std::string& nvdisasm, const std::string& source) {
  auto ptxas = WARPCLOCK_TRY(find_ptxas());
  CompileRequest request;
  request.target = WARPCLOCK_TRY(target_for(arch));
  request.unit = fmt::format(".version {}\n.target {}\n.address_size 64\n{}", ptx_isa_version(), to_string(arch),
                             replace_all(source, kernel_mark, "hole"));
  Compilation done = assemble(ptxas, request);
  if (done.status != Compilation::Status::Done) return fail("compile-error", done.log);
  const auto listings = WARPCLOCK_TRY(listings_of(arch, nvdisasm, done.image));
  return find_hole(std::move(done.image), listings);
}

std::size_t room_for_window(const Hole& hole, const Filling& filling) {
  const std::size_t taken = filling.before.size() + filling.after.size() + rests_in(filling);
  const std::size_t room = hole.kernels.front().room;
  return taken < room ? room - taken : 0;
}

Expected<std::string> fill_hole(const Hole& hole, std::span<const Filling> fillings) {
  if (fillings.size() > hole.kernels.size()) {
    return odd(fmt::format("{} fillings are too many for {} kernels", fillings.size(), hole.kernels.size()));
  }
  // ptxas sets the yield hint with a stall of 12 or more.
  const Word rest = with_control(no_operation, {.stall = 15, .yield = true});
  std::string image = hole.image;
  for (std::size_t i = 0; i < fillings.size(); ++i) {
    const HoleKernel& kernel = hole.kernels[i];
    const Filling& filling = fillings[i];
    if (words_in(filling) + rests_in(filling) > kernel.room) {
      return odd(fmt::format("{} words are too many for {}", filling.window.size(), room_for_window(hole, filling)));
    }
    const auto address = [&](std::size_t at) { return kernel.code + (kernel.open + at) * word_bytes; };
    const auto read = [&](std::size_t at) {
      return words_of(std::string_view(hole.image).substr(address(at), word_bytes)).front();
    };
    const Word open = read(0), close = read(kernel.room + 1);
    std::vector<Word> words = filling.before;
    if (!filling.before.empty()) {
      words.insert(words.end(), hole_rest, rest);
      words.push_back(waiting_for(hole.barrier, filling.before));
    }
    words.insert(words.end(), hole_rest, rest);
    // The first word may read what the opening clock read waited for.
    Control first = decode_control(words.front().high);
    first.wait_mask |= decode_control(open.high).wait_mask;
    words.front() = with_control(words.front(), first);
    words.push_back(open);
    words.insert(words.end(), filling.window.begin(), filling.window.end());
    words.push_back(waiting_for(close, filling.window));
    words.insert(words.end(), hole_rest, rest);
    words.insert(words.end(), filling.after.begin(), filling.after.end());
    words.resize(kernel.room + 2, rest);
    for (std::size_t at = 0; at < words.size(); ++at) put(image, address(at), words[at]);
  }
  return image;
}

}  // namespace warpclock
