//===- PlaceBuffers.cpp - Which byte range each value takes ---------------===//
//
// Results go into the arguments that they take where that is safe, dying inputs
// give their range to outputs where that is allowed, and what is left is packed
// into the arena.
//
//===----------------------------------------------------------------------===//

#include "KernelVariants.h"
#include "ProgramModel.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Plan/Plan.h"

#include "partopt/Plan/PlanMemory.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partopt;

namespace {

class Placer {
public:
  explicit Placer(ProgramModel &model) : model(model) {}
  FailureOr<Placement> run();

private:
  void placeArguments();
  void copyUnsafeResults();
  void placeResultsInArguments();
  void placeCarried();
  bool leadsBack(const Loop &loop, const CarriedValue &value, unsigned storage,
                 std::vector<unsigned> &chain);
  void reuseDyingInputs();
  void extendLifetimes();
  LogicalResult packArena();

  bool mayOverwrite(const Instruction &at, unsigned input, unsigned output);
  bool canTake(const ProgramResult &result);
  int64_t usesAfter(unsigned storage, int64_t index) const;

  ProgramModel &model;
  Placement placement;
  /// By root: the last instruction at which any sharer is in use.
  std::vector<int64_t> lastUse;
  /// By root: what loops carry there.
  llvm::DenseMap<unsigned, SmallVector<unsigned>> sharers;
};

void Placer::placeArguments() {
  int64_t offset = 0;
  for (unsigned s = 0; s < model.storages.size(); ++s) {
    const Storage &storage = model.storages[s];
    placement.root.push_back(s);
    placement.resident.push_back(storage.argument >= 0);
    placement.offset.push_back(0);
    if (storage.argument < 0)
      continue;
    placement.offset[s] = offset;
    offset += llvm::alignTo(storage.bytes, planir::kBufferAlignment);
  }
  placement.residentBytes = offset;
}

/// When steps are chained, result j overwrites the argument it takes. Another
/// result that lies there must be copied away before.
void Placer::copyUnsafeResults() {
  std::vector<int> taker(model.function.getNumArguments(), -1);
  for (auto [i, result] : llvm::enumerate(model.results))
    if (result.alias >= 0)
      taker[result.alias] = i;
  for (auto [i, result] : llvm::enumerate(model.results)) {
    unsigned root = placement.root[result.storage];
    int argument = model.storages[root].argument;
    if (argument < 0 || taker[argument] < 0 ||
        taker[argument] == static_cast<int>(i))
      continue;
    int64_t at = model.instructions.size();
    unsigned source = result.storage;
    Storage from = model.storages[source];
    unsigned target = model.addStorage(from.bytes, from.loc, at);
    model.storages[target].returned = true;
    placement.root.push_back(target);
    placement.resident.push_back(false);
    placement.offset.push_back(0);
    model.storages[source].uses.push_back(at);
    model.instructions.push_back({InstructionKind::CopyResult,
                                  model.function.front().getTerminator(),
                                  {source},
                                  {target}});
    result.storage = target;
    ++placement.copiedResults;
  }
}

bool Placer::mayOverwrite(const Instruction &at, unsigned input,
                          unsigned output) {
  if (model.storages[input].bytes != model.storages[output].bytes)
    return false;
  // An operand that is given twice is read at two places.
  if (llvm::count(at.reads, input) != 1)
    return false;
  if (at.accumulates)
    return input == at.reads.back();
  unsigned position = llvm::find(at.reads, input) - at.reads.begin();
  unsigned result = llvm::find(at.writes, output) - at.writes.begin();
  if (isa<comm::AllReduceOp>(at.op))
    return position == result;
  func::FuncOp kernel = model.calledKernel(at.op);
  if (!kernel)
    return false;
  auto allowed =
      kernel.getArgAttrOfType<DenseI64ArrayAttr>(position, kMayOverwriteAttr);
  return allowed && llvm::is_contained(allowed.asArrayRef(), int64_t(result));
}

/// Uses of the storage after the instruction `index`.
int64_t Placer::usesAfter(unsigned storage, int64_t index) const {
  const std::vector<int64_t> &uses = model.storages[storage].uses;
  return uses.end() - std::upper_bound(uses.begin(), uses.end(), index);
}

/// True when `result` may be written into the argument that it takes.
bool Placer::canTake(const ProgramResult &result) {
  if (!result.mayOverwrite || placement.root[result.storage] != result.storage)
    return false;
  const Storage &value = model.storages[result.storage];
  const Storage &argument = model.storages[result.alias];
  if (value.argument >= 0 || argument.returned)
    return false;
  if (argument.uses.empty() || argument.lastUse() < value.definition)
    return true;
  const Instruction &writer = model.instructions[value.definition];
  return argument.lastUse() == value.definition &&
         mayOverwrite(writer, result.alias, result.storage);
}

void Placer::placeResultsInArguments() {
  for (const ProgramResult &result : model.results) {
    if (!canTake(result))
      continue;
    placement.root[result.storage] = result.alias;
    ++placement.inPlaceResults;
  }
}

/// Collects the values from `storage` back to the carried one, each of which
/// may be written over the one before; false where there is no such chain.
bool Placer::leadsBack(const Loop &loop, const CarriedValue &value,
                       unsigned storage, std::vector<unsigned> &chain) {
  constexpr size_t longest = 8;
  const Storage &next = model.storages[storage];
  if (next.definition <= loop.begin || next.argument >= 0 || next.returned ||
      next.staysForTurns || placement.root[storage] != storage ||
      chain.size() == longest)
    return false;
  const Instruction &writer = model.instructions[next.definition];
  chain.push_back(storage);
  for (unsigned input : writer.reads)
    if (mayOverwrite(writer, input, storage) &&
        model.storages[input].lastUse() == next.definition &&
        (input == value.carried || leadsBack(loop, value, input, chain)))
      return true;
  chain.pop_back();
  return false;
}

/// One range for a value that a loop carries, from before it to behind it where
/// that is possible; else the loop copies.
void Placer::placeCarried() {
  for (const Loop &loop : model.loops)
    for (const CarriedValue &value : loop.values) {
      unsigned root = value.carried;
      const Storage &init = model.storages[value.init];
      bool isHandedOver =
          !loop.takesTurns &&
          (init.staysForTurns || model.storages[value.carried].staysForTurns);
      if (init.argument < 0 && !init.returned && !isHandedOver &&
          placement.root[value.init] == value.init &&
          init.lastUse() == loop.begin &&
          llvm::count(init.uses, loop.begin) == 1)
        root = value.init;
      placement.root[value.carried] = root;
      placement.root[value.result] = root;
      std::vector<unsigned> chain;
      if (leadsBack(loop, value, value.next, chain))
        for (unsigned storage : chain)
          placement.root[storage] = root;
      chain.insert(chain.end(), {value.carried, value.result});
      for (unsigned storage : chain)
        if (storage != root && placement.root[storage] == root)
          sharers[root].push_back(storage);
    }
}

void Placer::reuseDyingInputs() {
  lastUse.resize(model.storages.size());
  for (unsigned s = 0; s < model.storages.size(); ++s)
    lastUse[s] =
        model.storages[s].returned ? INT64_MAX : model.storages[s].lastUse();
  for (unsigned s = 0; s < model.storages.size(); ++s) {
    int64_t &root = lastUse[placement.root[s]];
    root = std::max(root, lastUse[s]);
  }
  for (auto [index, instruction] : llvm::enumerate(model.instructions)) {
    // A collective reads its operands until its wait and writes its results
    // from the start on, so that nobody else may use them in between.
    int64_t end = index;
    if (instruction.writes.empty())
      continue; // a send
    if (instruction.kind == InstructionKind::Start)
      end = model.storages[instruction.writes.front()].settled;
    llvm::SmallDenseSet<unsigned> taken;
    for (unsigned output : instruction.writes) {
      if (placement.root[output] != output)
        continue;
      for (unsigned input : instruction.reads) {
        unsigned root = placement.root[input];
        if (placement.resident[root] || lastUse[root] != end ||
            !mayOverwrite(instruction, input, output) ||
            usesAfter(input, index) > (end > int64_t(index)) ||
            model.storages[root].staysForTurns ||
            model.storages[output].staysForTurns || !taken.insert(root).second)
          continue;
        placement.root[output] = root;
        lastUse[root] = lastUse[output];
        // A loop goes on in the range of the value that it starts from.
        for (unsigned sharer : sharers.lookup(output))
          placement.root[sharer] = root;
        break;
      }
    }
  }
}

void Placer::extendLifetimes() {
  int64_t last = std::max<int64_t>(model.instructions.size(), 1) - 1;
  placement.live.assign(model.storages.size(), {INT64_MAX, 0});
  for (unsigned s = 0; s < model.storages.size(); ++s) {
    const Storage &storage = model.storages[s];
    auto &[from, to] = placement.live[placement.root[s]];
    from = std::min(from, storage.argument >= 0 ? 0 : storage.definition);
    bool whole = storage.returned || storage.argument >= 0;
    to = std::max(to, whole ? last : storage.lastUse());
    if (storage.staysForTurns) {
      from = std::min(from, model.turns.first);
      to = std::max(to, model.turns.last);
    }
  }
}

LogicalResult Placer::packArena() {
  MemoryProblem problem;
  problem.alignment = planir::kBufferAlignment;
  std::vector<unsigned> packed;
  for (unsigned s = 0; s < model.storages.size(); ++s) {
    if (placement.root[s] != s || placement.resident[s])
      continue;
    auto [first, last] = placement.live[s];
    problem.intervals.push_back(
        {placement.bytesOf(model.storages[s]), first, last});
    packed.push_back(s);
  }
  std::string problems = problem.check();
  MemorySolution solution;
  if (problems.empty()) {
    solution = planMemory(problem);
    problems = verifyMemory(problem, solution);
  }
  if (!problems.empty())
    return model.function.emitOpError() << "has no valid arena: " << problems;
  for (auto [s, offset] : llvm::zip(packed, solution.offsets))
    placement.offset[s] = offset;
  placement.arenaBytes = solution.bytes;
  placement.arenaBound = problem.lowerBound();
  return success();
}

FailureOr<Placement> Placer::run() {
  placeArguments();
  placeResultsInArguments();
  placeCarried();
  copyUnsafeResults();
  reuseDyingInputs();
  extendLifetimes();
  if (failed(packArena()))
    return failure();
  for (const ProgramResult &result : model.results)
    if (result.alias >= 0 &&
        placement.root[result.storage] != static_cast<unsigned>(result.alias))
      ++placement.copiedResults;
  return std::move(placement);
}

} // namespace

int64_t Placement::strideOf(const Storage &storage) {
  return int64_t(
      llvm::alignTo(uint64_t(storage.bytes), planir::kBufferAlignment));
}

FailureOr<Placement> partopt::placeBuffers(ProgramModel &model) {
  return Placer(model).run();
}
