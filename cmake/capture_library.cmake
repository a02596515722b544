# What `warpclock capture` puts into other programs, beside the program. It links nothing that such a program may have in
# another version, and shows two symbols.
if(WARPCLOCK_HAS_CUPTI)
  file(GLOB injection CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/harness/capture/injection/*.cpp")
  set(exports "${CMAKE_CURRENT_SOURCE_DIR}/harness/capture/injection/exports.map")
  add_library(warpclock_injected MODULE ${injection} harness/base/hash.cpp)
  warpclock_unit(warpclock_injected)
  target_link_libraries(warpclock_injected PRIVATE warpclock_cuda_headers warpclock_cupti fmt::fmt-header-only
                                                   Threads::Threads ${CMAKE_DL_LIBS})
  target_include_directories(warpclock_injected PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/harness")
  target_compile_options(warpclock_injected PRIVATE -Wall -Wextra -Wpedantic -Wconversion -ffunction-sections
                                                    -fdata-sections -Wno-missing-field-initializers)
  target_link_options(warpclock_injected PRIVATE -static-libstdc++ -static-libgcc "LINKER:--version-script=${exports}"
                                                 LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:-z,defs)
  set_target_properties(warpclock_injected PROPERTIES OUTPUT_NAME warpclock_capture CXX_VISIBILITY_PRESET hidden
                                                      VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS "${exports}")
  add_dependencies(warpclock warpclock_injected)
endif()

# A driver and CUPTI without a GPU, and a program that uses them (harness/capture/testing).
function(warpclock_captured_in_tests)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/fake_cuda")
  add_library(warpclock_fake_cuda MODULE harness/capture/testing/fake_cuda.cpp)
  target_link_libraries(warpclock_fake_cuda PRIVATE warpclock_cuda_headers warpclock_cupti ${CMAKE_DL_LIBS})
  set_target_properties(warpclock_fake_cuda PROPERTIES PREFIX "" OUTPUT_NAME "libcuda" SUFFIX ".so.1"
                                                       LIBRARY_OUTPUT_DIRECTORY "${folder}")
  add_custom_command(TARGET warpclock_fake_cuda POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E create_symlink libcuda.so.1 "${folder}/libcupti.so.13")
  add_executable(warpclock_captured harness/capture/testing/captured_program.cpp)
  target_link_libraries(warpclock_captured PRIVATE ${CMAKE_DL_LIBS})
  foreach(test capture_test cli_test)
    add_dependencies(${test} warpclock_fake_cuda warpclock_captured)
    target_compile_definitions(${test} PRIVATE WARPCLOCK_FAKE_CUDA="${folder}"
                                               WARPCLOCK_CAPTURED="$<TARGET_FILE:warpclock_captured>")
  endforeach()
endfunction()
