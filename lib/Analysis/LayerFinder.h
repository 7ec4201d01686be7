// The search behind Layers.

#ifndef PARTOPT_LIB_ANALYSIS_LAYERFINDER_H
#define PARTOPT_LIB_ANALYSIS_LAYERFINDER_H

#include "partopt/Analysis/Layers.h"

#include <map>

namespace partopt {

class LayerFinder {
public:
  LayerFinder(mlir::func::FuncOp func, const TrainingStep &step,
              Layers &result);
  void run();

private:
  struct Piece {
    ParameterPiece id;
    unsigned key = 0;     ///< equal for equal types that equal ops read
    int64_t firstUse = 0; ///< place of the first op that reads it
    std::vector<mlir::Operation *> reads;
    int64_t bytes = 0;
    bool isMatrix = false; ///< two dimensions or more
    unsigned layer = 0;
  };

  std::string nameOf(unsigned argument);
  void collectOps();
  void collectPieces();
  void addPiece(ParameterPiece id, llvm::ArrayRef<mlir::OpOperand *> reads);
  void readsOf(mlir::Value value,
               llvm::SmallVectorImpl<mlir::OpOperand *> &reads);
  int64_t placeOf(mlir::OpOperand *use);

  unsigned chainedCopies(const Repeat &repeat);
  unsigned bestShift(const Repeat &repeat);
  std::string copyName(const Repeat &repeat, unsigned copy,
                       std::string &others);
  std::string numberedNameOf(const Piece &piece);
  static bool isAlike(mlir::Operation *a, mlir::Operation *b);
  bool ofParameterAlone(mlir::Operation *op);
  int64_t opsInFront(const Repeat &repeat);

  /// Layers of pieces [first, last), in order.
  void segment(unsigned first, unsigned last);
  void repeatedRun(const Repeat &repeat);
  void plainRun(unsigned first, unsigned last);
  std::vector<std::string> groupsOf(unsigned first, unsigned last);
  std::string runName(unsigned first, unsigned last);
  unsigned newLayer(llvm::StringRef name, int64_t start);

  void applyGiven();
  void placeOps();
  void collectReaders();
  void collectFacts(unsigned argument);
  bool isCounter(unsigned argument);
  void stateBelongsTo(unsigned state, unsigned parameter);

  mlir::func::FuncOp func;
  mlir::Block &block;
  const TrainingStep &step;
  Layers &result;
  std::vector<mlir::Operation *> ops; ///< forward, without constants
  llvm::DenseMap<mlir::Operation *, int64_t> place;
  std::vector<Piece> pieces;
  std::vector<unsigned> keys;
  std::map<std::vector<const void *>, unsigned> keyNumber;
  std::vector<int64_t> starts; ///< by layer, place of its first op
  unsigned numUnnamed = 0;
  /// The op behind the last copy of a repeat, where the layer that follows it
  /// starts; -1: not known.
  int64_t behind = -1;
};

} // namespace partopt

#endif // PARTOPT_LIB_ANALYSIS_LAYERFINDER_H
