// The interface through which an op says how it runs on shards.

#ifndef PARTOPT_ANALYSIS_LOCALLOWERINGINTERFACE
#define PARTOPT_ANALYSIS_LOCALLOWERINGINTERFACE

include "mlir/IR/OpBase.td"

def LocalLoweringOpInterface : OpInterface<"LocalLoweringOpInterface"> {
  let description = [{
    The op's behaviour on one device's shards, beyond "the same op on local
    shapes".
  }];
  let cppNamespace = "::partopt";
  let methods = [
    InterfaceMethod<"Sets of operands that the op is linear in for a combiner.",
      "::llvm::SmallVector<::partopt::LinearGroup, 2>", "getLinearGroups",
      (ins "::partopt::Combiner":$combiner), "", [{ return {}; }]>,
    InterfaceMethod<[{False for a factor that the op cannot run split although its
      rule lets axes flow along it.}], "bool", "canSplit",
      (ins "const ::partopt::ShardingRule &":$rule, "unsigned":$factor), "",
      [{ return true; }]>,
    InterfaceMethod<[{Turns the rule, which says how axes flow, into what localize() can
      run: factors that it splits by itself become PassThrough.}],
      "void", "refineRule", (ins "::partopt::ShardingRule &":$rule), "", [{
        (void)rule;
      }]>,
    InterfaceMethod<"The op on local shapes.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value, 1>>", "localize",
      (ins "::partopt::LocalContext &":$context), "", [{
        return ::partopt::cloneLocal($_op, context);
      }]>,
  ];
}

#endif // PARTOPT_ANALYSIS_LOCALLOWERINGINTERFACE
