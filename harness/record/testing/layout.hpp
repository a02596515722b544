#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/record.hpp"
#include "record/testing/record.hpp"

namespace warpclock::testing {

/// What the PTX ISA documents for the layout of a case: how its matrix is divided, and the number of the element that
/// each part of each owner (a lane, or 128 bytes of shared memory) holds.
struct DocumentedLayout {
  int rows = 0, columns = 0, packed = 1, matrices = 1, owners = 32;
  std::function<int(int owner, int part)> element;

  /// What a kernel writes to its places if everything is as documented.
  [[nodiscard]] std::vector<double> places() const {
    std::vector<double> out;
    const int parts = rows * columns * matrices / owners;
    for (int owner = 0; owner < owners; ++owner) {
      for (int part = 0; part < parts; ++part) out.push_back(1 + element(owner, part));
    }
    return out;
  }
};

inline std::int64_t integer_of(const Row& row, const std::string& name) {
  const Value* value = find(row.parameters, name);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? 0 : *number;
}
inline std::string word_of(const Row& row, const std::string& name) {
  const Value* value = find(row.parameters, name);
  const auto* word = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return word == nullptr ? std::string() : *word;
}

/// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64" to "... for mma.m16n8k256": groupID is lane >> 2,
/// threadID_in_group is lane % 4, and a_i, b_i, c_i are the parts of a lane in the order of its registers.
inline DocumentedLayout documented_mma(int m, int k, const std::string& ab, const std::string& acc, char fragment) {
  const bool eight = ab == "s8" || ab == "u8" || ab == "e4m3" || ab == "e5m2", four = ab == "s4" || ab == "u4";
  const int bits = ab == "f64" ? 64 : ab == "tf32" ? 32 : ab == "b1" ? 1 : four ? 4 : eight ? 8 : 16;
  const int packed = bits >= 32 ? 1 : 32 / bits, halves = m / 8;
  DocumentedLayout out;
  if (fragment == 'a') {
    out = {m, k, packed, 1, 32, {}};
    out.element = [=](int lane, int i) {
      // The registers alternate between rows groupID and groupID + 8, then continue along k by the width of four lanes.
      const int row = lane / 4 + 8 * (i / packed % halves);
      return row * k + packed * (lane % 4) + i % packed + 4 * packed * (i / packed / halves);
    };
  } else if (fragment == 'b') {
    out = {k, 8, packed, 1, 32, {}};
    out.element = [=](int lane, int i) {
      return (packed * (lane % 4) + i % packed + 4 * packed * (i / packed)) * 8 + lane / 4;
    };
  } else {
    out = {m, 8, acc == "f16" ? 2 : 1, 1, 32, {}};
    out.element = [](int lane, int i) { return (lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2; };
  }
  return out;
}

/// PTX ISA, "Matrix Fragments for sparse mma": the stored part of A has the layout of a dense A with half of the
/// columns. Metadata: a lane holds a row of 16 bits (with 32 bits, a second lane holds the other half), and in its
/// upper 16 bits the row that is 8 further. For s8 with k 64, whose rows have 64 bits, two lanes hold 32 bits of each
/// row. The sparsity selector determines which of four lanes.
inline DocumentedLayout documented_sparse(int m, int k, const std::string& ab, const std::string& fragment) {
  if (fragment == "a") return documented_mma(m, k / 2, ab, "", 'a');
  const int stored = k / 2, bits = ab == "tf32" ? 4 : 2, parts = 32 / bits, row_bits = stored * bits;
  const int lanes = m * row_bits / 32, selectors = 32 / lanes, of_four = lanes / 8;
  DocumentedLayout out{m, stored, parts, selectors, 32, {}};
  out.element = [=](int lane, int i) {
    const int selector = lane % 4 / of_four, within = lane % 4 % of_four;
    const bool whole = ab == "s8";
    const int row = lane / 4 + 8 * (whole ? within % 2 : i / (parts / 2));
    const int column = whole ? within / 2 * parts + i : within * (parts / 2) + i % (parts / 2);
    return (selector * m + row) * stored + column;
  };
  return out;
}

/// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNkK": a warp has 16 rows. Its A has the layout of mma, and each
/// eight columns of the accumulator have that of the C of mma.
inline DocumentedLayout documented_wgmma(int columns, int k, const std::string& ab, const std::string& acc,
                                         const std::string& fragment) {
  if (fragment == "a") return documented_mma(16, k, ab, acc, 'a');
  DocumentedLayout out{16, columns, acc == "f16" ? 2 : 1, 1, 32, {}};
  out.element = [=](int lane, int i) {
    return (lane / 4 + 8 * (i / 2 % 2)) * columns + i / 4 * 8 + 2 * (lane % 4) + i % 2;
  };
  return out;
}

/// PTX ISA, "ldmatrix" and "stmatrix": lane l has row l / 4, columns 2 (l % 4) and the next, of each matrix; .trans
/// exchanges rows and columns. "movmatrix" is the latter from registers to registers.
inline DocumentedLayout documented_eight(int matrices, bool trans) {
  DocumentedLayout out{8, 8, 2, matrices, 32, {}};
  out.element = [=](int lane, int i) {
    const int row = lane / 4, column = 2 * (lane % 4) + i % 2;
    return i / 2 * 64 + (trans ? column * 8 + row : row * 8 + column);
  };
  return out;
}

/// PTX ISA, "Tensor swizzling modes": the number of each 16 bytes is xored with as many bits of the number of its 128
/// bytes as the mode has. The box has 32 rows of f32.
inline DocumentedLayout documented_swizzle(int width, const std::string& swizzle) {
  const int units = width / 4, mask = swizzle == "128B" ? 7 : swizzle == "64B" ? 3 : swizzle == "32B" ? 1 : 0;
  DocumentedLayout out{32, units, 1, 1, 32 * units / 8, {}};
  out.element = [=](int line, int unit) { return line * 8 + (unit ^ (line & mask)); };
  return out;
}

/// Nothing for a case for which the PTX ISA has no layout.
inline std::optional<DocumentedLayout> documented(const Row& row) {
  const auto number = [&](const char* name) { return static_cast<int>(integer_of(row, name)); };
  if (row.probe == "matrix/mma_fragments_sparse") {
    return documented_sparse(number("m"), number("k"), word_of(row, "ab"), word_of(row, "fragment"));
  }
  if (row.probe == "wgmma/fragments" || row.probe == "wgmma/fragments_a") {
    return documented_wgmma(number("cols"), number("k"), word_of(row, "ab"), word_of(row, "acc"),
                            word_of(row, "fragment"));
  }
  if (row.probe.starts_with("matrix/mma_fragments")) {
    const std::string fragment = word_of(row, "fragment");
    return documented_mma(number("m"), number("k"), word_of(row, "ab"), word_of(row, "acc"),
                          fragment.empty() ? ' ' : fragment.front());
  }
  if (row.probe == "matrix/ldmatrix_layout" || row.probe == "matrix/stmatrix_layout") {
    return documented_eight(number("num"), number("trans") == 1);
  }
  if (row.probe == "matrix/movmatrix_layout") return documented_eight(1, true);
  if (row.probe == "tensor_copy/swizzle_layout") return documented_swizzle(number("width"), word_of(row, "swizzle"));
  return std::nullopt;
}

/// Synthetic: a row as a kernel would report it on a GPU that follows the PTX ISA.
inline Row synthetic_layout(const std::string& probe, Parameters parameters) {
  Row row;
  row.id = example_id(probe, parameters);
  row.probe = probe;
  row.family = probe.substr(0, probe.find('/'));
  row.parameters = std::move(parameters);
  row.window.verdict = "verified";
  const DocumentedLayout layout = *documented(row);
  row.places = layout.places();
  row.facts = {{"rows", layout.rows}, {"columns", layout.columns}, {"packed", layout.packed}, {"mismatches", 0}};
  row.estimates = {{"mismatches", 0, 0, 0, "count", "fact", 1, ""}};
  return row;
}

inline Row synthetic_fragment(std::int64_t m, std::int64_t k, const std::string& ab, const std::string& acc,
                              const std::string& fragment) {
  return synthetic_layout("matrix/mma_fragments",
                          {{"m", m}, {"k", k}, {"ab", ab}, {"acc", acc}, {"fragment", fragment}});
}

inline ProbeRecord layout_probe(const std::string& name, FeatureQuery::What what = FeatureQuery::What::Fragment) {
  return {name, name.substr(0, name.find('/')),      "Which element is where?", {},
          "",   {{"mismatches", what, "places", {}}}};
}

}  // namespace warpclock::testing
