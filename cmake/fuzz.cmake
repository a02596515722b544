# ptx_fuzz, a libFuzzer program; its sources are built apart from the libraries, all of them instrumented.
#   CXX=clang++ cmake -B build/fuzz -G Ninja -DWARPCLOCK_FUZZ=ON -DBUILD_TESTING=OFF
#   cmake --build build/fuzz --target ptx_fuzz && build/fuzz/ptx_fuzz -max_total_time=120 -dict=harness/ptx/testdata/ptx.dict
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "WARPCLOCK_FUZZ needs clang++ 16 or newer: libFuzzer is Clang's")
endif()

add_executable(ptx_fuzz EXCLUDE_FROM_ALL)
foreach(folder base plan ptx)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/harness/${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  target_sources(ptx_fuzz PRIVATE ${sources})
endforeach()
target_sources(ptx_fuzz PRIVATE ${warpclock_generated_sources})
target_link_libraries(ptx_fuzz PRIVATE warpclock_options warpclock_yaml fmt::fmt nlohmann_json::nlohmann_json
                                       Threads::Threads)
target_compile_options(ptx_fuzz PRIVATE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
                                        -Wno-sign-conversion)
# libstdc++ 12 hides <expected> from a Clang whose concepts it does not trust.
target_compile_options(ptx_fuzz PRIVATE -Wno-builtin-macro-redefined -U__cpp_concepts -D__cpp_concepts=202002L)
target_link_options(ptx_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
