# NVRTC, CUPTI and the CUDA headers. The libraries are looked for by name rather than through the CUDA language: kernels
# are compiled at run time, so nvcc need not exist, and NVIDIA's wheels ship libraries without the unversioned links.
# The program loads them when it needs them, first from where they are found here (harness/code/toolkit.cpp).
# Sought in CUDAToolkit_ROOT (variable or environment), next to nvcc on PATH, then the usual prefix.

set(warpclock_roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT})
find_program(WARPCLOCK_NVCC nvcc HINTS ${warpclock_roots} PATH_SUFFIXES bin)
mark_as_advanced(WARPCLOCK_NVCC)
if(WARPCLOCK_NVCC)
  file(REAL_PATH "${WARPCLOCK_NVCC}" nvcc_path)
  cmake_path(GET nvcc_path PARENT_PATH nvcc_folder)
  cmake_path(GET nvcc_folder PARENT_PATH nvcc_root)
  list(APPEND warpclock_roots "${nvcc_root}")
endif()
list(APPEND warpclock_roots /usr/local/cuda "${CMAKE_CURRENT_SOURCE_DIR}/build/toolkit")

set(include_places include targets/x86_64-linux/include targets/sbsa-linux/include extras/CUPTI/include)
set(library_places lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib extras/CUPTI/lib64)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so .so.13 .so.12)

find_path(WARPCLOCK_CUDA_INCLUDE cuda.h HINTS ${warpclock_roots} PATH_SUFFIXES ${include_places})
find_path(WARPCLOCK_NVRTC_INCLUDE nvrtc.h HINTS ${warpclock_roots} PATH_SUFFIXES ${include_places})
find_library(WARPCLOCK_NVRTC_LIBRARY nvrtc HINTS ${warpclock_roots} PATH_SUFFIXES ${library_places})
find_path(WARPCLOCK_CUPTI_INCLUDE cupti_range_profiler.h HINTS ${warpclock_roots} PATH_SUFFIXES ${include_places})
find_library(WARPCLOCK_CUPTI_LIBRARY cupti HINTS ${warpclock_roots} PATH_SUFFIXES ${library_places})

if(NOT WARPCLOCK_CUDA_INCLUDE OR NOT WARPCLOCK_NVRTC_INCLUDE)
  message(FATAL_ERROR "No CUDA Toolkit found (need cuda.h and nvrtc.h). "
                      "Set CUDAToolkit_ROOT to one, or run ./bootstrap build, which fetches what is missing.")
endif()

file(STRINGS "${WARPCLOCK_CUDA_INCLUDE}/cuda.h" version_line REGEX "^#define CUDA_VERSION [0-9]+")
string(REGEX REPLACE "[^0-9]" "" toolkit_number "${version_line}")
math(EXPR toolkit_major "${toolkit_number} / 1000")
math(EXPR toolkit_minor "${toolkit_number} % 1000 / 10")
set(WARPCLOCK_TOOLKIT_VERSION "${toolkit_major}.${toolkit_minor}")

add_library(warpclock_cuda_headers INTERFACE)
target_include_directories(warpclock_cuda_headers SYSTEM INTERFACE "${WARPCLOCK_CUDA_INCLUDE}")

add_library(warpclock_nvrtc INTERFACE)
target_include_directories(warpclock_nvrtc SYSTEM INTERFACE "${WARPCLOCK_NVRTC_INCLUDE}")

# An empty target when there is no CUPTI, so that the folders link the same either way.
add_library(warpclock_cupti INTERFACE)
set(WARPCLOCK_HAS_CUPTI OFF)
if(WARPCLOCK_CUPTI AND WARPCLOCK_CUPTI_INCLUDE)
  set(WARPCLOCK_HAS_CUPTI ON)
  target_include_directories(warpclock_cupti SYSTEM INTERFACE "${WARPCLOCK_CUPTI_INCLUDE}")
  target_compile_definitions(warpclock_cupti INTERFACE WARPCLOCK_HAVE_CUPTI=1)
endif()

# warpclock_tool(NAME FOLDER): sets NAME_default to the program that the environment, else the toolkit, else
# build/FOLDER has; where there is none, to its bare name, for PATH to know later.
function(warpclock_tool name folder)
  string(TOUPPER "WARPCLOCK_${name}" variable)
  if(DEFINED ENV{${variable}} AND NOT ${variable})
    set(${variable} "$ENV{${variable}}" CACHE FILEPATH "${name}" FORCE)
  endif()
  find_program(${variable} ${name} HINTS ${warpclock_roots} "${CMAKE_CURRENT_SOURCE_DIR}/build/${folder}"
               PATH_SUFFIXES bin)
  if(${variable})
    set(${name}_default "${${variable}}" PARENT_SCOPE)
  else()
    set(${name}_default "${name}" PARENT_SCOPE)
  endif()
endfunction()
warpclock_tool(nvdisasm tools)
warpclock_tool(ptxas assembler)
# Where the program looks first.
string(REGEX REPLACE ".*-NOTFOUND$" "" nvrtc_default "${WARPCLOCK_NVRTC_LIBRARY}")
string(REGEX REPLACE ".*-NOTFOUND$" "" cupti_default "${WARPCLOCK_CUPTI_LIBRARY}")
# nvcc of the wheels is not sought with the Toolkit: its folder has headers too, and would pass for one.
string(REGEX REPLACE ".*-NOTFOUND$" "" nvcc_default "${WARPCLOCK_NVCC}")
if(NOT nvcc_default AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/build/assembler/nvvm/bin/cicc")
  set(nvcc_default "${CMAKE_CURRENT_SOURCE_DIR}/build/assembler/bin/nvcc")
endif()
set(include_default "${WARPCLOCK_CUDA_INCLUDE}")
# Paths of the machine that builds a package mean nothing where it is installed.
if(WARPCLOCK_PACKAGE)
  foreach(part nvrtc cupti nvdisasm ptxas nvcc include)
    set(${part}_default "")
  endforeach()
endif()

set(compiler_defaults WARPCLOCK_NVRTC_DEFAULT="${nvrtc_default}" WARPCLOCK_NVCC_DEFAULT="${nvcc_default}"
                      WARPCLOCK_CUDA_INCLUDE_DEFAULT="${include_default}")

message(STATUS "CUDA Toolkit ${WARPCLOCK_TOOLKIT_VERSION}; NVRTC: ${nvrtc_default}")
message(STATUS "CUPTI: ${WARPCLOCK_HAS_CUPTI} ${cupti_default}; nvdisasm: ${nvdisasm_default}; ptxas: ${ptxas_default}")
