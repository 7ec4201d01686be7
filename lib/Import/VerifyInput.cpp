// Refuses, with the user's source position, what no later stage can handle.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_VERIFYINPUTPASS
#include "partopt/Import/Passes.h.inc"

namespace {

constexpr StringLiteral collective =
    "a collective written by the user belongs into a manual computation, "
    "which is not supported yet; export the model before shard_map";

// Why an op of this name cannot be compiled; empty if it can.
StringRef refusal(StringRef name) {
  struct Refused {
    StringRef name, why;
  };
  static constexpr Refused table[] = {
      {"sdy.manual_computation",
       "manual computations (shard_map) are not supported yet; export the "
       "model with sharding annotations only"},
      {"sdy.named_computation",
       "named computations are not supported; export the model before "
       "propagation"},
      {"stablehlo.composite",
       "composites are not supported; export the model with their "
       "decompositions inlined"},
      {"stablehlo.infeed", "host transfers are not supported"},
      {"stablehlo.outfeed", "host transfers are not supported"},
      {"stablehlo.send", "host transfers are not supported"},
      {"stablehlo.recv", "host transfers are not supported"},
      {"stablehlo.all_reduce", collective},
      {"stablehlo.all_gather", collective},
      {"stablehlo.all_to_all", collective},
      {"stablehlo.reduce_scatter", collective},
      {"stablehlo.partition_id", collective},
      {"stablehlo.replica_id", collective},
  };
  for (const Refused &entry : table)
    if (entry.name == name)
      return entry.why;
  return "";
}

/// The table of devices of a collective that makes sense on device 0 alone:
/// there it keeps or clears a value. Null for all other ops.
DenseIntElementsAttr devicesOf(Operation *op) {
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op))
    return permute.getSourceTargetPairs();
  if (auto broadcast = dyn_cast<stablehlo::CollectiveBroadcastOp>(op))
    return broadcast.getReplicaGroups();
  return {};
}

/// The program that the user writes is one for one device, device 0.
LogicalResult verifyDevices(Operation *op) {
  DenseIntElementsAttr devices = devicesOf(op);
  if (!devices)
    return success();
  for (int64_t device : devices.getValues<int64_t>())
    if (device != 0)
      return op->emitOpError()
             << "cannot be compiled: it names device " << device
             << ", but the program is one for a single device; " << collective;
  return success();
}

/// Sizes in bytes must fit a signed 64-bit number with room for sums of them.
constexpr int64_t largestTensor = int64_t(1) << 56;

bool isTooLarge(TensorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return false;
    if (elements > largestTensor / size)
      return true;
    elements *= size;
  }
  return false;
}

LogicalResult verifyType(Operation *op, Type type, const Twine &what) {
  if (isa<TensorType>(type)) {
    auto tensor = cast<TensorType>(type);
    if (tensor.hasRank() && tensor.hasStaticShape()) {
      if (!isTooLarge(tensor))
        return success();
      return op->emitOpError()
             << what << " of type " << type << " has more than "
             << largestTensor << " elements";
    }
    return op->emitOpError() << what << " has the dynamic shape " << type
                             << "; export the model with concrete sizes";
  }
  return op->emitOpError() << what << " has the type " << type
                           << ", but only tensors are supported";
}

LogicalResult verifyOp(Operation *op) {
  if (StringRef why = refusal(op->getName().getStringRef()); !why.empty())
    return op->emitOpError() << "cannot be compiled: " << why;
  if (op->getName().getStringRef() == "stablehlo.custom_call") {
    auto target = op->getAttrOfType<StringAttr>("call_target_name");
    return op->emitOpError()
           << "cannot be compiled: custom call @"
           << (target ? target.getValue() : "?")
           << " is not supported; replace it by operations of the model";
  }
  if (failed(verifyDevices(op)))
    return failure();
  for (OpResult result : op->getResults())
    if (failed(verifyType(op, result.getType(),
                          "result " + Twine(result.getResultNumber()))))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument arg : block.getArguments())
        if (failed(verifyType(op, arg.getType(),
                              "argument " + Twine(arg.getArgNumber()))))
          return failure();
  return success();
}

