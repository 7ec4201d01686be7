//===- partopt-opt.cpp - reads IR, runs passes by name, writes IR ---------===//
//
// The tool of compiler engineers and of the tests: MLIR's own `mlir-opt` main
// with partopt's dialects, passes and reader, so that a file parses here
// exactly when the driver can parse it.
//
//===----------------------------------------------------------------------===//
#include "partopt/Import/SourceText.h"
#include "partopt/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  partopt::registerAllDialects(registry);
  partopt::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "partopt's optimiser driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> source =
      partopt::readSource(input, error);
  std::unique_ptr<llvm::ToolOutputFile> file;
  if (source)
    file = mlir::openOutputFile(output, &error);
  if (!file) {
    llvm::errs() << "error: " << error << '\n';
    return 1;
  }
  if (mlir::failed(
          mlir::MlirOptMain(file->os(), std::move(source), registry, config)))
    return 1;
  file->keep();
  return 0;
}
