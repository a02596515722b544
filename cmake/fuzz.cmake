# libFuzzer programs, and a library of what they read with, which is built apart from that of the program: instrumented.
#   ./bootstrap test --chaos fuzz --minutes 10
# builds and runs them all (.ci/chaos/fuzz.py has what each is run with), and one by hand is
#   CXX=clang++ cmake -B build/fuzz -G Ninja -DWARPCLOCK_FUZZ=ON -DBUILD_TESTING=OFF
#   cmake --build build/fuzz --target code_fuzz && build/fuzz/code_fuzz -max_total_time=120
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "WARPCLOCK_FUZZ needs clang++ 16 or newer: libFuzzer is Clang's")
endif()

function(warpclock_fuzzed target)
  target_link_libraries(${target} PRIVATE warpclock_options warpclock_yaml warpclock_nvrtc warpclock_cuda_headers fmt::fmt
                                          nlohmann_json::nlohmann_json simdjson::simdjson Threads::Threads ZLIB::ZLIB)
  target_compile_options(${target} PRIVATE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
                                           -Wno-sign-conversion -Wno-unknown-warning-option)
  # libstdc++ 12 hides <expected> from a Clang whose concepts it does not trust.
  target_compile_options(${target} PRIVATE -Wno-builtin-macro-redefined -U__cpp_concepts -D__cpp_concepts=202002L)
endfunction()

# A fuzzer takes of it what it needs: nothing of what uses a GPU.
add_library(warpclock_fuzzed STATIC EXCLUDE_FROM_ALL ${warpclock_generated_sources})
foreach(folder base plan ptx code compile verify fields compose gpu/job gpu/device analyze record model
        inspect execute predict capture fleet check)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/harness/${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$|/testing/|/injection/|/measured\\.cpp$")
  target_sources(warpclock_fuzzed PRIVATE ${sources})
endforeach()
warpclock_fuzzed(warpclock_fuzzed)
target_compile_definitions(warpclock_fuzzed PRIVATE ${compiler_defaults})
set_source_files_properties(harness/predict/executed_kernel.cpp harness/predict/meeting/block_streams.cpp PROPERTIES
  COMPILE_DEFINITIONS FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
set_source_files_properties(harness/capture/capture_program.cpp PROPERTIES COMPILE_DEFINITIONS
  "WARPCLOCK_CUPTI_DEFAULT=\"\";WARPCLOCK_INSTALLED_LIBRARY=\"\"")

set(fuzzers "")
foreach(folder ptx fields inspect/image execute predict capture cli)
  file(GLOB source "${CMAKE_CURRENT_SOURCE_DIR}/harness/${folder}/*_fuzz.cpp")
  cmake_path(GET source STEM name)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  warpclock_fuzzed(${name})
  target_link_libraries(${name} PRIVATE warpclock_fuzzed ${CMAKE_DL_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  list(APPEND fuzzers ${name})
endforeach()
add_custom_target(fuzzers DEPENDS ${fuzzers})
