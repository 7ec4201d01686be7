//===- partopt-opt.cpp - reads IR, runs passes by name, writes IR ---------===//
//
// The tool of compiler engineers and of the tests: MLIR's own `mlir-opt` main
// with partopt's dialects and passes.
//
//===----------------------------------------------------------------------===//
#include "partopt/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  partopt::registerAllDialects(registry);
  partopt::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "partopt's optimiser driver\n", registry));
}
