// The comm dialect: collectives between the devices of named mesh axes, on
// local (one device's) shapes.

#ifndef PARTOPT_COMM_BASE
#define PARTOPT_COMM_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Comm_Dialect : Dialect {
  let name = "comm";
  let cppNamespace = "::partopt::comm";
  let summary = "Collectives over named mesh axes on local shapes";
  let description = [{
    Every op works on one device's shapes and names the mesh axes whose devices
    take part: the devices that differ only in their coordinates along these
    axes form a group, ordered row-major over the list. Axes carry their size,
    so a group's size is known without the mesh.

    A collective whose results are of type `!comm.pending<T>` is only started;
    `comm.wait` yields the values. Between the two its operands must not be
    overwritten and its results not be read.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{ void registerAttrs(); }];
}

def Comm_Combiner : I32EnumAttr<"CombinerKind", "how partial values combine", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Product", 1, "product">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::partopt::comm";
  let genSpecializedAttr = 0;
}
def Comm_CombinerAttr : EnumAttr<Comm_Dialect, Comm_Combiner, "combiner"> {
  let assemblyFormat = "$value";
}

def Comm_AxesAttr : AttrDef<Comm_Dialect, "Axes"> {
  let mnemonic = "axes";
  let summary = "Mesh axes and sub-axes, major to minor, with their sizes";
  let description = [{
    `{"data"=8}` is a whole axis of 8, `{"model":(2)4}` the sub-axis of size 4
    that comes after a part of size 2, as in Shardy.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$preSizes,
                        ArrayRefParameter<"int64_t">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Devices in one group: the product of the sizes.
    int64_t getGroupSize() const;
  }];
}

class Comm_Type<string name, string typeMnemonic> : TypeDef<Comm_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def Comm_Pending : Comm_Type<"Pending", "pending"> {
  let summary = "The result of a collective that has been started";
  let parameters = (ins "::mlir::RankedTensorType":$valueType);
  let assemblyFormat = "`<` $valueType `>`";
}

#endif // PARTOPT_COMM_BASE
