add_library(warpclock_options INTERFACE)
target_include_directories(warpclock_options INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/harness")
# GCC counts a member that a designated initializer leaves to its default as missing.
target_compile_options(warpclock_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                                                   -Wno-missing-field-initializers)
# In a folder that is one unit, the functions of one source are not in the way of another's variables.
if(WARPCLOCK_UNITY)
  target_compile_options(warpclock_options INTERFACE -Wshadow=local)
else()
  target_compile_options(warpclock_options INTERFACE -Wshadow)
endif()
# GCC collects its garbage only when a unit has taken a gigabyte: by default it does so many times in a folder's unit,
# which takes a tenth of the time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND WARPCLOCK_UNITY)
  target_compile_options(warpclock_options INTERFACE --param=ggc-min-heapsize=1048576)
endif()
target_compile_definitions(warpclock_options INTERFACE
  WARPCLOCK_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
  WARPCLOCK_NVDISASM_DEFAULT="${nvdisasm_default}"
  WARPCLOCK_PTXAS_DEFAULT="${ptxas_default}"
  WARPCLOCK_TOOLKIT_VERSION="${WARPCLOCK_TOOLKIT_VERSION}")

# What the sanitizers add to the code keeps GCC from seeing that it is initialised.
if(WARPCLOCK_SANITIZE)
  target_compile_options(warpclock_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                     -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  if(WARPCLOCK_SANITIZE_NOT)
    target_compile_options(warpclock_options INTERFACE -fno-sanitize=${WARPCLOCK_SANITIZE_NOT})
  endif()
  target_link_options(warpclock_options INTERFACE -fsanitize=address,undefined)
endif()

# yaml-cpp 0.7 names its target without a namespace.
add_library(warpclock_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(warpclock_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(warpclock_yaml INTERFACE yaml-cpp)
endif()

# The library chooses vector instructions when it runs. Its header has a parser for each set of these, of which programs
# for any x86-64 take none, and which every unit would read: 0.9 s.
target_compile_definitions(warpclock_options INTERFACE SIMDJSON_IMPLEMENTATION_HASWELL=0
                                                       SIMDJSON_IMPLEMENTATION_ICELAKE=0
                                                       SIMDJSON_IMPLEMENTATION_WESTMERE=0)
