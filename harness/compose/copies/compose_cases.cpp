#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string>

#include "base/files/file.hpp"
#include "base/lookup.hpp"
#include "code/disassembler.hpp"
#include "code/elf.hpp"
#include "code/listing.hpp"
#include "code/toolkit.hpp"
#include "compile/cache.hpp"
#include "compose/copies/composing.hpp"
#include "compose/filling.hpp"
#include "compose/window_checks.hpp"
#include "fields/form_table.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

std::unexpected<Error> not_room(std::string text) { return fail("hole", std::move(text)); }

/// The registers that a store shows: its data, or its guard.
std::vector<Register> shown(const Instruction& store) {
  const Effects effects = effects_of(store);
  return effects.guard.empty() ? effects.sources.back() : effects.guard;
}

/// Whether a register has its value before the opening clock read: a wait follows on the scoreboard that signals it.
bool is_ready(const Listing& listing, std::size_t open, Register reg) {
  for (std::size_t i = open; i-- > 0;) {
    const Instruction& writer = listing.instructions[i];
    if (!effects_of(writer).writes_to(reg)) continue;
    const int scoreboard = writer.control.write_barrier;
    if (scoreboard < 0) return true;
    const auto first = listing.instructions.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    return std::any_of(first, listing.instructions.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                       [&](const Instruction& one) { return (one.control.wait_mask >> scoreboard & 1U) != 0; });
  }
  return false;
}

/// Whether the code reads what a register holds at its begin.
bool reads_first(std::span<const Instruction> code, Register reg) {
  for (const Instruction& one : code) {
    const Effects effects = effects_of(one);
    if (effects.reads(reg)) return true;
    if (effects.writes_to(reg) && effects.guard.empty() && !effects.conditional) return false;
  }
  return false;
}

/// Predicates beyond the free ones that the kernel sets anew before it reads them, behind the window and in each pass.
std::vector<int> spare_predicates(const Listing& listing, std::size_t open, std::size_t close, const Hole& hole) {
  constexpr int last_predicate = 6;
  std::vector<int> spare;
  const std::span<const Instruction> code = listing.instructions;
  for (int i = 0; i <= last_predicate; ++i) {
    const Register reg{RegisterFile::Predicate, i};
    if (contains(hole.predicates, i)) continue;
    if (!reads_first(code.subspan(close), reg) && !reads_first(code.first(open), reg)) spare.push_back(i);
  }
  return spare;
}

}  // namespace

Expected<Room> room_of(const Listing& listing, const PtxInstruction& instruction, std::size_t code) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() != 2) return not_room(fmt::format("the clock is read {} times", reads.size()));
  std::vector<std::vector<Register>> stores;
  for (std::size_t i = reads[0] + 1; i < reads[1]; ++i) {
    const Instruction& one = listing.instructions[i];
    if (one.opcode == "STS") {
      stores.push_back(shown(one));
    } else if (one.opcode != "LOP3" && !is_no_operation(one)) {
      return not_room(fmt::format("there is '{}' in it", one.text));
    }
  }
  const std::span all = stores;
  const std::size_t half = all.size() / 2;
  if (all.size() % 2 != 0 || !std::ranges::equal(all.first(half), all.subspan(half))) {
    return not_room("the registers of an operand change inside it");
  }
  for (const auto& registers : all.first(half)) {
    for (const Register reg : registers) {
      if (!is_ready(listing, reads[0], reg)) return not_room(to_string(reg) + " may come after the opening clock read");
    }
  }
  Room room;
  std::size_t at = 0;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.immediate.empty() || !operand.read) continue;
    for (int element = 0; element < operand.elements && at < half; ++element) room.operands[{i, element}] = all[at++];
  }
  for (; at < half; ++at) {
    for (const Register reg : all[at]) room.scratch.push_back(reg.index);
  }
  std::ranges::sort(room.scratch);
  find_free(listing, room.hole);
  room.spare_predicates = spare_predicates(listing, reads[0], reads[1], room.hole);
  room.hole.to_itself = WARPCLOCK_TRY(branch_to_itself(listing));
  room.hole.barrier = WARPCLOCK_TRY(barrier_before(listing, reads[0]));
  find_descriptor(listing, reads[1], room.hole);
  room.hole.kernels.push_back({listing.kernel, code, reads[0], reads[1] - reads[0] - 1});
  return room;
}

