//===- StableHLOBase.td - the dialects, their types, the op base classes --===//
//
// The two dialects of a model's ops, the tensor types that they accept, and
// the classes from which all ops derive. Every tensor has a static shape and no
// encoding; the predicates are C++ functions so that generated code is small.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_BASE_TD
#define PARTOPT_STABLEHLO_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::partopt::stablehlo";
  let summary = "The ops of a model, as JAX and PyTorch write them";
  let description = [{
    Text-compatible with the StableHLO dialect, in the pretty and in the generic
    form, for programs whose shapes are static. An op, a type or a form that is
    not defined here is an error at its line, never skipped.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
  private:
    void registerAttributes();
    void registerElementwiseOps();
    void registerShapeOps();
    void registerIndexingOps();
    void registerLinearAlgebraOps();
    void registerBatchNormOps();
    void registerReductionOps();
    void registerControlFlowOps();
    void registerCollectiveOps();
  }];
}

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::partopt::chlo";
  let summary = "Functions that StableHLO composes from its own ops";
  let description = [{
    The client ops that JAX writes beside `stablehlo`: special functions and
    `top_k`. They keep their name so that a kernel can be chosen for the whole.
  }];
  let dependentDialects = ["::partopt::stablehlo::StableHLODialect"];
  let hasConstantMaterializer = 1;
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

// Result element [i] depends on element [i] of every operand only; an operand
// of rank 0 beside results of a higher rank stands for its splat.
def HLO_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::partopt::stablehlo";
}

// An element of the result takes as long as many additions: functions that are
// computed by polynomials, divisions, roots. For cost models.
def HLO_Costly : NativeOpTrait<"Costly"> {
  let cppNamespace = "::partopt::stablehlo";
}

// Checks that quote the two types that differ. They stand before MLIR's traits
// of the same meaning, which remain for builders and interfaces.
class StableHLO_CheckTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::partopt::stablehlo";
}
def HLO_SameTypes : StableHLO_CheckTrait<"SameTypes">;
def HLO_SameShapes : StableHLO_CheckTrait<"SameShapes">;
def HLO_SameElements : StableHLO_CheckTrait<"SameElements">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class StableHLO_TensorOf<string predicate, string elements>
    : Type<CPred<"::partopt::stablehlo::" # predicate # "($_self)">,
           "statically shaped tensor of " # elements,
           "::mlir::RankedTensorType">;

def HLO_Tensor : StableHLO_TensorOf<"isTensor",
    "boolean, integer, float or complex values">;
def HLO_PredTensor : StableHLO_TensorOf<"isPredTensor", "boolean values">;
def HLO_IntTensor : StableHLO_TensorOf<"isIntTensor", "integer values">;
def HLO_PredOrIntTensor : StableHLO_TensorOf<"isPredOrIntTensor",
    "boolean or integer values">;
def HLO_FpTensor : StableHLO_TensorOf<"isFpTensor", "float values">;
def HLO_ComplexTensor : StableHLO_TensorOf<"isComplexTensor", "complex values">;
def HLO_FpOrComplexTensor : StableHLO_TensorOf<"isFpOrComplexTensor",
    "float or complex values">;
def HLO_IntFpOrComplexTensor : StableHLO_TensorOf<"isIntFpOrComplexTensor",
    "integer, float or complex values">;
def HLO_ScalarIntTensor : StableHLO_TensorOf<"isScalarIntTensor",
    "one integer value (rank 0)">;
def HLO_ScalarPredTensor : StableHLO_TensorOf<"isScalarPredTensor",
    "one boolean value (rank 0)">;

class StableHLO_Type<string typeName, string typeMnemonic>
    : TypeDef<StableHLO_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

def StableHLO_TokenType : StableHLO_Type<"Token", "token"> {
  let summary = "An order between ops with side effects";
}

def HLO_TensorOrToken : AnyTypeOf<[HLO_Tensor, StableHLO_TokenType]>;

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits>;

class Chlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, traits>;

#endif // PARTOPT_STABLEHLO_BASE_TD
