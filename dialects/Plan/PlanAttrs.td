//===- PlanAttrs.td - Mesh axes and user-visible tensors -----------------===//

#ifndef PARTOPT_DIALECTS_PLAN_PLANATTRS_TD
#define PARTOPT_DIALECTS_PLAN_PLANATTRS_TD

include "dialects/Plan/PlanBase.td"

class Plan_Attr<string name, string attrMnemonic>
    : AttrDef<Plan_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Plan_AxisAttr : Plan_Attr<"Axis", "axis"> {
  let summary = "one axis of the mesh, outermost first in the program's list";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size,
    DefaultValuedParameter<"AxisKind", "AxisKind::Space">:$kind);
  let assemblyFormat = "`<` $name `=` $size (`,` $kind^)? `>`";
  let genVerifyDecl = 1;
}

def Plan_AxisRefAttr : Plan_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis, or Shardy's sub-axis (pre_size)size of it";
  let parameters = (ins "::mlir::StringAttr":$axis, "int64_t":$preSize,
    "int64_t":$size);
  let assemblyFormat = "`<` $axis `(` $preSize `)` $size `>`";
  let genVerifyDecl = 1;
}

def Plan_HeldAttr : Plan_Attr<"Held", "held"> {
  let summary = "what a buffer is used for from an instruction on";
  let description = [{
    See MemoryClass in PlanFormat.fbs. A buffer's list ascends and begins with
    its first instruction.
  }];
  let parameters = (ins "MemoryClass":$memoryClass, "int64_t":$first);
  let assemblyFormat = "`<` $memoryClass `from` $first `>`";
}

def Plan_TensorAttr : Plan_Attr<"Tensor", "tensor"> {
  let summary = "what a user sees of an argument or a result";
  let description = [{
    `local` is the type of one rank's buffer, `global` that of the array which
    the user passes. `sharding` holds one list of axis references per dimension
    (major to minor), `text` its sdy text for reports. Sensible integers are in
    [0, `intBound`); 0: unknown. `about` holds what reports say besides, by the
    names of the plan's fields: `role_reason`, `layer`, `wrap_unit`, `note`,
    `next_result_reason`. With `firstRow` it is a part of `global`, from that row
    of dimension 0 on, as many as `local` has.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$index,
    "::mlir::RankedTensorType":$local, "::mlir::RankedTensorType":$global,
    DefaultValuedParameter<"Role", "Role::Unknown">:$role,
    OptionalParameter<"::mlir::ArrayAttr">:$sharding,
    OptionalParameter<"::mlir::StringAttr">:$text,
    DefaultValuedParameter<"int64_t", "0">:$intBound,
    OptionalParameter<"::mlir::DictionaryAttr">:$about,
    OptionalParameter<"std::optional<int64_t>">:$firstRow);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // PARTOPT_DIALECTS_PLAN_PLANATTRS_TD
