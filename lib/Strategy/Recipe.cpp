// See Recipe.h.

#include "Recipe.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

using namespace mlir;
using namespace partopt;

StringRef Recipe::roleOf(unsigned argument) {
  StringRef role = partopt::roleOf(func, argument);
  return role.empty() ? "unknown" : role;
}

std::string Recipe::describe(unsigned argument) {
  std::string text = "argument " + std::to_string(argument);
  if (auto name = func.getArgAttrOfType<StringAttr>(argument, "partopt.name"))
    text += " (" + name.getValue().str() + ")";
  return text;
}

InFlightDiagnostic Recipe::errorAt(unsigned argument) {
  return emitError(func.getArgument(argument).getLoc());
}

LogicalResult Recipe::requireAxis(StringRef axis, StringRef does,
                                  StringRef purpose) {
  if (mesh && mesh.getMesh().hasAxis(axis))
    return success();
  std::string there;
  if (mesh)
    for (sdy::MeshAxisAttr one : mesh.getMesh().getAxes())
      there += (there.empty() ? "" : ",") + one.getName().str() + "=" +
               std::to_string(one.getSize());
  return func.emitError()
         << "strategy " << strategy << " " << does << " over mesh axis \""
         << axis << "\", which the mesh does not have ("
         << (there.empty() ? "there is no mesh" : "it is " + there)
         << "); give it with --mesh " << axis
         << "=N, or name another axis with --axis " << purpose << "=NAME"
         << (purpose == "replica"
                 ? ", or use --strategy fsdp, which has no replicas"
                 : "");
}

LogicalResult Recipe::checkArguments(ArrayRef<StringRef> axes) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    if (roleOf(i) == "unknown")
      return errorAt(i) << "the role of " << describe(i)
                        << " is unknown: neither its name nor its use "
                           "tells; strategy "
                        << strategy
                        << " needs it, so give it with --arg-role "
                           "'REGEX=param|opt|state|batch|rng|scalar'";
    sdy::TensorShardingAttr sharding = sdy::getSharding(func.getArgument(i));
    if (!sharding)
      continue;
    for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
      for (sdy::AxisRefAttr axis : dim.getAxes())
        if (llvm::is_contained(axes, axis.getName()) &&
            !computesOver(i, axis.getName()))
          return errorAt(i)
                 << describe(i) << " already has a sharding over \""
                 << axis.getName() << "\", which strategy " << strategy
                 << " decides: use --strategy none to run the file's own "
                    "annotations, or name another axis with --axis";
  }
  return success();
}

LogicalResult Recipe::checkHasRows(unsigned argument) {
  auto type = cast<RankedTensorType>(func.getArgument(argument).getType());
  if (type.getRank() > 0)
    return success();
  return errorAt(argument) << describe(argument)
                           << " has the role 'batch' but is a scalar; give "
                              "another role with --arg-role 'REGEX=scalar'";
}

LogicalResult Recipe::errorNoBatch(const Twine &who) {
  return func.emitError()
         << who << " needs batch arguments, but no argument has the role "
         << "'batch'; name them with --arg-role 'REGEX=batch'";
}

int64_t Recipe::partsOf(unsigned argument, int64_t dim) {
  sdy::TensorShardingAttr sharding =
      sdy::getSharding(func.getArgument(argument));
  int64_t parts = 1;
  if (sharding)
    for (sdy::AxisRefAttr axis : sharding.getDimShardings()[dim].getAxes())
      parts *= axis.getSize(mesh.getMesh());
  return parts;
}

sdy::AxisRefAttr Recipe::partOf(StringRef axis, int64_t size) {
  if (size == sizeOf(axis))
    return axisRef(axis);
  return sdy::AxisRefAttr::get(
      func.getContext(), axis,
      sdy::SubAxisInfoAttr::get(func.getContext(), 1, size));
}

void Recipe::addAxes(unsigned argument, int64_t dim,
                     ArrayRef<sdy::AxisRefAttr> axes) {
  BlockArgument value = func.getArgument(argument);
  auto meshName = FlatSymbolRefAttr::get(func.getContext(), mesh.getSymName());
  sdy::TensorShardingAttr old = sdy::getSharding(value);
  if (!old)
    old = sdy::fullyClosed(value, meshName);
  SmallVector<sdy::DimensionShardingAttr> dims(old.getDimShardings());
  if (dim >= 0) {
    SmallVector<sdy::AxisRefAttr> refs(dims[dim].getAxes());
    llvm::append_range(refs, axes);
    dims[dim] = sdy::DimensionShardingAttr::get(func.getContext(), refs,
                                                dims[dim].getIsClosed(),
                                                dims[dim].getPriority());
  }
  sdy::setSharding(value, sdy::TensorShardingAttr::get(
                              func.getContext(), old.getMeshOrRef(), dims,
                              old.getReplicatedAxes(), old.getUnreducedAxes(),
                              old.getReductionKind()));
}

void Recipe::setStorage(unsigned argument, StringRef axis, StringRef word) {
  auto text = StringAttr::get(func.getContext(), word);
  auto old =
      func.getArgAttrOfType<DictionaryAttr>(argument, kStorageOverrideAttr);
  NamedAttrList list(old);
  list.set(axis, text);
  func.setArgAttr(argument, kStorageOverrideAttr,
                  list.getDictionary(func.getContext()));
}

bool Recipe::computesOver(unsigned argument, StringRef axis) {
  auto words =
      func.getArgAttrOfType<DictionaryAttr>(argument, kStorageOverrideAttr);
  auto word = words ? words.getAs<StringAttr>(axis) : StringAttr();
  return word && word.getValue() == kComputeOver;
}

sdy::TensorShardingAttr Recipe::splitAlong(Value value, int64_t dim,
                                           ArrayRef<sdy::AxisRefAttr> axes) {
  auto meshName = FlatSymbolRefAttr::get(func.getContext(), mesh.getSymName());
  SmallVector<sdy::DimensionShardingAttr> dims(
      sdy::fullyOpen(value, meshName).getDimShardings());
  dims[dim] = sdy::DimensionShardingAttr::get(func.getContext(), axes,
                                              /*isClosed=*/false);
  return sdy::TensorShardingAttr::get(func.getContext(), meshName, dims);
}

sdy::TensorShardingAttr Recipe::wholeOver(Value value, sdy::AxisRefAttr axis) {
  auto meshName = FlatSymbolRefAttr::get(func.getContext(), mesh.getSymName());
  sdy::TensorShardingAttr open = sdy::fullyOpen(value, meshName);
  return sdy::TensorShardingAttr::get(
      func.getContext(), meshName, open.getDimShardings(), axis,
      open.getUnreducedAxes(), open.getReductionKind());
}

sdy::ShardingConstraintOp
Recipe::constrainedCopy(Value value, sdy::TensorShardingAttr sharding) {
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfterValue(value);
  return builder.create<sdy::ShardingConstraintOp>(value.getLoc(), value,
                                                   sharding);
}

void Recipe::constrain(Value value, sdy::TensorShardingAttr sharding) {
  auto copy = constrainedCopy(value, sharding);
  value.replaceAllUsesExcept(copy, copy);
}

void Recipe::annotateResults() {
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (std::optional<unsigned> next = nextResultOf(func, i))
      sdy::setFuncResultSharding(func, *next,
                                 sdy::getSharding(func.getArgument(i)));
}
