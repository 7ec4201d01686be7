// The attributes of sdy. Each nests without its `#sdy.` prefix in the text of
// the attribute that holds it, so parsers and printers handle the body only.

#ifndef PARTOPT_SDY_ATTRS
#define PARTOPT_SDY_ATTRS

include "dialects/Sdy/SdyBase.td"
include "mlir/IR/AttrTypeBase.td"

class Sdy_Attr<string name, string attrMnemonic>
    : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

class Sdy_List<string element, string what>
    : OptionalArrayRefParameter<element, what>;
def Sdy_AxisRefs : Sdy_List<"AxisRefAttr", "axes, major to minor">;

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh and its size: `\"x\"=2`";
  let parameters = (ins StringRefParameter<"axis name">:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Axes of devices: `<[\"x\"=2, \"y\"=4], device_ids=[...]>`";
  let description = [{
    Device i of the row-major order over the axes is `device_ids[i]`, or i when
    the list is empty. A list equal to 0, 1, 2, ... is dropped on parsing. No
    axes and one id is a *maximal* mesh: the whole value on that device.
  }];
  let parameters = (ins Sdy_List<"MeshAxisAttr", "outermost first">:$axes,
                        Sdy_List<"int64_t", "device order">:$device_ids);
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "llvm::ArrayRef<MeshAxisAttr>":$axes), [{
    return $_get($_ctxt, axes, llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = [{
    bool empty() const { return getAxes().empty() && getDeviceIds().empty(); }
    bool isMaximal() const {
      return getAxes().empty() && getDeviceIds().size() == 1;
    }
    bool hasAxis(llvm::StringRef name) const;
    /// Size of the axis, or 0 if the mesh has none of that name.
    int64_t getAxisSize(llvm::StringRef name) const;
    /// Position of the axis, or the number of axes if there is none.
    size_t getAxisIndex(llvm::StringRef name) const;
    /// Number of devices: the product of all axis sizes.
    int64_t getTotalSize() const;
  }];
}

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "A factor of an axis: `(pre-size)size`";
  let description = [{
    The full axis is seen as [pre_size, size, rest], major to minor.
  }];
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let extraClassDeclaration = [{
    /// Pre-size of the sub-axis that would follow directly.
    int64_t getNextPreSize() const { return getPreSize() * getSize(); }
  }];
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis or a sub-axis: `\"x\"` or `\"x\":(1)2`";
  let parameters = (ins StringRefParameter<"axis name">:$name,
      OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let builders = [
    AttrBuilder<(ins "llvm::StringRef":$name), [{
      return $_get($_ctxt, name, SubAxisInfoAttr());
    }]>,
    AttrBuilder<(ins "llvm::StringRef":$name, "int64_t":$preSize,
                     "int64_t":$size), [{
      return $_get($_ctxt, name, SubAxisInfoAttr::get($_ctxt, preSize, size));
    }]>];
  let extraClassDeclaration = [{
    /// Orders by name, then by position within the axis.
    bool operator<(const AxisRefAttr &rhs) const;
    /// True if `lhs` comes before `rhs` in `mesh`.
    static bool meshLess(MeshAttr mesh, AxisRefAttr lhs, AxisRefAttr rhs);
    /// The text form, for messages.
    std::string toString() const;
    /// Number of devices along it.
    int64_t getSize(MeshAttr mesh) const;
    /// 1 for a full axis.
    int64_t getSubAxisPreSize() const;
    /// True if `other` is a part of, or equal to, this.
    bool contains(AxisRefAttr other) const;
    /// True if this is a major part of, or equal to, `other`.
    bool prefixOf(AxisRefAttr other) const;
    bool strictPrefixOf(AxisRefAttr other) const;
    /// True if this is a minor part of, or equal to, `other`.
    bool suffixOf(AxisRefAttr other, MeshAttr mesh) const;
    /// True if both hold a common part.
    bool overlaps(AxisRefAttr other) const;
    /// True if the two can be parts of one split of the axis, e.g. not
    /// "x":(1)2 and "x":(3)2.
    bool canCoexist(AxisRefAttr other) const;
    /// The largest major part of this that does not overlap `other`.
    std::optional<AxisRefAttr> getPrefixWithoutOverlap(AxisRefAttr other) const;
    /// The longest common major part.
    std::optional<AxisRefAttr> getGreatestCommonPrefix(AxisRefAttr other) const;
    /// True if `other` follows directly in the same axis.
    bool canMerge(AxisRefAttr other) const;
    /// The union, if canMerge(other).
    AxisRefAttr merge(AxisRefAttr other, MeshAttr mesh) const;
  }];
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "`{\"x\", \"y\":(1)2}`";
  let parameters = (ins Sdy_AxisRefs:$value);
}

def Sdy_ListOfAxisRefLists
    : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "Axes per dimension: `[{\"x\"}, {}]`";
  let parameters = (ins Sdy_List<"AxisRefListAttr", "per dimension">:$value);
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "Axes that a manual computation binds: `{\"x\"}`";
  let parameters = (ins Sdy_List<"mlir::StringAttr", "axis names">:$value);
}

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that move between dimensions: `{\"x\"}: 0->1`";
  let parameters = (ins Sdy_AxisRefs:$axes, "int64_t":$src_dim,
                        "int64_t":$tgt_dim);
}

