//===- BucketAllReduce.cpp - One collective for many tensors --------------===//
//
// Walks the block once with one open bucket per kind of collective. A bucket
// closes when it is full or when somebody needs what is in it.
//
//===----------------------------------------------------------------------===//

#include "MergeCollectives.h"
#include "MoveLateOps.h"
#include "ScheduleCost.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Schedule/Passes.h"
#include "partopt/Support/CompileOptions.h"
#include "partopt/Support/MappingAttributes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <numeric>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_BUCKETALLREDUCE
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// The op of `block` in which `user` is nested.
Operation *userIn(Block &block, Operation *user) {
  return block.findAncestorOpInBlock(*user);
}

/// Collectives that can share one operation.
struct Kind {
  OperationName name;
  Attribute axes, combiner;
  Type element;
  /// Set for gathers of a parameter for the backward pass: they come later.
  Attribute storage;
  bool operator==(const Kind &o) const {
    return name == o.name && axes == o.axes && combiner == o.combiner &&
           element == o.element && storage == o.storage;
  }
};

/// When the last gradient is reduced, in seconds, and what that comes from.
struct Finishes {
  double chosen = 0, inOne = 0, eachAlone = 0;
  LinkCost link;
};

struct Bucket {
  SmallVector<Operation *> members;
  int64_t bytes = 0;
  int64_t firstUse = INT64_MAX; ///< place of the first reader of any member
};

/// Limits in bytes; with a cost, reductions are cut by their timeline.
struct Limits {
  int64_t bucket, firstBucket, small, smallBucket;
  const ScheduleCost *cost;
};

class Bucketer {
public:
  Bucketer(Block &block, const Limits &limits) : block(block), limits(limits) {}

  /// All buckets of two or more members, in the order in which they closed.
  std::vector<Bucket> run();

  /// With a cost: of the kind of collectives that ends last.
  Finishes finishes;

private:
  struct Open {
    Kind kind;
    Bucket bucket;
    unsigned closed = 0;
  };

  bool isCandidate(comm::CollectiveOpInterface op) const;
  bool fits(const Bucket &bucket, Operation *op) const;
  int64_t limitOf(const Open &open) const;
  void close(Open &open);
  void planCuts();
  Open &openFor(Operation *op);

  Block &block;
  Limits limits;
  llvm::DenseMap<Operation *, int64_t> place;
  /// Reductions behind which a bucket ends, where sizes do not decide.
  llvm::DenseSet<Operation *> cuts;
  std::vector<Open> open;
  std::vector<Bucket> buckets;
};

Kind kindOf(Operation *op) {
  auto collective = cast<comm::CollectiveOpInterface>(op);
  return {op->getName(), collective.getAxes(), op->getAttr("combiner"),
          collective.getValueType(0).getElementType(),
          op->getAttrOfType<StringAttr>(kStorageGatherAttr)};
}

bool isSmallKind(Operation *op) {
  return isa<comm::AllGatherOp, comm::ReduceScatterOp>(op);
}

bool Bucketer::isCandidate(comm::CollectiveOpInterface op) const {
  if (op->hasAttr(kWrapUnitAttr)) // a unit is a bucket of its own
    return false;
  if (isa<comm::AllReduceOp>(*op))
    return true;
  if (limits.cost && isa<comm::ReduceScatterOp>(*op))
    return op.isContiguous();
  return isSmallKind(op) && op.isContiguous() &&
         op.getPayloadBytes() <= limits.small;
}

/// True if `op`, which comes after all members, may join them.
bool Bucketer::fits(const Bucket &bucket, Operation *op) const {
  if (bucket.members.empty())
    return true;
  if (!isa<comm::AllGatherOp>(op))
    return bucket.firstUse > place.lookup(op);
  // The merged gather stands at the first member's place.
  int64_t first = place.lookup(bucket.members.front());
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return !def || place.lookup(def) < first;
  });
}

int64_t Bucketer::limitOf(const Open &open) const {
  Operation *last = open.bucket.members.back();
  if (limits.cost && !isa<comm::AllGatherOp>(last))
    return cuts.contains(last) ? 0 : INT64_MAX;
  if (isSmallKind(open.bucket.members.front()))
    return limits.smallBucket;
  return open.closed == 0 ? limits.firstBucket : limits.bucket;
}

void Bucketer::close(Open &open) {
  if (open.bucket.members.empty())
    return;
  ++open.closed;
  if (open.bucket.members.size() > 1)
    buckets.push_back(std::move(open.bucket));
  open.bucket = Bucket();
}

Bucketer::Open &Bucketer::openFor(Operation *op) {
  Kind kind = kindOf(op);
  for (Open &entry : open)
    if (entry.kind == kind)
      return entry;
  open.push_back({kind, {}});
  return open.back();
}

/// Finds the best cuts for each kind, as if it had the link to itself.
void Bucketer::planCuts() {
  struct Timeline {
    Kind kind;
    SmallVector<Operation *> ops;
    std::vector<ReadyGradient> gradients;
  };
  std::vector<Timeline> lines;
  double now = 0;
  for (Operation &op : block) {
    auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
    if (!collective) {
      now += limits.cost->operation(&op);
      continue;
    }
    if (!isCandidate(collective) || isa<comm::AllGatherOp>(op))
      continue;
    Kind kind = kindOf(&op);
    auto line = llvm::find_if(lines, [&](auto &l) { return l.kind == kind; });
    if (line == lines.end())
      line = lines.insert(line, {kind, {}, {}});
    line->ops.push_back(&op);
    line->gradients.push_back({now, double(collective.getPayloadBytes())});
  }
  for (const Timeline &line : lines) {
    LinkCost link =
        limits.cost->link(cast<comm::CollectiveOpInterface>(line.ops.front()));
    std::vector<unsigned> ends = chooseBuckets(line.gradients, link);
    for (unsigned end : ends)
      cuts.insert(line.ops[end - 1]);
    std::vector<unsigned> each(line.ops.size());
    std::iota(each.begin(), each.end(), 1);
    auto finish = [&](const std::vector<unsigned> &cut) {
      return bucketsFinish(line.gradients, cut, link);
    };
    if (finish(ends) > finishes.chosen)
      finishes = {finish(ends), finish({each.back()}), finish(each), link};
  }
}

