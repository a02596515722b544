#include "inspect/load.hpp"

#include "base/files/file.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"
#include "compile/ptxas.hpp"
#include "inspect/image/fat_binary.hpp"
#include "inspect/testing/damaged.hpp"
#include "inspect/testing/fat.hpp"
#include "inspect/testing/recorded.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

using testing::compiled_kernels;
using testing::fat_binary;
using testing::options_for;
using testing::TemporaryFolder;

const Arch hopper{90, true}, ampere{80, false};

/// A file in a folder of its own.
class FileOf {
 public:
  FileOf(const std::string& name, const std::string& bytes) : path_(folder_ / name) { testing::write(path_, bytes); }

  [[nodiscard]] Expected<LoadedFile> load(const LoadOptions& options) const { return load_file(path_, options); }
  [[nodiscard]] std::string message(const LoadOptions& options) const {
    const auto loaded = load(options);
    return loaded ? "no error" : loaded.error().code + ": " + loaded.error().message();
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

std::vector<std::string> texts(const LoadedFile& file) {
  std::vector<std::string> all;
  for (const LoadedKernel& kernel : file.kernels) {
    for (const Instruction& each : kernel.listing.instructions) all.push_back(kernel.listing.kernel + " " + each.text);
  }
  return all;
}

// Each entry may unpack to 256 MiB, and a file may have thousands of them.
TEST(LoadFile, UnpacksABoundedSumOfEntries) {
  const FileOf file("a", fat_binary({{.sm = 90, .payload = "plain"},
                                     {.sm = 90, .flags = 0x2000, .payload = "packed", .unpacked = most_unpacked}}));
  EXPECT_THAT(file.message(options_for(hopper)), HasSubstr("its entries for sm_90a unpack to more than 256 MiB"));
}

TEST(LoadFile, ReadsNoSourceOfUnboundedSize) {
  const TemporaryFolder folder;
  testing::write(folder / "a.cu", "");
  std::filesystem::resize_file(folder / "a.cu", most_text_bytes + 1);
  EXPECT_THAT(failure_of(load_file(folder / "a.cu", options_for(hopper))),
              IsError("io", HasSubstr("more than 16 MiB")));
}

TEST(LoadFile, ReadsTheSameKernelsFromEveryKindOfFile) {
  const Compilation done = compiled_kernels(hopper);
  const auto options = options_for(hopper);
  const FileOf cubin("a", done.image), ptx("b", done.ptx), source("c.cu", testing::inspect_file("kernels.cu"));
  const std::string fat =
      fat_binary({{.sm = 80, .payload = "not this one"}, {.sm = 90, .flags = 0x100000, .payload = done.image}});
  const FileOf fatbin("d", fat), program("e",
                                         "\x7f"
                                         "ELF, say" +
                                             fat + "and more");
  const FileOf only_ptx("f", fat_binary({{.kind = 1, .flags = 0x100000, .payload = done.ptx + std::string(3, '\0')}}));
  const auto expected = must(cubin.load(options));
  EXPECT_EQ(expected.kind, "cubin");
  EXPECT_EQ(to_string(expected.arch), "sm_90a");
  ASSERT_THAT(expected.kernels, SizeIs(4));
  for (const auto& [file, kind] :
       {std::pair(&ptx, "PTX"), std::pair(&source, "CUDA C++"), std::pair(&fatbin, "fat binary"),
        std::pair(&program, "fat binary"), std::pair(&only_ptx, "fat binary")}) {
    const auto loaded = must(file->load(options));
    EXPECT_EQ(loaded.kind, kind);
    EXPECT_EQ(texts(loaded), texts(expected)) << kind;
  }
}

TEST(LoadFile, KnowsTheSourceLineOfEachInstruction) {
  const auto loaded = must(FileOf("kernels.cu", testing::inspect_file("kernels.cu")).load(options_for(ampere)));
  for (const LoadedKernel& kernel : loaded.kernels) {
    ASSERT_THAT(kernel.lines, SizeIs(kernel.listing.instructions.size())) << kernel.listing.kernel;
    for (std::size_t i = 0; i < kernel.lines.size(); ++i) {
      if (kernel.listing.instructions[i].opcode != "HMMA") continue;
      EXPECT_THAT(kernel.lines[i].file, EndsWith("kernels.cu"));
      EXPECT_EQ(kernel.lines[i].line, 42);
    }
  }
}

TEST(LoadFile, DisassemblesACubinOnce) {
  const TemporaryFolder folder;
  auto options = options_for(hopper);
  const std::string counting = folder / "nvdisasm", starts = folder / "starts";
  testing::write(counting, fmt::format("#!/bin/sh\nprintf . >>{}\nexec {} \"$@\"\n", starts, options.nvdisasm));
  std::filesystem::permissions(counting, std::filesystem::perms::owner_all);
  options.nvdisasm = counting;
  options.cache = folder / "cache";
  const auto load = [&] { return must(load_file(testing::inspect_data + "kernels.cubin", options)); };
  const auto counted = [&] { return must(read_file(starts)).size(); };
  const LoadedFile first = load(), again = load();
  EXPECT_EQ(counted(), 1U);
  EXPECT_EQ(texts(again), texts(first));
  for (std::size_t i = 0; i < first.kernels.size(); ++i) EXPECT_EQ(again.kernels[i].lines, first.kernels[i].lines);
  options.only = "pipeline";
  EXPECT_THAT(load().kernels, SizeIs(1));
  EXPECT_EQ(counted(), 2U);
  // What is damaged, or was made by another nvdisasm, is not taken.
  for (const auto& file : std::filesystem::directory_iterator(options.cache))
    if (file.path().extension() == ".case") std::filesystem::resize_file(file.path(), 100);
  EXPECT_THAT(load().kernels, SizeIs(1));
  EXPECT_EQ(counted(), 3U);
  std::filesystem::last_write_time(counting, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(load().kernels, SizeIs(1));
  EXPECT_EQ(counted(), 4U);
}

TEST(LoadFile, SaysWhatIsWrongWithAFileAndWhatToDo) {
  const auto options = options_for(hopper);
  const std::string cubin = testing::inspect_file("kernels.cubin");
  EXPECT_THAT(FileOf("a.txt", "some text").message(options),
              AllOf(StartsWith("file: "),
                    EndsWith("this is not a cubin, a fat binary or PTX, and its name does not end in .cu")));
  EXPECT_THAT(FileOf("a.cubin", "").message(options), EndsWith("a.cubin: the file is empty"));
  EXPECT_THAT(FileOf("a.cubin", cubin.substr(0, cubin.size() / 2)).message(options),
              AllOf(StartsWith("elf: "), HasSubstr("a.cubin: the cubin cannot be read")));
  EXPECT_THAT(FileOf("a.cubin", cubin).message(options_for(ampere, true)),
              AllOf(StartsWith("unsupported-arch: "), EndsWith("this is machine code for sm_90a, not for sm_80")));
  EXPECT_EQ(FileOf("a.cubin", cubin).message(options_for(ampere)), "no error");
  EXPECT_THAT(
      FileOf("a.out", fat_binary({{.sm = 75, .payload = "x"}, {.kind = 1, .sm = 100, .payload = "y"}}))
          .message(options),
      EndsWith(
          "there is nothing for sm_90a in it: it has machine code for sm_75 and PTX for sm_100; choose by --arch"));
  EXPECT_THAT(FileOf("ls", read_file("/proc/self/exe")->substr(0, 4096)).message(options),
              EndsWith("ls: there is no CUDA code in this program or library"));
  EXPECT_THAT(load_file("/nowhere/a.cubin", options).error().message(), StartsWith("/nowhere/a.cubin: "));
}

TEST(LoadFile, SaysInALineWhatIsWrongWithADamagedFile) {
  const auto options = options_for(hopper, true);
  const auto files = testing::damaged_files(testing::inspect_file("kernels.cubin"));
  for (const testing::DamagedFile& file : files) {
    const TemporaryFolder folder;
    testing::write(folder / "a.cubin", file.bytes);
    const auto loaded = load_file(folder / "a.cubin", options);
    ASSERT_FALSE(loaded) << file.name;
    EXPECT_EQ(loaded.error().place, folder / "a.cubin") << file.name;
    EXPECT_THAT(loaded.error().text, AllOf(HasSubstr(file.says), Not(HasSubstr("\n")))) << file.name;
  }
}

TEST(LoadFile, RefusesOtherArchitectures) {
  for (const auto& [arch, name] : {std::pair(Arch{75, false}, "sm_75"), std::pair(Arch{121, false}, "sm_121")}) {
    const Compilation done =
        assemble(find_ptxas().value(), {.unit = std::string(".version 9.0\n.target ") + name +
                                                "\n.address_size 64\n.visible .entry other() { ret; }\n",
                                        .target = {arch, false}});
    ASSERT_EQ(done.status, Compilation::Status::Done) << done.log;
    EXPECT_THAT(FileOf("a.cubin", done.image).message(options_for(hopper, true)),
                EndsWith(std::string("a.cubin: this is machine code for ") + name + ", not for sm_90a"));
  }
}

TEST(LoadFile, ReadsOnlyCubinsWithTheKernelThatIsMeant) {
  auto options = options_for(hopper);
  const std::string cubin = testing::inspect_file("kernels.cubin");
  const Compilation other =
      assemble(find_ptxas().value(),
               {.unit = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry other() { ret; }\n",
                .target = {hopper, false}});
  const FileOf file("a.out", fat_binary({{.sm = 90, .payload = other.image}, {.sm = 90, .payload = cubin}}));
  EXPECT_THAT(file.load(options)->images, SizeIs(2));
  options.kernel = "nested";
  const auto one = must(file.load(options));
  EXPECT_THAT(one.images, ElementsAre(cubin));
  EXPECT_EQ(one.kernels.front().image, 0U);
  options.kernel = "nestd";
  EXPECT_THAT(file.message(options),
              AllOf(StartsWith("kernel: "), EndsWith("there is no kernel 'nestd' (did you mean 'nested'?)")));
}

TEST(LoadFile, PassesOnWhatTheCompilersSay) {
  const auto options = options_for(hopper);
  const testing::Variable no_nvcc("WARPCLOCK_NVCC", "/nowhere/nvcc");
  EXPECT_THAT(
      FileOf("a.cu", "\n__global__ void k() { wrong(); }").message(options),
      AllOf(StartsWith("compile-error: "), HasSubstr("a.cu:2: identifier \"wrong\" is undefined (said NVRTC ")));
  EXPECT_THAT(FileOf("a.ptx", ".version 9.0\n.target sm_90a\n.address_size 64\nwrong\n").message(options),
              AllOf(StartsWith("compile-error: "), HasSubstr("a.ptx: "), HasSubstr("in `wrong`")));
  const Compilation empty =
      assemble(find_ptxas().value(),
               {.unit = ".version 9.0\n.target sm_90a\n.address_size 64\n", .headers = {}, .target = {hopper, false}});
  EXPECT_THAT(FileOf("a.cubin", empty.image).message(options), EndsWith("a.cubin: there is no kernel in it"));
}

TEST(LoadFile, FindsHeadersInItsFolderAndInThoseGiven) {
  const TemporaryFolder own, other;
  testing::write(own / "near.h", "constexpr int near = 1;");
  testing::write(other / "far.h", "constexpr int far = 2;");
  testing::write(own / "a.cu", "#include \"near.h\"\n#include <far.h>\n__global__ void k(int* p) { *p = near + far; }");
  auto options = options_for(hopper);
  EXPECT_THAT(load_file(own / "a.cu", options).error().text, HasSubstr("far.h"));
  options.include = {other.path()};
  EXPECT_TRUE(load_file(own / "a.cu", options));
}

TEST(RecordedKernels, AreWhatTheCompilersMakeOfThem) {
  // WARPCLOCK_ACCEPT=1 records them anew. Other releases may make other machine code, so nothing is compared.
  const char* accept = std::getenv("WARPCLOCK_ACCEPT");
  if (accept != nullptr && std::string(accept) == "1") {
    const Compilation done = compiled_kernels(hopper);
    testing::write(testing::inspect_data + "kernels.cubin", done.image);
    testing::write(testing::inspect_data + "kernels.sass",
                   disassemble_with_lines(find_nvdisasm().value(), done.image).value());
  }
  const LoadedFile file = testing::recorded_kernels();
  ASSERT_THAT(file.kernels, SizeIs(4));
  for (const LoadedKernel& kernel : file.kernels) {
    EXPECT_TRUE(kernel.facts.entry);
    EXPECT_THAT(kernel.lines, SizeIs(kernel.listing.instructions.size()));
  }
}

}  // namespace
}  // namespace warpclock