def Sdy_AllToAllParamList
    : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "`[{\"x\"}: 0->1, {\"y\"}: 2->3]`";
  let parameters = (ins Sdy_List<"AllToAllParamAttr", "moves">:$value);
}

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "Axes of one dimension: `{\"x\", ?}p1`";
  let description = [{
    Open (`?`) dimensions may be sharded further. A lower priority is applied
    earlier in propagation; none means 0.
  }];
  let parameters = (ins Sdy_AxisRefs:$axes, "bool":$is_closed,
      OptionalParameter<"std::optional<int64_t>">:$priority);
  let builders = [AttrBuilder<(ins "llvm::ArrayRef<AxisRefAttr>":$axes,
                                   "bool":$isClosed), [{
    return $_get($_ctxt, axes, isClosed, std::optional<int64_t>());
  }]>];
  let extraClassDeclaration = [{
    bool emptyAxes() const { return getAxes().empty(); }
    /// Number of shards along the dimension.
    int64_t getShardedSize(MeshAttr mesh) const;
    int64_t getPriorityOrDefault() const { return getPriority().value_or(0); }
    DimensionShardingAttr dropPriority() const;
  }];
}

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "`<@mesh, [{\"x\"}, {?}], replicated={\"y\"}, unreduced=max{\"z\"}>`";
  let description = [{
    `mesh_or_ref` is a FlatSymbolRefAttr to an `sdy.mesh` or a MeshAttr. Axes in
    no list replicate implicitly and may still be used by propagation where a
    dimension is open. `unreduced_axes`: each device holds a partial value, to
    be combined by `reduction_kind`.
  }];
  let parameters = (ins "mlir::Attribute":$mesh_or_ref,
      Sdy_List<"DimensionShardingAttr", "per dimension">:$dim_shardings,
      Sdy_AxisRefs:$replicated_axes, Sdy_AxisRefs:$unreduced_axes,
      DefaultValuedParameter<"ReductionKind", "ReductionKind::SUM">:$reduction_kind);
  let builders = [
    AttrBuilder<(ins "mlir::Attribute":$meshOrRef,
        "llvm::ArrayRef<DimensionShardingAttr>":$dimShardings,
        CArg<"llvm::ArrayRef<AxisRefAttr>", "{}">:$replicatedAxes,
        CArg<"llvm::ArrayRef<AxisRefAttr>", "{}">:$unreducedAxes), [{
      return $_get($_ctxt, meshOrRef, dimShardings, replicatedAxes,
                   unreducedAxes, ReductionKind::SUM);
    }]>,
    AttrBuilder<(ins "llvm::StringRef":$meshName,
        "llvm::ArrayRef<DimensionShardingAttr>":$dimShardings,
        CArg<"llvm::ArrayRef<AxisRefAttr>", "{}">:$replicatedAxes,
        CArg<"llvm::ArrayRef<AxisRefAttr>", "{}">:$unreducedAxes), [{
      return $_get($_ctxt, mlir::FlatSymbolRefAttr::get($_ctxt, meshName),
                   dimShardings, replicatedAxes, unreducedAxes,
                   ReductionKind::SUM);
    }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    DimensionShardingAttr getDimSharding(int64_t dim) const {
      return getDimShardings()[dim];
    }
    bool isClosed(int64_t dim) const { return getDimSharding(dim).getIsClosed(); }
    bool isFullyClosed() const;
    /// True if no dimension has axes.
    bool isFullyReplicated() const;
    /// True if no list has axes.
    bool emptyAxes() const;
    /// The name of the mesh, empty if it is inlined.
    llvm::StringRef getMeshName() const;
    /// The inlined mesh, or the one that the name refers to from `op`, or null.
    MeshAttr getMesh(mlir::Operation *op) const;
    /// Calls `fn` on every axis of every list.
    void forEachAxisRef(llvm::function_ref<void(AxisRefAttr)> fn) const;
    bool anyOfAxisRef(llvm::function_ref<bool(AxisRefAttr)> fn) const;
    /// Copies with one part replaced.
    TensorShardingAttr replaceDimSharding(int64_t dim,
                                          DimensionShardingAttr sharding) const;
    TensorShardingAttr replaceDimShardings(
        llvm::ArrayRef<DimensionShardingAttr> dims) const;
    TensorShardingAttr
    replaceReplicatedAxes(llvm::ArrayRef<AxisRefAttr> axes) const;
    TensorShardingAttr
    replaceUnreducedAxes(llvm::ArrayRef<AxisRefAttr> axes,
                         ReductionKind kind = ReductionKind::SUM) const;
    /// The same axes, every dimension closed and without priority.
    TensorShardingAttr getClosedLike() const;
    /// No axes; all dimensions closed, or open.
    static TensorShardingAttr getFullyClosed(mlir::MLIRContext *context,
                                             int64_t rank,
                                             mlir::Attribute meshOrRef);
    static TensorShardingAttr getFullyOpen(mlir::MLIRContext *context,
                                           int64_t rank,
                                           mlir::Attribute meshOrRef);
  }];
}

