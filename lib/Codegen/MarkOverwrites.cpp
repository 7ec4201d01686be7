// Which results may be written over which inputs. The kernel's plan says when
// each input is read and each result is written; nothing is emitted.
#include "KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "partopt/Analysis/KernelCost.h"
#include "partopt/Codegen/Passes.h"
#include "partopt/Support/KernelAttributes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_MARKOVERWRITESPASS
#include "partopt/Codegen/Passes.h.inc"
} // namespace partopt

namespace partopt::codegen {
namespace {

/// When an item runs: nest by nest, row by row, group by group, and within a
/// group point by point, item by item.
struct Place {
  unsigned nest = 0, group = 0, position = 0;
};

class OverwriteFinder {
public:
  explicit OverwriteFinder(const KernelPlan &plan) : plan(plan) {
    places.resize(plan.items.size());
    for (auto [n, nest] : llvm::enumerate(plan.nests))
      for (auto [g, group] : llvm::enumerate(nest.groups))
        for (auto [p, item] : llvm::enumerate(group.items))
          places[item] = {unsigned(n), unsigned(g), unsigned(p)};
    for (unsigned i = 0, e = plan.items.size(); i < e; ++i) {
      places[i].nest = plan.nestOf[i];
      for (Value result : plan.items[i].results())
        itemOf[result] = i;
    }
    for (unsigned i = 0, e = plan.items.size(); i < e; ++i)
      collectReads(i);
  }

  /// True when no element of `input` is read after it has been written as an
  /// element of `result`.
  bool mayOverwrite(Value input, Value result) const;

private:
  /// Item `reader` needs elements of an input whose first `prefix` coordinates
  /// are its own.
  struct Read {
    unsigned reader;
    int64_t prefix;
    /// The result that equals the input but for the places that the item
    /// writes, or null.
    Value passedTo = nullptr;
  };

  void collectReads(unsigned item);
  bool isAtHand(Value value, int64_t prefix, unsigned reader) const;
  bool comesBefore(const Read &read, unsigned writer, int64_t rank) const;
  bool mayWriteParts(Value input, Value result, unsigned writer) const;

  const KernelPlan &plan;
  SmallVector<Place> places;
  llvm::DenseMap<Value, unsigned> itemOf;
  llvm::DenseMap<Value, SmallVector<Read>> reads; // by kernel input
};

/// True when item `reader` finds an element of another item's value, whose
/// first `prefix` coordinates are its own, stored or just computed. Otherwise
/// it computes the element again: of its own group no buffer is complete.
bool OverwriteFinder::isAtHand(Value value, int64_t prefix,
                               unsigned reader) const {
  auto found = itemOf.find(value);
  if (found == itemOf.end())
    return false;
  const Item &item = plan.items[found->second];
  const Place &from = places[found->second], &to = places[reader];
  if (from.nest != to.nest)
    return from.nest < to.nest;
  if (from.group != to.group)
    return from.group < to.group;
  // Folds take their terms before any element is stored.
  return item.kind == Item::Kind::Map &&
         plan.items[reader].kind == Item::Kind::Map &&
         prefix == int64_t(item.space.size()) &&
         ArrayRef(item.space) == ArrayRef(plan.items[reader].space) &&
         from.position < to.position;
}

/// Follows what item `index` computes on the spot down to the inputs.
void OverwriteFinder::collectReads(unsigned index) {
  const Item &item = plan.items[index];
  llvm::MapVector<Value, int64_t> prefixes;
  llvm::SmallDenseSet<unsigned> passed; // operands of the item's op
  SmallVector<Value> pending;
  auto reach = [&](Value value, int64_t prefix) {
    auto [it, isNew] = prefixes.insert({value, prefix});
    if (!isNew && it->second <= prefix)
      return;
    it->second = prefix;
    pending.push_back(value);
  };
  auto expand = [&](Operation *op, int64_t limit, OpRule::PrefixFn rule) {
    for (unsigned k = 0, e = op->getNumOperands(); k < e; ++k)
      if (!passed.contains(k))
        reach(op->getOperand(k), std::min(limit, rule ? rule(op, k) : 0));
    passed.clear();
  };
  if (item.kind == Item::Kind::Loops)
    for (OpResult result : item.op->getResults())
      if (Value operand = partlyWritten(result);
          isa_and_nonnull<BlockArgument>(operand)) {
        // Operands come in the order of results, from the first on.
        passed.insert(result.getResultNumber());
        reads[operand].push_back({index, 0, result});
      }
  const RuleTable &rules = RuleTable::get();
  if (!item.op)
    reach(item.value, 0); // an input that is returned is read last
  else
    expand(item.op, item.space.size(),
           item.kind == Item::Kind::Fold ? item.fold.prefix
                                         : rules.lookup(item.op)->prefix);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && !isAtHand(value, prefixes[value], index))
      expand(op, prefixes[value], rules.lookup(op)->prefix);
  }
  for (auto [value, prefix] : prefixes)
    if (isa<BlockArgument>(value))
      reads[value].push_back({index, prefix});
}

