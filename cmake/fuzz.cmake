# libFuzzer programs; their sources are built apart from the libraries, all of them instrumented.
#   CXX=clang++ cmake -B build/fuzz -G Ninja -DWARPCLOCK_FUZZ=ON -DBUILD_TESTING=OFF
#   cmake --build build/fuzz --target ptx_fuzz && build/fuzz/ptx_fuzz -max_total_time=120 -dict=harness/ptx/testdata/ptx.dict
#   cmake --build build/fuzz --target code_fuzz && build/fuzz/code_fuzz -max_total_time=120
#   cmake --build build/fuzz --target predict_fuzz && build/fuzz/predict_fuzz -max_total_time=600 -max_len=1200 -len_control=0
#   cmake --build build/fuzz --target execute_fuzz && build/fuzz/execute_fuzz -max_total_time=600 -max_len=800
#   cmake --build build/fuzz --target image_fuzz && build/fuzz/image_fuzz -max_total_time=120 harness/inspect/testdata
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "WARPCLOCK_FUZZ needs clang++ 16 or newer: libFuzzer is Clang's")
endif()

# warpclock_fuzzer(NAME FOLDER…): all sources of the folders of harness/, with the last one's NAME.cpp.
function(warpclock_fuzzer name)
  add_executable(${name} EXCLUDE_FROM_ALL)
  foreach(folder ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/harness/${folder}/*.cpp")
    list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
    target_sources(${name} PRIVATE ${sources})
  endforeach()
  list(GET ARGN -1 own)
  target_sources(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/harness/${own}/${name}.cpp" ${warpclock_generated_sources})
  target_link_libraries(${name} PRIVATE warpclock_options warpclock_yaml warpclock_nvrtc fmt::fmt
                                        nlohmann_json::nlohmann_json simdjson::simdjson Threads::Threads ZLIB::ZLIB)
  target_compile_options(${name} PRIVATE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
                                         -Wno-sign-conversion -Wno-unknown-warning-option)
  # libstdc++ 12 hides <expected> from a Clang whose concepts it does not trust.
  target_compile_options(${name} PRIVATE -Wno-builtin-macro-redefined -U__cpp_concepts -D__cpp_concepts=202002L)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
endfunction()

warpclock_fuzzer(ptx_fuzz base plan ptx)
warpclock_fuzzer(code_fuzz base plan ptx code fields)
warpclock_fuzzer(image_fuzz base plan ptx code inspect/image)

warpclock_fuzzer(execute_fuzz base plan ptx code compile verify fields inspect execute)
warpclock_fuzzer(predict_fuzz base plan ptx code compile verify fields inspect execute predict)
foreach(fuzzer execute_fuzz predict_fuzz)
  target_sources(${fuzzer} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/harness/model/machine.cpp"
                                   "${CMAKE_CURRENT_SOURCE_DIR}/harness/gpu/job/call.cpp"
                                   "${CMAKE_CURRENT_SOURCE_DIR}/harness/gpu/job/statistics.cpp")
  target_compile_definitions(${fuzzer} PRIVATE ${compiler_defaults})
  target_link_libraries(${fuzzer} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