namespace {

/// The fillings of one request, and the kernels into which they go.
struct Fill {
  std::vector<HoleKernel> kernels;
  std::vector<Filling> fillings;
  Word barrier;
};

/// Whether its words read a register that neither they nor the kernel write: the carry of an addc by itself.
bool reads_what_nothing_writes(const Body& body) {
  std::set<std::size_t> set;
  for (const auto& [element, registers] : body.sources) {
    for (const BodyRegister reg : registers) set.insert(reg.block);
  }
  return std::ranges::any_of(body.words, [&](const BodyWord& word) {
    return std::ranges::any_of(word.numerals, [&](const auto& reg) {
      return reg && !body.blocks[reg->block].written && !body.blocks[reg->block].once &&
             reg->block != body.descriptor && !set.contains(reg->block);
    });
  });
}

/// Whether how late its copies issue changes nothing that they compute, as all that they wait for is in registers.
bool is_chain_in_registers(const ComposeRequest& request) {
  return request.experiment.question == Question::Latency && !reads_what_nothing_writes(request.body) &&
         std::ranges::none_of(request.body.words, &BodyWord::is_seen);
}

/// What an image is for: its windows are timed, or what they compute is compared.
enum class Purpose : std::uint8_t { Timed, Early, Patient };

/// Compared are the copies of the smallest kernel, in the largest one, which has room for them at Pace::Patient.
Expected<Fill> fill_of(const ComposeRequest& request, Purpose purpose, std::string_view image,
                       std::span<const CodeSection> sections) {
  Fill fill;
  const std::span kernels = request.build.kernels;
  const Pace pace = purpose == Purpose::Patient ? Pace::Patient : Pace::Early;
  for (const Kernel& kernel : purpose == Purpose::Timed ? kernels : kernels.last(1)) {
    const std::int64_t n = purpose == Purpose::Timed ? kernel.n : kernels.front().n;
    const auto section = std::ranges::find(sections, kernel.symbol, &CodeSection::kernel);
    if (section == sections.end()) return fail("hole", kernel.symbol + " is not in the cubin");
    const auto code = static_cast<std::size_t>(section->code.data() - image.data());
    const Room room = WARPCLOCK_TRY(room_of(kernel.listing, request.instruction, code));
    fill.fillings.emplace_back() = WARPCLOCK_TRY(copies_of(request.body, room, request.experiment, n, pace));
    const HoleKernel& hole = fill.kernels.emplace_back(room.hole.kernels.front());
    if ((hole.open + hole.room + 2) * word_bytes > section->code.size())
      return fail("hole", "the cubin ends within it");
    fill.barrier = room.hole.barrier;
  }
  return fill;
}

/// Compares a window with the words that were placed into it.
Expected<void> read_back(const Listing& listing, const Filling& filling) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() < 2) return fail("read-back", "a clock read is missing");
  auto placed = filling.placed.begin();
  for (std::size_t i = reads.front() + 1; i < reads.back(); ++i) {
    const Instruction& one = listing.instructions[i];
    if (is_no_operation(one)) continue;
    if (placed == filling.placed.end()) return fail("read-back", fmt::format("'{}' is read at its end", one.text));
    if (auto wrong = misreading(*placed++, with_guard(one), one.address); !wrong.empty())
      return fail("read-back", std::move(wrong));
  }
  if (placed != filling.placed.end()) return fail("read-back", "the window ends too early");
  return {};
}

/// The listings of the filled kernels.
Expected<std::vector<Listing>> read(const Fill& fill, const KernelTexts& texts) {
  std::vector<Listing> read;
  for (std::size_t k = 0; k < fill.kernels.size(); ++k) {
    const std::string& symbol = fill.kernels[k].symbol;
    const auto text = texts.find(symbol);
    if (text == texts.end()) return fail("read-back", "the disassembler prints no " + symbol);
    auto listings = WARPCLOCK_TRY(parse_listings(text->second));
    if (listings.size() != 1) return fail("read-back", "the disassembler prints several kernels");
    WARPCLOCK_TRY(read_back(listings.front(), fill.fillings[k]));
    read.push_back(std::move(listings.front()));
  }
  return read;
}

/// An image with the copies of several requests, by the index of each.
struct Filled {
  Purpose purpose = Purpose::Timed;
  std::string image;
  std::map<std::size_t, Fill> fills;
};

using Composed = std::vector<Expected<std::optional<ComparedKernels>>>;