/// True when the read of an element is over before item `writer`, which writes
/// its own points only, writes that element.
bool OverwriteFinder::comesBefore(const Read &read, unsigned writer,
                                  int64_t rank) const {
  const Item &reader = plan.items[read.reader];
  const Place &from = places[read.reader], &to = places[writer];
  if (!reader.op || from.nest != to.nest)
    return reader.op && from.nest < to.nest;
  const Nest &nest = plan.nests[to.nest];
  // Rows come one after the other: a reader must stay in its row.
  if (read.prefix < nest.rowRank)
    return false;
  if (from.group != to.group)
    return from.group < to.group;
  // The same loops: it must stay at its point, and fold or come first.
  return read.prefix == rank &&
         ArrayRef(reader.space) == ArrayRef(plan.items[writer].space) &&
         (reader.kind == Item::Kind::Fold || from.position <= to.position);
}

/// The same for an op that writes some places of its result and leaves the
/// others as in the operand.
bool OverwriteFinder::mayWriteParts(Value input, Value result,
                                    unsigned writer) const {
  return partlyWritten(cast<OpResult>(result)) == input &&
         llvm::all_of(reads.lookup(input), [&](const Read &r) {
           return r.passedTo == result ||
                  (plan.items[r.reader].op &&
                   places[r.reader].nest < places[writer].nest);
         });
}

bool OverwriteFinder::mayOverwrite(Value input, Value result) const {
  auto writer = itemOf.find(result);
  if (writer == itemOf.end() || input.getType() != result.getType())
    return false;
  const Item &item = plan.items[writer->second];
  if (item.kind == Item::Kind::Loops)
    return mayWriteParts(input, result, writer->second);
  if (item.kind != Item::Kind::Map || !item.op || isScratch(item.op))
    return false;
  int64_t rank = item.space.size();
  auto list = reads.find(input);
  return list == reads.end() || llvm::all_of(list->second, [&](const Read &r) {
           return comesBefore(r, writer->second, rank);
         });
}

struct MarkOverwritesPass : impl::MarkOverwritesPassBase<MarkOverwritesPass> {
  using MarkOverwritesPassBase::MarkOverwritesPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(kKernelAttr) && failed(mark(kernel)))
        return signalPassFailure();
  }

  LogicalResult mark(func::FuncOp kernel) {
    Block &body = kernel.getBody().front();
    FailureOr<KernelPlan> plan =
        planKernel(body, isGpu ? KernelTarget::gpu() : KernelTarget::host());
    if (failed(plan))
      return failure();
    OverwriteFinder finder(*plan);
    Builder builder(kernel.getContext());
    for (BlockArgument input : body.getArguments()) {
      llvm::SmallSetVector<Value, 4> results;
      SmallVector<int64_t> allowed;
      // A value that is returned twice counts at its first place.
      for (auto [i, output] :
           llvm::enumerate(body.getTerminator()->getOperands()))
        if (results.insert(output) && finder.mayOverwrite(input, output))
          allowed.push_back(i);
      if (allowed.empty())
        continue;
      kernel.setArgAttr(input.getArgNumber(), kMayOverwriteAttr,
                        builder.getDenseI64ArrayAttr(allowed));
      ++marked;
    }
    return success();
  }
};

} // namespace
} // namespace partopt::codegen
