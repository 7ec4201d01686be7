//===- ClassifyStorages.cpp - What each byte range is used for ------------===//
//
// Found on the program that the plan is made of, from what depends on what:
// forward is what the loss is computed from; the update of a parameter is
// walked back from its new value, as TrainingStep does on the whole program, to
// the values from which it starts, and from there to what these are sums, parts
// or copies of.
//
//===----------------------------------------------------------------------===//

#include "EmitProgram.h"
#include "ValueFlow.h"

#include "partopt/Support/ArgumentRole.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"

#include <numeric>

using namespace mlir;
using namespace partopt;
using planir::MemoryClass;

namespace {

int64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(comm::getValueType(value.getType()));
  return type ? type.getNumElements() : -1;
}

unsigned widthOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(comm::getValueType(value.getType()));
  return type && type.getElementType().isIntOrFloat()
             ? type.getElementTypeBitWidth()
             : 0;
}

/// Ops that move elements of their first operand, on or between devices.
bool isMove(Operation *op) {
  using namespace stablehlo;
  return isa<ReshapeOp, TransposeOp, SliceOp, DynamicSliceOp, PadOp, ConvertOp,
             OptimizationBarrierOp, comm::AllGatherOp, comm::AllToAllOp,
             comm::PermuteOp, comm::BroadcastOp>(op);
}

/// Of one row or column: it drops or adds dimensions of size 1.
bool keepsElements(Operation *op) {
  return isa<stablehlo::ReduceOp, stablehlo::BroadcastInDimOp>(op) &&
         elementsOf(op->getOperand(0)) == elementsOf(op->getResult(0));
}

class Classifier {
public:
  explicit Classifier(ProgramModel &model) : model(model), flow(model) {}
  void run();

private:
  using Nodes = SmallVector<unsigned>;

  StringRef roleOf(unsigned argument) const {
    return partopt::roleOf(model.function, argument);
  }
  void findParts();
  void findGradients(unsigned root);
  bool isPureLeaf(unsigned node) const;
  Nodes withinUpdate(unsigned node) const;
  Nodes sumOrCopyOf(unsigned node) const;
  bool isOnlyGradient(unsigned node) const;
  void followGradients();
  bool isOrderedToSend(unsigned node) const;
  void findStaging();
  void findGathered();
  void findSaved();
  MemoryClass classOf(unsigned node) const;

  ProgramModel &model;
  ValueFlow flow;
  llvm::BitVector forward, ofState, gradients, feedsGradients, narrowed,
      gathered, moved, toSend, ofForward;
  /// The last instruction whose value both passes read.
  int64_t forwardEnd = -1;
};

void Classifier::findParts() {
  Nodes states, loss;
  for (unsigned i = 0; i < model.function.getNumArguments(); ++i)
    if (roleOf(i) == "opt" &&
        !flow.scalesGradients(flow.of(model.function.getArgument(i))))
      states.push_back(flow.of(model.function.getArgument(i)));
  Operation *terminator = model.function.front().getTerminator();
  if (auto result = lossResult(model.function))
    loss.push_back(flow.of(terminator->getOperand(unsigned(*result))));
  ofState = flow.reach(states, /*backwards=*/false);
  forward = flow.reach(loss, /*backwards=*/true);
  // Most ranks of a pipeline have no loss.
  for (unsigned node = 0; node < flow.size(); ++node)
    if (flow[node].part != 0 && flow[node].part != 'F')
      forward.reset(node);
    else if (flow[node].part == 'F')
      forward.set(node);
}

/// The sources of `node` that belong to the same update, or none where the
/// update ends.
Classifier::Nodes Classifier::withinUpdate(unsigned node) const {
  const ValueFlow::Node &at = flow[node];
  if (!at.op || forward.test(node))
    return {};
  if (ValueFlow::isTransparent(at) || isMove(at.op))
    return {at.sources[0]};
  if (!at.op->hasTrait<stablehlo::Elementwise>())
    return {};
  Nodes same;
  for (unsigned source : at.sources)
    if (elementsOf(flow[source].value) == elementsOf(at.value))
      same.push_back(source);
  return same;
}

bool Classifier::isPureLeaf(unsigned node) const {
  Operation *op = flow[node].op;
  return op && !ofState.test(node) &&
         !isa<stablehlo::BroadcastInDimOp, stablehlo::ConstantOp,
              stablehlo::IotaOp>(op);
}

/// Marks the largest values from which the update starts that neither the
/// parameter nor its state nor a scale has gone into.
void Classifier::findGradients(unsigned root) {
  llvm::DenseMap<unsigned, Nodes> within;
  Nodes order, work{root};
  while (!work.empty()) {
    unsigned node = work.pop_back_val();
    if (within.contains(node))
      continue;
    Nodes next = withinUpdate(node);
    if (next.empty())
      continue;
    order.push_back(node);
    llvm::append_range(work, next);
    within[node] = std::move(next);
  }
  llvm::sort(order); // sources come first
  llvm::DenseMap<unsigned, bool> pure;
  auto isPure = [&](unsigned node) {
    auto inner = pure.find(node);
    return inner != pure.end() ? inner->second : isPureLeaf(node);
  };
  for (unsigned node : order)
    pure[node] = llvm::all_of(within[node], isPure);
  auto add = [&](unsigned node) {
    if (isPure(node) && elementsOf(flow[node].value) > 1)
      gradients.set(node);
  };
  for (unsigned node : order)
    if (!pure[node])
      llvm::for_each(within[node], add);
  add(root);
}

