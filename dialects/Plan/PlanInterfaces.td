//===- PlanInterfaces.td - What every instruction of a program answers ---===//

#ifndef PARTOPT_DIALECTS_PLAN_PLANINTERFACES_TD
#define PARTOPT_DIALECTS_PLAN_PLANINTERFACES_TD

include "mlir/IR/OpBase.td"

def Plan_InstructionInterface : OpInterface<"InstructionInterface"> {
  let cppNamespace = "::partopt::planir";
  let description = [{
    An operation that becomes one instruction of the plan file. A collective's
    buffers stay in use until its wait.
  }];
  let methods = [
    InterfaceMethod<"Buffers whose contents the instruction reads.",
      "::llvm::SmallVector<::mlir::Value>", "getReadBuffers", (ins)>,
    InterfaceMethod<"Buffers that the instruction writes.",
      "::llvm::SmallVector<::mlir::Value>", "getWrittenBuffers", (ins)>
  ];
}

#endif // PARTOPT_DIALECTS_PLAN_PLANINTERFACES_TD
