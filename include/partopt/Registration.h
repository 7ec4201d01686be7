//===- Registration.h - every dialect and every pass ------------*- C++ -*-===//
//
// What a tool calls once before it reads IR or pipelines.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_REGISTRATION_H
#define PARTOPT_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace partopt {

/// Registers the dialects that a model or partopt's own passes can bring.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers partopt's passes and the MLIR passes that are used beside them.
/// May be called once per process.
void registerAllPasses();

} // namespace partopt

#endif // PARTOPT_REGISTRATION_H
