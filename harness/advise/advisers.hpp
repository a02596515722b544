#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/advice.hpp"
#include "base/error.hpp"
#include "inspect/inspection.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "model/measured.hpp"
#include "predict/program/program.hpp"
#include "record/record.hpp"

namespace warpclock {

inline constexpr std::int64_t lanes_in_warp = 32;

/// The records of a GPU and the model that was made from them. All must outlive it.
struct AdviceSource {
  const MeasuredGpu& gpu;
  const Machine& machine;
  const Record* kernels = nullptr;  ///< cases.json, if there is one
};

/// Takes measured numbers from a GPU, and writes into an answer which ones were taken and which are missing.
class Citations {
 public:
  Citations(const AdviceSource& from, Advice& answer) : from_(from), answer_(answer) {}

  /// A leaf by its path. Nothing if it was not measured; the answer then says so.
  std::optional<double> leaf(const std::string& path);
  /// An estimate of a row of a record.
  void row(const std::string& record, const Row& row, const Estimate& estimate);
  void unknown(const std::string& sentence);

  [[nodiscard]] const AdviceSource& from() const { return from_; }

 private:
  AdviceSource from_;
  Advice& answer_;
};

/// A measured row with a verified window, and the record that it is in.
struct RecordRow {
  std::string record;
  const Row* row = nullptr;
  const Estimate* estimate = nullptr;
};

/// The rows of a probe that have the estimate: those of the first record that has any, its own result first.
[[nodiscard]] std::vector<RecordRow> rows_of(const MeasuredGpu& gpu, const std::string& probe,
                                             const std::string& estimate);
/// 0 if the row has no such whole number.
[[nodiscard]] std::int64_t whole(const Row& row, const std::string& parameter);
/// Empty if the row has no such word.
[[nodiscard]] std::string word_of(const Row& row, const std::string& parameter);

/// Sums up predictions of rows.
class ErrorSum {
 public:
  explicit ErrorSum(std::string of) { check_.of = std::move(of); }
  /// Ignored unless the measured value is positive.
  void add(double predicted, double measured, const std::string& row);
  /// Nothing if no row was compared.
  [[nodiscard]] std::optional<ModelCheck> result() const;