def Sdy_TensorShardingPerValue
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "One sharding per value: `<[<@mesh, [{\"x\"}]>]>`";
  let parameters = (ins Sdy_List<"TensorShardingAttr", "per value">:$shardings);
  let extraClassDeclaration = [{
    bool empty() const { return getShardings().empty(); }
    int64_t size() const { return getShardings().size(); }
    TensorShardingAttr getSharding(int64_t i) const { return getShardings()[i]; }
    TensorShardingPerValueAttr
    replaceValueSharding(int64_t index, TensorShardingAttr sharding) const;
  }];
}

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "Factors of one dimension, major to minor: `ij`";
  let description = [{
    Factor n is written i to z for 0 to 17, then z_1, z_2, ...
  }];
  let parameters = (ins Sdy_List<"int64_t", "factor indices">:$factor_indices);
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "Factors per dimension: `[i, jk]`";
  let parameters = (ins Sdy_List<"DimMappingAttr", "per dimension">:$dim_mappings);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimMappings().size(); }
  }];
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "`<([i, k],[k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>`";
  let description = [{
    How an op's dimensions map to factors, and what each factor needs when it is
    sharded. A factor in none of the first three lists passes through.
  }];
  let parameters = (ins Sdy_List<"int64_t", "per factor">:$factor_sizes,
      Sdy_List<"TensorMappingAttr", "per operand">:$operand_mappings,
      Sdy_List<"TensorMappingAttr", "per result">:$result_mappings,
      Sdy_List<"int64_t", "sorted">:$reduction_factors,
      Sdy_List<"int64_t", "sorted">:$need_replication_factors,
      Sdy_List<"int64_t", "sorted">:$permutation_factors,
      Sdy_List<"int64_t", "sorted">:$blocked_propagation_factors,
      DefaultValuedParameter<"bool", "false">:$is_custom_rule);
  let extraClassDeclaration = [{
    int64_t getNumFactors() const { return getFactorSizes().size(); }
    int64_t getNumOperands() const { return getOperandMappings().size(); }
    int64_t getNumResults() const { return getResultMappings().size(); }
    bool isCustom() const { return getIsCustomRule(); }
    bool isReductionFactor(int64_t factor) const;
    bool isNeedReplicationFactor(int64_t factor) const;
    bool isPermutationFactor(int64_t factor) const;
    bool isBlockedPropagationFactor(int64_t factor) const;
    /// None of reduction, need-replication, permutation.
    bool isPassThroughFactor(int64_t factor) const;
  }];
}

#endif
