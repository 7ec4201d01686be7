# Compiler settings and the two ways to add a library: partopt_add_library for
# the MLIR-free half, partopt_add_mlir_library for the compiler.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
# Dev: fast to compile, fast enough to run; no debug information. NDEBUG because
# Debian's MLIR is built with it: a pass's statistics have another layout without.
set(CMAKE_CXX_FLAGS_DEV "-O1 -DNDEBUG")
set(CMAKE_C_FLAGS_DEV "-O1 -DNDEBUG")
add_link_options(-fuse-ld=lld)

find_program(PARTOPT_CCACHE ccache)
if(PARTOPT_CCACHE)
  # The precompiled header holds system headers only, so a checksum file stands
  # for it and objects are shared between build folders.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_PCH_EXTSUM=true CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${PARTOPT_CCACHE})
endif()

# CMake's own form hides the paths behind -Xclang, where ccache cannot make them
# relative, and no two build folders would share an object.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(PARTOPT_WERROR)
  add_compile_options(-Werror)
endif()
if(PARTOPT_SANITIZE)
  add_compile_options(-fsanitize=${PARTOPT_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${PARTOPT_SANITIZE})
endif()

include_directories(
  ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)

# partopt_add_library(NAME SOURCES... [LINK libs...])
function(partopt_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# partopt_add_mlir_library(NAME sources... [LINK libs...] [DEPENDS targets...])
# Links the shared MLIR and LLVM and uses the common precompiled header.
# Every compiler library waits for all generated dialect headers.
function(partopt_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_precompile_headers(${name} REUSE_FROM PartoptPCH)
  add_dependencies(${name} partopt-headers ${ARG_DEPENDS})
endfunction()

# partopt_tablegen(td output flags...): one generated file beside the .td.
# PARTOPT_GENERATED collects them for the target partopt-headers.
function(partopt_tablegen td output)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${output}")
  file(GLOB deps ${CMAKE_CURRENT_SOURCE_DIR}/*.td ${CMAKE_SOURCE_DIR}/dialects/*/*.td)
  add_custom_command(OUTPUT ${out}
    COMMAND ${PARTOPT_MLIR_TBLGEN} ${ARGN} -I ${CMAKE_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
      ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${out}
    DEPENDS ${deps} COMMENT "tblgen ${output}" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY PARTOPT_GENERATED ${out})
  string(MAKE_C_IDENTIFIER "gen-${CMAKE_CURRENT_BINARY_DIR}-${output}" t)
  add_custom_target(${t} DEPENDS ${out})
  set_property(GLOBAL APPEND PROPERTY PARTOPT_GENERATED_TARGETS ${t})
endfunction()
