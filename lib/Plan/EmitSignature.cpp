//===- EmitSignature.cpp - Mesh, arguments and results of a program -------===//
//
// Everything that a user sees of a program comes from attributes that import
// and partitioning left on the module and the function.
//
//===----------------------------------------------------------------------===//

#include "EmitProgram.h"

#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/StageAttributes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"

using namespace mlir;
using namespace partopt;

namespace {

ArrayAttr shardingDims(sdy::TensorShardingAttr sharding, sdy::MeshAttr mesh) {
  MLIRContext *context = sharding.getContext();
  SmallVector<Attribute> dims;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    SmallVector<Attribute> axes;
    for (sdy::AxisRefAttr axis : dim.getAxes())
      axes.push_back(planir::AxisRefAttr::get(
          context, StringAttr::get(context, axis.getName()),
          axis.getSubAxisPreSize(), axis.getSize(mesh)));
    dims.push_back(ArrayAttr::get(context, axes));
  }
  return ArrayAttr::get(context, dims);
}

/// One entry of the signature. `prefix` is "arg" or "out".
planir::TensorAttr tensorOf(func::FuncOp function, DictionaryAttr attributes,
                            sdy::TensorShardingAttr sharding, Type type,
                            StringRef prefix, unsigned i) {
  MLIRContext *context = function.getContext();
  auto lookup = [&](StringRef key) -> Attribute {
    return attributes ? attributes.get(key) : Attribute();
  };
  // Of a pipeline's rank: as in the program of all ranks.
  auto number = llvm::dyn_cast_or_null<IntegerAttr>(
      lookup(prefix == "arg" ? kArgumentNumberAttr : kResultNumberAttr));
  auto index = StringAttr::get(
      context, prefix + Twine(number ? number.getInt() : int64_t(i)));
  auto name = llvm::dyn_cast_or_null<StringAttr>(lookup("partopt.name"));
  if (!name)
    name = llvm::dyn_cast_or_null<StringAttr>(lookup("jax.result_info"));
  auto local = cast<RankedTensorType>(type);
  auto global = local;
  if (auto attr =
          llvm::dyn_cast_or_null<TypeAttr>(lookup("partopt.global_type")))
    if (auto tensor = dyn_cast<RankedTensorType>(attr.getValue()))
      global = tensor;
  auto role = planir::Role::Unknown;
  if (auto text = llvm::dyn_cast_or_null<StringAttr>(lookup(kRoleAttr)))
    role = planir::symbolizeRole(text.getValue()).value_or(role);
  auto bound = llvm::dyn_cast_or_null<IntegerAttr>(lookup("partopt.int_bound"));
  auto first = llvm::dyn_cast_or_null<IntegerAttr>(lookup(kFirstRowAttr));
  ArrayAttr dims;
  StringAttr text;
  if (sharding)
    if (sdy::MeshAttr mesh = sdy::getMesh(function, sharding)) {
      dims = shardingDims(sharding, mesh);
      text = StringAttr::get(context, sdy::shardingText(sharding));
    }
  NamedAttrList about;
  for (StringRef key :
       {"role_reason", "layer", "wrap_unit", "note", "next_result_reason"})
    if (auto value = llvm::dyn_cast_or_null<StringAttr>(
            lookup(("partopt." + key).str())))
      about.set(key, value);
  return planir::TensorAttr::get(
      context, name ? name : index, index, local, global, role, dims, text,
      bound ? std::max<int64_t>(bound.getInt(), 0) : 0,
      about.empty() ? DictionaryAttr() : about.getDictionary(context),
      first ? std::optional<int64_t>(first.getInt()) : std::nullopt);
}

} // namespace

ArrayAttr partopt::meshAttr(ModuleOp module) {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> axes;
  for (const MeshAxis &axis : getModuleMesh(module).axes)
    axes.push_back(planir::AxisAttr::get(
        context, StringAttr::get(context, axis.name), axis.size,
        axis.isTime ? planir::AxisKind::Time : planir::AxisKind::Space));
  return ArrayAttr::get(context, axes);
}

ArrayAttr partopt::argumentTensors(func::FuncOp function) {
  SmallVector<Attribute> tensors;
  for (BlockArgument argument : function.getArguments())
    tensors.push_back(tensorOf(function,
                               function.getArgAttrDict(argument.getArgNumber()),
                               sdy::getSharding(argument), argument.getType(),
                               "arg", argument.getArgNumber()));
  return ArrayAttr::get(function.getContext(), tensors);
}

ArrayAttr partopt::resultTensors(func::FuncOp function) {
  SmallVector<Attribute> tensors;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    tensors.push_back(tensorOf(function, function.getResultAttrDict(i),
                               sdy::getFuncResultSharding(function, i), type,
                               "out", i));
  return ArrayAttr::get(function.getContext(), tensors);
}

std::optional<int64_t> partopt::lossResult(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, "partopt.loss"))
      return i;
  return std::nullopt;
}