/// As many as --mesh takes.
constexpr int64_t mostDevices = 1048576;

LogicalResult verifyMesh(sdy::MeshOp mesh) {
  if (mesh.getMesh().isMaximal())
    return mesh.emitError() << "mesh @" << mesh.getSymName()
                            << " is a single device; values cannot be placed "
                               "on one device of several yet";
  int64_t devices = 1;
  for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes()) {
    if (axis.getSize() > mostDevices / devices)
      return mesh.emitError() << "mesh @" << mesh.getSymName()
                              << " has more than " << mostDevices << " devices";
    devices *= axis.getSize();
  }
  return success();
}

/// What crosses the program's border is whole: nobody outside would sum it.
LogicalResult verifyWhole(func::FuncOp entry, sdy::TensorShardingAttr sharding,
                          const Twine &what) {
  if (!sharding || sharding.getUnreducedAxes().empty())
    return success();
  return entry.emitOpError()
         << what << " has the sharding " << sharding
         << ", but arguments and results cannot be unreduced; drop the "
            "unreduced axes";
}

LogicalResult verifyBorder(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments())
    if (failed(verifyWhole(entry, sdy::getSharding(argument),
                           "argument " + Twine(argument.getArgNumber()))))
      return failure();
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (failed(verifyWhole(entry, sdy::getFuncResultSharding(entry, i),
                           "result " + Twine(i))))
      return failure();
  return success();
}

LogicalResult verifyMeshes(ModuleOp module) {
  sdy::MeshOp first;
  for (sdy::MeshOp mesh : module.getOps<sdy::MeshOp>()) {
    if (failed(verifyMesh(mesh)))
      return failure();
    if (mesh.getMesh().getAxes().empty())
      continue;
    if (first &&
        first.getMesh().getTotalSize() != mesh.getMesh().getTotalSize()) {
      InFlightDiagnostic diag = mesh.emitError()
                                << "mesh @" << mesh.getSymName() << " has "
                                << mesh.getMesh().getTotalSize()
                                << " devices, but mesh @" << first.getSymName()
                                << " has " << first.getMesh().getTotalSize();
      diag.attachNote(first.getLoc()) << "the other mesh";
      return diag;
    }
    if (!first)
      first = mesh;
  }
  return success();
}

FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  if (!entry) {
    InFlightDiagnostic diag = module.emitError()
                              << "the module has no function @" << name;
    std::string others;
    for (auto func : module.getOps<func::FuncOp>())
      if (func.isPublic())
        others += (others.empty() ? "@" : ", @") + func.getSymName().str();
    diag << (others.empty() ? "" : "; --entry can be one of: ") << others;
    return diag;
  }
  if (entry.isExternal())
    return entry.emitOpError() << "the entry has no body";
  if (!entry.getBody().hasOneBlock())
    return entry.emitOpError()
           << "the entry has " << entry.getBody().getBlocks().size()
           << " blocks, but control flow between blocks is "
              "not supported";
  return entry;
}

struct VerifyInputPass : impl::VerifyInputPassBase<VerifyInputPass> {
  using VerifyInputPassBase::VerifyInputPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> main = findEntry(module, entry);
    if (failed(main) || failed(verifyMeshes(module)) ||
        failed(verifyBorder(*main)))
      return signalPassFailure();
    // All refusals at once: each is one more thing for the user to change.
    bool good = true;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == module || isa<sdy::MeshOp>(op))
        return WalkResult::advance();
      if (succeeded(verifyOp(op)))
        return WalkResult::advance();
      good = false;
      return WalkResult::skip();
    });
    if (!good)
      signalPassFailure();
  }
};

} // namespace
} // namespace partopt