/// What a gradient is a sum, a part, a multiple or a copy of.
Classifier::Nodes Classifier::sumOrCopyOf(unsigned node) const {
  using namespace stablehlo;
  const ValueFlow::Node &at = flow[node];
  Operation *op = at.op;
  if (!op)
    return {};
  if (ValueFlow::isTransparent(at) || isMove(op) || keepsElements(op) ||
      isa<comm::AllReduceOp, comm::ReduceScatterOp>(op))
    return {at.sources[0]};
  if (isa<comm::LoopBeginOp, comm::LoopEndOp, ConcatenateOp>(op))
    return Nodes(at.sources.begin(), at.sources.end());
  if (isa<DynamicUpdateSliceOp>(op))
    return {at.sources[0], at.sources[1]};
  if (isa<ScatterOp>(op))
    return {at.sources[cast<OpResult>(at.value).getResultNumber()]};
  Nodes parts;
  if (isa<AddOp, SubtractOp, NegOp, MulOp, DivOp>(op))
    for (unsigned source : at.sources)
      if (!isa_and_nonnull<BroadcastInDimOp, ConstantOp>(flow[source].op))
        parts.push_back(source);
  // A product of two tensors is made of others' values.
  if (isa<MulOp, DivOp>(op) && parts.size() != 1)
    return {};
  return parts;
}

/// What further gradients are computed of is no part of one but a value of the
/// backward pass. A loop that passes it on decides in its next iteration.
bool Classifier::isOnlyGradient(unsigned node) const {
  return llvm::all_of(flow[node].users, [&](unsigned user) {
    return gradients.test(user) || !feedsGradients.test(user) ||
           isa<comm::LoopBeginOp>(flow[user].op);
  });
}

void Classifier::followGradients() {
  Nodes work(gradients.set_bits_begin(), gradients.set_bits_end());
  feedsGradients = flow.reach(work, /*backwards=*/true);
  while (!work.empty())
    for (unsigned source : sumOrCopyOf(work.pop_back_val())) {
      if (!flow[source].op || forward.test(source) || ofState.test(source) ||
          gradients.test(source) || elementsOf(flow[source].value) <= 1 ||
          !isOnlyGradient(source))
        continue;
      gradients.set(source);
      work.push_back(source);
    }
}

/// A copy of a gradient in the order in which it is sent.
bool Classifier::isOrderedToSend(unsigned node) const {
  const ValueFlow::Node &at = flow[node];
  if (!isa_and_nonnull<stablehlo::TransposeOp>(at.op) ||
      !gradients.test(at.sources[0]))
    return false;
  Nodes readers(at.users.begin(), at.users.end());
  for (size_t i = 0; i < readers.size(); ++i)
    if (ValueFlow::isTransparent(flow[readers[i]]))
      llvm::append_range(readers, flow[readers[i]].users);
  return llvm::any_of(readers, [&](unsigned reader) {
    return isa<comm::ReduceScatterOp, comm::AllReduceOp>(flow[reader].op);
  });
}

/// Gradients that are converted to a narrower type or put in another order to
/// be sent.
void Classifier::findStaging() {
  for (unsigned node : gradients.set_bits()) {
    const ValueFlow::Node &at = flow[node];
    if (at.sources.empty() || !gradients.test(at.sources[0]))
      continue;
    if (isOrderedToSend(node) ||
        (ValueFlow::isTransparent(at) && toSend.test(at.sources[0])))
      toSend.set(node);
    unsigned width = widthOf(at.value),
             from = widthOf(flow[at.sources[0]].value);
    if (width < from || (width == from && narrowed.test(at.sources[0])))
      narrowed.set(node);
  }
}

/// Copies of parameters that are, or are made for, gathers of stored shards.
void Classifier::findGathered() {
  llvm::BitVector copies(flow.size());
  Nodes gathers;
  for (unsigned node = 0; node < flow.size(); ++node) {
    const ValueFlow::Node &at = flow[node];
    if (!at.op) {
      auto argument = dyn_cast<BlockArgument>(at.value);
      if (argument && roleOf(argument.getArgNumber()) == "param")
        copies.set(node);
      continue;
    }
    if (at.sources.empty() || !copies.test(at.sources[0]) ||
        !(ValueFlow::isTransparent(at) || isMove(at.op)))
      continue;
    copies.set(node);
    if (isa<comm::AllGatherOp>(at.op))
      gathers.push_back(node);
  }
  gathered = flow.reach(gathers, /*backwards=*/false);
  gathered |= flow.reach(gathers, /*backwards=*/true);
  gathered &= copies;
}