std::vector<Bucket> Bucketer::run() {
  int64_t next = 0;
  for (Operation &op : block)
    place[&op] = next++;
  if (limits.cost)
    planCuts();
  for (Operation &op : block) {
    // What runs once per iteration does not mix with what runs once.
    if (isa<comm::LoopBeginOp, comm::LoopEndOp>(op))
      for (Open &entry : open)
        close(entry);
    auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
    if (!collective || !isCandidate(collective))
      continue;
    Open &entry = openFor(&op);
    if (!fits(entry.bucket, &op))
      close(entry);
    Bucket &bucket = entry.bucket;
    bucket.members.push_back(&op);
    bucket.bytes += collective.getPayloadBytes();
    for (Operation *user : op.getUsers())
      bucket.firstUse =
          std::min(bucket.firstUse, place.lookup(userIn(block, user)));
    if (bucket.bytes >= limitOf(entry))
      close(entry);
  }
  for (Open &entry : open)
    close(entry);
  return std::move(buckets);
}

/// How the gradients' own reductions, those of no unit, are merged.
class GradientBuckets {
public:
  explicit GradientBuckets(Block &block) {
    for (auto op : block.getOps<comm::CollectiveOpInterface>())
      tensors += isGradient(op);
    reductions = tensors;
  }

  void merge(const Bucket &bucket) {
    unsigned merged = llvm::count_if(bucket.members, isGradient);
    reductions -= merged > 0 ? merged - 1 : 0;
  }

  void note(func::FuncOp func, const Limits &limits,
            const Finishes &finishes) const {
    if (tensors == 0)
      return;
    std::string how =
        limits.cost
            ? "cut so that the last one ends soonest: " +
                  plan::secondsText(finishes.chosen) +
                  " after the step begins, in one bucket " +
                  plan::secondsText(finishes.inOne) + ", each by itself " +
                  plan::secondsText(finishes.eachAlone) + "; each takes " +
                  plan::secondsText(finishes.link.latencySeconds) +
                  " and a second for each " +
                  bytesText(int64_t(finishes.link.bytesPerSecond))
            : "each sent when it is full or needed: of at most " +
                  bytesText(limits.bucket) + ", the first of " +
                  bytesText(limits.firstBucket) +
                  " so that sending starts early";
    addNote(func, "buckets",
            Twine(tensors) + " gradients are reduced in " + Twine(reductions) +
                (reductions == 1 ? " bucket, " : " buckets, ") + how);
  }

private:
  static bool isGradient(Operation *op) {
    auto phase = op->getAttrOfType<StringAttr>(kPhaseAttr);
    return phase && phase.getValue() == "backward" &&
           !op->hasAttr(kWrapUnitAttr);
  }

  unsigned tensors = 0, reductions = 0;
};

struct BucketAllReducePass
    : public partopt::impl::BucketAllReduceBase<BucketAllReducePass> {
  using BucketAllReduceBase::BucketAllReduceBase;

  LogicalResult readCost(ScheduleCost &cost) {
    func::FuncOp function = getOperation();
    if (std::string wrong = cost.parse(machine); !wrong.empty())
      return function.emitOpError("cannot be scheduled for the machine: ")
             << wrong;
    cost.useMapping(
        function->getParentOfType<ModuleOp>()->getAttrOfType<DictionaryAttr>(
            kMappingAttr));
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("needs one block to have its collectives merged");
      return signalPassFailure();
    }
    Block &block = function.getBody().front();
    for (auto op : block.getOps<comm::CollectiveOpInterface>())
      if (op.isStart()) {
        op.emitOpError("is started already; run partopt-bucket-all-reduce "
                       "before");
        return signalPassFailure();
      }
    auto count = [&] {
      return llvm::range_size(block.getOps<comm::CollectiveOpInterface>());
    };
    before += count();
    if (count() == 0)
      return;
    ScheduleCost cost;
    if (automatic && failed(readCost(cost)))
      return signalPassFailure();
    moveLateOps(block);
    Limits limits{int64_t(bucketMib * 1048576),
                  int64_t(firstBucketMib * 1048576), int64_t(smallKib * 1024),
                  int64_t(smallBucketKib * 1024), automatic ? &cost : nullptr};
    GradientBuckets gradients(block);
    Bucketer bucketer(block, limits);
    for (const Bucket &bucket : bucketer.run()) {
      gradients.merge(bucket);
      mergeCollectives(bucket.members,
                       isa<comm::AllGatherOp>(bucket.members[0])
                           ? bucket.members.front()
                           : bucket.members.back(),
                       "bucket of " + std::to_string(bucket.members.size()));
      ++buckets;
      bucketBytes += bucket.bytes;
    }
    after += count();
    gradients.note(function, limits, bucketer.finishes);
  }
};

} // namespace
