# Finds Debian's MLIR/LLVM 19 and defines the shared targets MLIR and LLVM, the
# precompiled header of the compiler, and the target partopt-headers.
find_path(MLIR_INCLUDE_DIRS mlir/IR/MLIRContext.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH REQUIRED)
set(LLVM_INCLUDE_DIRS ${MLIR_INCLUDE_DIRS})
find_program(PARTOPT_MLIR_TBLGEN mlir-tblgen PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH REQUIRED)
find_library(PARTOPT_MLIR_SO MLIR PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH REQUIRED)
find_library(PARTOPT_LLVM_SO LLVM-19 LLVM PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH REQUIRED)
if(NOT TARGET MLIR)
  add_library(MLIR SHARED IMPORTED GLOBAL)
  set_target_properties(MLIR PROPERTIES IMPORTED_LOCATION ${PARTOPT_MLIR_SO})
  add_library(LLVM SHARED IMPORTED GLOBAL)
  set_target_properties(LLVM PROPERTIES IMPORTED_LOCATION ${PARTOPT_LLVM_SO})
endif()

file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp.in "// The common precompiled header's translation unit.\n")
configure_file(${CMAKE_BINARY_DIR}/pch.cpp.in ${CMAKE_BINARY_DIR}/pch.cpp COPYONLY)
add_library(PartoptPCH STATIC ${CMAKE_BINARY_DIR}/pch.cpp)
target_include_directories(PartoptPCH SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS})
target_compile_options(PartoptPCH PRIVATE -Xclang -fno-pch-timestamp)
target_precompile_headers(PartoptPCH PRIVATE
  <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h> <mlir/IR/DialectImplementation.h> <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h> <mlir/IR/IRMapping.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
  <llvm/ADT/SmallVector.h> <llvm/ADT/StringMap.h> <llvm/ADT/TypeSwitch.h> <llvm/ADT/MapVector.h>)

# Stands for the precompiled header in ccache's hashes (CCACHE_PCH_EXTSUM): it
# holds installed headers only, so their list and version say all.
get_target_property(pch_headers PartoptPCH PRECOMPILE_HEADERS)
string(SHA1 pch_sum "${pch_headers};${PARTOPT_MLIR_SO};19.1.7")
file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/PartoptPCH.dir/cmake_pch.hxx.pch.sum "${pch_sum}\n")
