// Where the layers of the model lie in the chain of forward ops.

#ifndef PARTOPT_LIB_STAGE_LAYERPLACES_H
#define PARTOPT_LIB_STAGE_LAYERPLACES_H

#include "PipelineBody.h"

#include "llvm/ADT/StringMap.h"

#include <string>

namespace partopt {

/// Reads `partopt.layer` and `partopt.name` of parameters. A row of a parameter
/// that layers are stacked in (`layers.*`) is known by the slice that takes it.
/// Linear in the ops in front of the loop and the readers of parameters.
class LayerPlaces {
public:
  LayerPlaces(mlir::func::FuncOp func, const PipelineBody &body);

  struct Place {
    std::string name;
    int64_t first = 0; ///< position of the first forward op that reads it
    int64_t last = 0;  ///< of the last
  };
  /// By first position. Those that have tied parameters reach over others.
  llvm::SmallVector<Place, 0> layers, parameters;

  /// The layers with a number in their names, or all where none has one: those
  /// that stages are counted in.
  llvm::SmallVector<Place, 0> numbered() const;

  /// The places, first and last, where a stage may begin whose first parameter
  /// is read at `first`: behind every earlier reader of a parameter.
  std::pair<int64_t, int64_t> beginsFor(int64_t first) const;
  /// The same for a stage that has what is behind `layer` alone.
  std::pair<int64_t, int64_t> beginsBehind(const Place &layer) const;

  /// What a stage that begins at `position` begins with: "layers.2",
  /// "within layers.2", "behind layers.7"; empty where no layer is known.
  std::string nameAt(int64_t position) const;

private:
  void read(mlir::func::FuncOp func, mlir::BlockArgument argument,
            const PipelineBody &body);
  static void add(llvm::SmallVectorImpl<Place> &places,
                  llvm::StringMap<unsigned> &index, llvm::StringRef name,
                  int64_t at);

  /// By name, while they are found.
  llvm::StringMap<unsigned> layerIndex, parameterIndex;
  /// Positions that read a parameter, each once, ascending.
  llvm::SmallVector<int64_t, 0> reads;
  int64_t length = 0;
};

/// The row of dimension 0 that the op takes of its operand, or -1.
int64_t rowTakenBy(mlir::Operation *op);

/// At most a dozen of the names, the middle left out.
std::string namesOf(llvm::ArrayRef<LayerPlaces::Place> places);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_LAYERPLACES_H
