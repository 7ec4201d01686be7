//===- ProgramModel.h - A function as instructions and storages -*- C++ -*-===//
//
// What the placement of buffers works on: a list of instructions, and one
// storage (a byte range to be placed) per value that is not a view of another.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_PROGRAMMODEL_H
#define PARTOPT_LIB_PLAN_PROGRAMMODEL_H

#include "dialects/Plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace partopt {

/// A byte range of the program. Instruction indices are inclusive; an argument
/// has `argument` >= 0 and exists before the first instruction.
struct Storage {
  int64_t bytes = 0;
  mlir::Location loc;
  int argument = -1;
  int64_t definition = 0;    ///< instruction that first writes it
  int64_t settled = 0;       ///< its contents are complete from here on
  std::vector<int64_t> uses; ///< ascending; a collective's are at its wait
  bool returned = false;
  planir::MemoryClass memoryClass = planir::MemoryClass::Other;
  /// Of loops that take turns: other turns than that of its maker need it, so
  /// that it lives over all of them, with so many slots.
  bool staysForTurns = false;
  int64_t slots = 1;

  int64_t lastUse() const {
    return uses.empty() ? settled : std::max(settled, uses.back());
  }
};

enum class InstructionKind { Run, Start, Wait, CopyResult, LoopBegin, LoopEnd };

/// One instruction. A collective that is not split yet has both a Start and a
/// Wait of the same `op`; a Wait's `partner` is the index of its start. A
/// LoopBegin writes the index, then what is carried.
struct Instruction {
  InstructionKind kind;
  mlir::Operation *op;
  std::vector<unsigned> reads, writes; ///< storages
  int64_t partner = -1;
  /// A product that is added to its last operand, whose place it takes.
  bool accumulates = false;
};

/// A result of the function and the argument whose buffer takes it when steps
/// are chained, or -1.
struct ProgramResult {
  unsigned storage;
  int alias = -1;
  bool mayOverwrite = false; ///< within the step already: it is donated
};

/// The storages of one carried value: before, at the beginning and at the end
/// of an iteration, and behind the loop.
struct CarriedValue {
  unsigned init, carried, next, result;
};

/// Instructions `begin` to `end`, which run once per iteration.
struct Loop {
  int64_t begin, end;
  std::vector<CarriedValue> values;
  bool takesTurns = false; ///< a segment of a pipeline's stage
};

/// Loops that run turn by turn: the instructions from the first one's begin to
/// the last one's end, and (loop, iteration) in the order of the turns.
struct Turns {
  int64_t first = -1, last = -1;
  std::vector<std::pair<int64_t, int64_t>> order;
  /// How many turns before its own a receive is started.
  static constexpr int64_t ahead = 1;

  bool any() const { return first >= 0; }
  bool holds(int64_t instruction) const {
    return any() && instruction >= first && instruction <= last;
  }
};

/// By channel: messages that are under way at once.
using SendSlots = std::map<int64_t, int64_t>;

/// Of all programs with turns in the module.
SendSlots findSendSlots(mlir::ModuleOp module);

struct ProgramModel {
  mlir::func::FuncOp function;
  /// The module's kernels by name.
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> kernels;
  std::vector<Storage> storages;
  llvm::DenseMap<mlir::Value, unsigned> storageOf; ///< views share one
  std::vector<Instruction> instructions;
  std::vector<ProgramResult> results;
  std::vector<Loop> loops;
  /// By comm.loop_end the comm.loop_begin, from that on.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> beginOf;
  Turns turns;

  /// The function's arguments come first: argument i has storage i.
  static mlir::FailureOr<ProgramModel> build(mlir::func::FuncOp function,
                                             const SendSlots &sends);

  /// The kernel that `op` calls, or null.
  mlir::func::FuncOp calledKernel(mlir::Operation *op) const;

  /// What is added next is within a turn, or in a loop within one.
  bool isInTurn() const {
    return llvm::any_of(loops, [](const Loop &loop) {
      return loop.end < 0 && loop.takesTurns;
    });
  }

  /// Appends a storage that only instruction `definition` writes.
  unsigned addStorage(int64_t bytes, mlir::Location loc, int64_t definition);
};

/// Where every storage lies. `root[s]` is the storage whose range s shares.
struct Placement {
  std::vector<unsigned> root;
  std::vector<int64_t> offset;                   ///< by root
  std::vector<std::pair<int64_t, int64_t>> live; ///< by root, instructions
  std::vector<bool> resident;                    ///< by root
  int64_t residentBytes = 0, arenaBytes = 0, arenaBound = 0;
  unsigned inPlaceResults = 0, copiedResults = 0;

  /// From one slot to the next.
  static int64_t strideOf(const Storage &storage);
  /// All slots.
  static int64_t bytesOf(const Storage &storage) {
    return (storage.slots - 1) * strideOf(storage) + storage.bytes;
  }
};

/// Marks what turns hand to each other, with the slots that their order needs.
void findTurnStorages(ProgramModel &model, const SendSlots &sends);

/// Sets the class of every storage.
void classifyStorages(ProgramModel &model);

/// What a buffer is used for: classes, each from an instruction on; empty for
/// one that is of no class all the time.
using BufferClasses =
    llvm::SmallVector<std::pair<planir::MemoryClass, int64_t>, 1>;
/// By root. An argument's range keeps its class, whatever result takes it.
std::vector<BufferClasses> classesOfBuffers(const ProgramModel &model,
                                            const Placement &placement);

/// Chooses ranges; appends copies of results to `model` where a result would
/// otherwise be overwritten when steps are chained.
mlir::FailureOr<Placement> placeBuffers(ProgramModel &model);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_PROGRAMMODEL_H