/// Fills the kernels of requests that share one image.
Expected<Filled> filled(std::span<const ComposeRequest> requests, const std::vector<std::size_t>& which,
                        Purpose purpose, Composed& done) {
  const std::string empty = WARPCLOCK_TRY(read_file(requests[which.front()].build.cubin_path));
  const auto sections = WARPCLOCK_TRY(code_sections(empty));
  Hole hole;
  hole.image = empty;
  Filled made{.purpose = purpose, .image = {}, .fills = {}};
  for (const std::size_t i : which) {
    if (purpose != Purpose::Timed && (!done[i] || !is_chain_in_registers(requests[i]))) continue;
    auto fill = fill_of(requests[i], purpose, empty, sections);
    if (!fill) {
      done[i] = std::unexpected(fill.error());
      continue;
    }
    hole.kernels = fill->kernels;
    hole.barrier = fill->barrier;
    auto image = fill_hole(hole, fill->fillings);
    if (!image) {
      done[i] = std::unexpected(image.error());
      continue;
    }
    hole.image = *std::move(image);
    made.fills.emplace(i, *std::move(fill));
  }
  made.image = std::move(hole.image);
  return made;
}

/// Reads all images back in one run of the disassembler, whose start takes longer than its work.
Expected<void> keep(std::span<const ComposeRequest> requests, std::span<const Filled> all, const Arch& arch,
                    const BuildOptions& options, Composed& done) {
  Cache cache = Cache::open(options.cache_dir);
  const std::string nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  const auto images = mapped<std::string_view>(all, &Filled::image);
  const auto texts = common_disassembler().read(nvdisasm, arch, images);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto name = cache.store_image(all[k].image, ".cubin");
    for (const auto& [i, fill] : all[k].fills) {
      if (!name || !texts[k]) {
        done[i] = std::unexpected(name ? texts[k].error() : name.error());
        continue;
      }
      auto listings = read(fill, *texts[k]);
      if (!listings) {
        done[i] = std::unexpected(listings.error());
        continue;
      }
      Build& build = requests[i].build;
      if (all[k].purpose != Purpose::Timed) {
        TrialKernel kernel{build.kernels.front().n, fill.kernels.front().symbol, cache.path(*name)};
        if (!done[i]) continue;
        if (all[k].purpose == Purpose::Early) done[i].value().emplace();
        ComparedKernels& compared = *done[i].value();
        (all[k].purpose == Purpose::Early ? compared.early : compared.patient) = std::move(kernel);
        continue;
      }
      build.cubin_path = cache.path(*name);
      for (std::size_t one = 0; one < listings->size(); ++one) {
        (*listings)[one].target = build.kernels[one].listing.target;
        build.kernels[one].listing = std::move((*listings)[one]);
      }
    }
  }
  return {};
}

/// Parts of `which` whose kernels are all different: frames of instructions with the same operands are compiled once,
/// and a kernel has room for the copies of one.
std::vector<std::vector<std::size_t>> with_own_kernels(std::span<const ComposeRequest> requests,
                                                       const std::vector<std::size_t>& which) {
  std::vector<std::vector<std::size_t>> parts;
  std::vector<std::set<std::string>> symbols;
  for (const std::size_t i : which) {
    const auto& kernels = requests[i].build.kernels;
    const auto is_free = [&](const std::set<std::string>& taken) {
      return std::ranges::none_of(kernels, [&](const Kernel& kernel) { return taken.contains(kernel.symbol); });
    };
    const auto part = static_cast<std::size_t>(std::ranges::find_if(symbols, is_free) - symbols.begin());
    if (part == parts.size()) {
      parts.emplace_back();
      symbols.emplace_back();
    }
    parts[part].push_back(i);
    for (const Kernel& kernel : kernels) symbols[part].insert(kernel.symbol);
  }
  return parts;
}

}  // namespace

Composed compose(std::span<const ComposeRequest> requests, const Arch& arch, const BuildOptions& options) {
  Composed done(requests.size());
  std::map<std::string, std::vector<std::size_t>> by_image;
  for (std::size_t i = 0; i < requests.size(); ++i) by_image[requests[i].build.cubin_path].push_back(i);
  const auto give_up = [&](const Error& why, const auto& indices) {
    for (const std::size_t i : indices) done[i] = std::unexpected(why);
  };
  std::vector<Filled> images;
  for (const auto& [path, all] : by_image) {
    for (const auto& which : with_own_kernels(requests, all)) {
      for (const Purpose purpose : {Purpose::Timed, Purpose::Early, Purpose::Patient}) {
        auto image = filled(requests, which, purpose, done);
        if (!image) {
          give_up(image.error(), which);
        } else if (!image->fills.empty()) {
          images.push_back(*std::move(image));
        }
      }
    }
  }
  if (const auto kept = keep(requests, images, arch, options, done); !kept) {
    for (const Filled& one : images) give_up(kept.error(), std::views::keys(one.fills));
  }
  return done;
}

}  // namespace warpclock