/// Where forward ends, and what is computed of its values. The loss itself may
/// come later: microbatches add up before it.
void Classifier::findSaved() {
  Nodes all;
  for (unsigned node : forward.set_bits()) {
    const ValueFlow::Node &at = flow[node];
    bool isRead = llvm::any_of(at.users, [&](unsigned user) {
      return !forward.test(user) &&
             !isa_and_nonnull<comm::LoopBeginOp, comm::LoopEndOp>(
                 flow[user].op);
    });
    if (!at.op)
      continue;
    all.push_back(node);
    if (at.inProgram && isRead)
      forwardEnd = std::max(forwardEnd, model.storages[at.storage].definition);
  }
  ofForward = flow.reach(all, /*backwards=*/false);
}

MemoryClass Classifier::classOf(unsigned node) const {
  if (gathered.test(node))
    return MemoryClass::Gathered;
  if (narrowed.test(node) || toSend.test(node))
    return MemoryClass::Staging;
  if (gradients.test(node))
    return MemoryClass::Gradients;
  auto isForward = [&](unsigned user) { return forward.test(user); };
  bool isIndex = isa_and_nonnull<comm::LoopBeginOp>(flow[node].op) &&
                 flow[node].sources.empty();
  if (forward.test(node) && !isIndex &&
      !llvm::all_of(flow[node].users, isForward))
    return MemoryClass::Activations;
  if (moved.test(node))
    return MemoryClass::Staging;
  // The loss needs no derivatives that its ops leave for the backward pass.
  const Storage &storage = model.storages[flow[node].storage];
  bool isSaved = ofForward.test(node) && storage.definition <= forwardEnd &&
                 !storage.uses.empty() && storage.uses.back() > forwardEnd;
  return isSaved ? MemoryClass::Activations : MemoryClass::Other;
}

void Classifier::run() {
  gradients.resize(flow.size());
  narrowed.resize(flow.size());
  moved.resize(flow.size());
  toSend.resize(flow.size());
  findParts();
  Operation *terminator = model.function.front().getTerminator();
  for (const ProgramResult &result : model.results)
    if (result.alias >= 0 && roleOf(result.alias) == "param")
      findGradients(
          flow.of(terminator->getOperand(&result - model.results.data())));
  followGradients();
  findStaging();
  findGathered();
  findSaved();
  for (unsigned node = 0; node < flow.size(); ++node)
    if (isa_and_nonnull<comm::CollectiveOpInterface>(flow[node].op)) {
      moved.set(node);
      moved.set(flow[node].sources[0]);
    }
  // Views share a storage; its first value that says something decides.
  for (unsigned node = 0; node < flow.size(); ++node)
    if (flow[node].inProgram)
      if (Storage &storage = model.storages[flow[node].storage];
          storage.memoryClass == MemoryClass::Other)
        storage.memoryClass = classOf(node);
  for (unsigned i = 0; i < model.function.getNumArguments(); ++i)
    model.storages[i].memoryClass =
        roleOf(i) == "param" ? MemoryClass::Parameters
        : roleOf(i) == "opt" ? MemoryClass::OptimizerState
                             : MemoryClass::Inputs;
}

} // namespace

void partopt::classifyStorages(ProgramModel &model) { Classifier(model).run(); }

/// While loops take turns there is no time at which a class could change: the
/// last one holds from the first turn on.
static void keepOneDuringTurns(const Turns &turns, BufferClasses &list) {
  auto isDuring = [&](const auto &held) {
    return held.second > turns.first && held.second <= turns.last;
  };
  std::optional<MemoryClass> last;
  for (const auto &held : list)
    if (isDuring(held))
      last = held.first;
  if (!last)
    return;
  llvm::erase_if(list, [&](const auto &held) {
    return isDuring(held) || held.second == turns.first;
  });
  auto behind = llvm::find_if(
      list, [&](const auto &held) { return held.second > turns.first; });
  list.insert(behind, {*last, turns.first});
}

std::vector<BufferClasses>
partopt::classesOfBuffers(const ProgramModel &model,
                          const Placement &placement) {
  std::vector<unsigned> order(model.storages.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(model.storages[a].definition, a) <
           std::pair(model.storages[b].definition, b);
  });
  std::vector<BufferClasses> classes(model.storages.size());
  for (unsigned s : order) {
    unsigned root = placement.root[s];
    BufferClasses &list = classes[root];
    if (placement.resident[root] && !list.empty())
      continue;
    int64_t from = list.empty() ? placement.live[root].first
                                : model.storages[s].definition;
    MemoryClass is = model.storages[s].memoryClass;
    if (!list.empty() && list.back().second == from)
      list.pop_back();
    if (list.empty() || list.back().first != is)
      list.push_back({is, from});
  }
  for (unsigned s = 0; s < classes.size(); ++s)
    if (model.turns.any() && !classes[s].empty() &&
        placement.live[s].first <= model.turns.first &&
        placement.live[s].second >= model.turns.last)
      keepOneDuringTurns(model.turns, classes[s]);
  for (BufferClasses &list : classes)
    if (list.size() == 1 && list.front().first == MemoryClass::Other)
      list.clear();
  return classes;
}
