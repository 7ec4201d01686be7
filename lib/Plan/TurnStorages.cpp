//===- TurnStorages.cpp - What turns hand to each other -------------------===//
//
// Loops that take turns read what others made in the iteration of the same
// number, however many turns ago. Such a value has as many slots as iterations
// of it are there at once, which the order of turns says.
//
//===----------------------------------------------------------------------===//

#include "ProgramModel.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Support/StageAttributes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace partopt;

namespace {

class TurnStorages {
public:
  TurnStorages(ProgramModel &model, const SendSlots &sends)
      : model(model), sends(sends) {}
  void run();

private:
  void readTurns();
  bool isReceived(const Storage &storage) const {
    return isa<comm::RecvOp>(model.instructions[storage.definition].op);
  }
  void look(Storage &storage);
  void joinCarried();
  int64_t slotsFor(int64_t maker, bool received,
                   ArrayRef<int64_t> readers) const;

  ProgramModel &model;
  const SendSlots &sends;
  /// By loop: the turn of each iteration.
  std::vector<std::vector<int64_t>> turnOf;
  /// By instruction: the loop that takes turns around it, or -1.
  std::vector<int64_t> loops;
};

void TurnStorages::readTurns() {
  auto list = model.function->getAttrOfType<DenseI64ArrayAttr>(kTurnsAttr);
  turnOf.resize(model.loops.size());
  for (int64_t i = 0; i + 1 < list.size(); i += 2) {
    int64_t turn = int64_t(model.turns.order.size());
    model.turns.order.push_back({list[i], list[i + 1]});
    if (list[i] < int64_t(turnOf.size()))
      turnOf[size_t(list[i])].push_back(turn);
  }
  loops.assign(model.instructions.size(), -1);
  for (auto [i, loop] : llvm::enumerate(model.loops))
    if (loop.takesTurns)
      std::fill(loops.begin() + loop.begin, loops.begin() + loop.end + 1,
                int64_t(i));
}

/// Iteration i + slots is not written before all have read iteration i.
int64_t TurnStorages::slotsFor(int64_t maker, bool received,
                               ArrayRef<int64_t> readers) const {
  const std::vector<int64_t> &made = turnOf[size_t(maker)];
  int64_t slots = 1;
  for (size_t i = 0; i < made.size(); ++i) {
    int64_t until = made[i] + 1;
    for (int64_t reader : readers)
      until = std::max(until, turnOf[size_t(reader)][i] + 1);
    size_t next = i + 1;
    while (next < made.size() &&
           made[next] - (received ? Turns::ahead : 0) < until)
      ++next;
    slots = std::max(slots, int64_t(next - i));
  }
  return slots;
}

void TurnStorages::look(Storage &storage) {
  if (storage.argument >= 0 || !model.turns.holds(storage.definition))
    return;
  int64_t maker = loops[size_t(storage.definition)];
  // What a loop begins with (its counter too) or leaves is carried, and has one
  // place.
  bool isCarried = maker < 0 ||
                   model.loops[size_t(maker)].begin == storage.definition ||
                   model.loops[size_t(maker)].end == storage.definition;
  llvm::SmallSetVector<int64_t, 4> readers;
  int64_t underWay = 0;
  for (int64_t use : storage.uses) {
    if (!model.turns.holds(use) || maker < 0)
      continue;
    if (auto send =
            dyn_cast<comm::SendOp>(model.instructions[size_t(use)].op)) {
      // One is sent while the next is made.
      auto known = sends.find(int64_t(send.getChannel()));
      underWay = std::max<int64_t>(
          {underWay, 2, known == sends.end() ? 0 : known->second});
    }
    if (loops[size_t(use)] >= 0)
      readers.insert(loops[size_t(use)]);
  }
  if (isCarried) {
    storage.staysForTurns = true;
    return;
  }
  bool received = isReceived(storage);
  readers.remove(maker);
  storage.staysForTurns = received || underWay > 0 || !readers.empty();
  if (!storage.staysForTurns)
    return;
  storage.slots = slotsFor(maker, received, readers.getArrayRef());
  storage.slots = std::max(storage.slots, underWay);
}

/// What a loop within a turn leaves is where it carries it.
void TurnStorages::joinCarried() {
  for (const Loop &loop : model.loops) {
    if (loop.takesTurns || !model.turns.holds(loop.begin))
      continue;
    for (const CarriedValue &value : loop.values) {
      const Storage &result = model.storages[value.result];
      if (!result.staysForTurns)
        continue;
      model.storages[value.carried].staysForTurns = true;
      model.storages[value.carried].slots = result.slots;
    }
  }
}

void TurnStorages::run() {
  readTurns();
  for (Storage &storage : model.storages)
    look(storage);
  joinCarried();
  // What all turns read of what was there before is there until the last one.
  for (Storage &storage : model.storages) {
    bool isBefore =
        storage.argument >= 0 || storage.definition < model.turns.first;
    // What loops begin with is copied when the first turn begins.
    auto isRead = [&](int64_t use) {
      return model.turns.holds(use) &&
             model.instructions[size_t(use)].kind != InstructionKind::LoopBegin;
    };
    if (isBefore && llvm::any_of(storage.uses, isRead))
      storage.uses.insert(llvm::upper_bound(storage.uses, model.turns.last),
                          model.turns.last);
  }
}

} // namespace

void partopt::findTurnStorages(ProgramModel &model, const SendSlots &sends) {
  if (model.turns.any())
    TurnStorages(model, sends).run();
}