 private:
  ModelCheck check_;
  double sum_ = 0;
};

/// As the paths of the model have it: "l2", "dram".
[[nodiscard]] std::string path_word(MemoryLevel level);

/// Whether the SMs of a row and of a column read the same tiles at the same time, as in a product of matrices.
enum class Tiles { Own, Shared };

struct PipelineQuestion {
  std::string tile;                    ///< "128x128x64": rows of A, columns of B, and the depth of a step
  std::string type;                    ///< of A and B: "f16"
  MemoryLevel from = MemoryLevel::L2;  ///< L2 or DRAM
  Tiles tiles = Tiles::Own;
};

/// The types of A and B that a question may name.
[[nodiscard]] std::vector<std::string> pipeline_types();

/// Stages, warp groups and shared memory of a tile, and the share of the peak that it reaches: the model of the picture
/// "Stages that hide a copy", with the tensor cores as the computation, and one buffer more. Error "option" if the tile
/// is none, or if tiles are shared that come from DRAM. Pure.
[[nodiscard]] Expected<Advice> advise_pipeline(const AdviceSource& from, const PipelineQuestion& question);

/// A type of wgmma's A and B.
struct MultiplyType {
  std::string name, accumulator;
  std::int64_t depth = 0;  ///< k of an instruction
  std::int64_t bits = 0;   ///< of an element
};
/// nullptr for another word.
[[nodiscard]] const MultiplyType* multiply_type(const std::string& name);
/// "wgmma.m64n128k16.f32.f16.a_shared"; `a` is "shared" or "registers".
[[nodiscard]] std::string multiply_entry(const MultiplyType& type, std::int64_t columns, const std::string& a);

struct BandwidthQuestion {
  MemoryLevel level = MemoryLevel::Dram;  ///< L2 or DRAM
  std::optional<std::int64_t> bytes;      ///< that a kernel reads in all
  std::optional<std::int64_t> warps;      ///< of an SM
  std::optional<std::int64_t> width;      ///< of a thread's load: 1, 2, 4, 8 or 16 bytes
};

/// Bytes in flight, warps and loads that reach 90 % and 99 % of the rate at which all SMs read a level. Pure.
[[nodiscard]] Advice advise_bandwidth(const AdviceSource& from, const BandwidthQuestion& question);

/// Cycles in which all SMs read these bytes together, by that answer; nothing if the level was not measured.
[[nodiscard]] std::optional<double> reading_cycles(const AdviceSource& from, MemoryLevel level, std::int64_t bytes);

struct SwizzleQuestion {
  std::int64_t row_bytes = 0;
  std::string access;  ///< "ldmatrix", "stmatrix", "lds.128", "sts.32", ...
};

[[nodiscard]] std::vector<std::string> swizzle_accesses();

/// Wavefronts and conflicts of an access to rows that follow each other, that are padded, and that a tensor copy
/// swizzles. Error "option" if rows of that length have no such access. Pure.
[[nodiscard]] Expected<Advice> advise_swizzle(const AdviceSource& from, const SwizzleQuestion& question);

struct AttentionQuestion {
  std::int64_t head = 128, keys = 128;
  std::string type = "f16";  ///< of Q, K, V and the probabilities
  std::int64_t degree = 3;   ///< of the polynomial that computes 2^x on FFMA
};

/// Exponentials against products of a tile of 64 queries: what of the softmax hides behind wgmma, and how many
/// exponentials a polynomial would take over. Error "option" if wgmma has no such shape. Pure.
[[nodiscard]] Expected<Advice> advise_attention(const AdviceSource& from, const AttentionQuestion& question);

/// Cycles of products and softmax of a tile one after the other, by that answer; nothing if a part was not measured.
[[nodiscard]] std::optional<double> serial_cycles(const AdviceSource& from, const AttentionQuestion& question);

struct OccupancyQuestion {
  int threads = 0;                 ///< of a block; 0: what the kernel states
  std::int64_t dynamic_bytes = 0;  ///< shared memory that the launch adds
};

/// Blocks and warps of an SM for each kernel of an inspection that was made with the GPU's model, the next step of
/// registers or shared memory that adds a block, and what more warps bring by the measured curves. A kernel without a
/// stated number of threads gets the answer for each usual one. Error "kernel" if the file has no kernel that is
/// launched, "unsupported-arch" if the limits of its architecture are not known. Pure.
[[nodiscard]] Expected<Advice> advise_occupancy(const AdviceSource& from, const Inspection& inspection);

/// The model of `advise pipeline`: its costs go to `cite`. Errors of advise_pipeline().
[[nodiscard]] Expected<PipelineAdvice> model_pipeline(Citations& cite, const PipelineQuestion& question);

/// Tiles of bulk copies and wgmma, each SM with its own, by that model: the rows of wgmma/pipeline whose tiles are in
/// L2. Of the others L2 holds a part.
[[nodiscard]] std::optional<ModelCheck> multiplies_check(const AdviceSource& from);

/// Whole kernels that multiply matrices, whose tiles SMs share, by that model: it has neither their start nor their
/// epilogue. Nothing without cases.json.
[[nodiscard]] std::optional<ModelCheck> products_check(const AdviceSource& from);

/// The kernels of cases.json that multiply matrices with this tile.
[[nodiscard]] std::vector<MeasuredKernel> measured_products(const AdviceSource& from, const PipelineAdvice& tile);

/// Whole kernels that read as many bytes from a level, once.
[[nodiscard]] std::optional<ModelCheck> reading_check(const AdviceSource& from, MemoryLevel level);

/// Attention of one warp group, for a head of 64: products and softmax one after the other, by the model of `advise
/// attention`. It has neither the reductions over a row nor the waits for results.
[[nodiscard]] std::optional<ModelCheck> attention_check(const AdviceSource& from);

/// Where a tensor copy with a swizzle of 32, 64 or 128 bytes writes the byte that is at `address` without one: the
/// number of the 16 bytes within the span is xored with the number of the 128 bytes. The tile begins at a multiple of
/// 1024. Source: PTX ISA, "Tensor swizzling modes", and `tensor_copy/swizzle_layout`.
[[nodiscard]] std::int64_t swizzled(std::int64_t address, std::int64_t span);

}  // namespace warpclock
