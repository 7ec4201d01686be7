// The layers of a model: which parameters, optimizer state and forward ops
// belong together. Found from structure, named by the arguments' names.

#ifndef PARTOPT_ANALYSIS_LAYERS_H
#define PARTOPT_ANALYSIS_LAYERS_H

#include "partopt/Analysis/TrainingStep.h"

#include <optional>
#include <string>
#include <vector>

namespace partopt {

/// On an argument: the layer that it belongs to. Given by the user it decides.
inline constexpr llvm::StringLiteral kLayerAttr = "partopt.layer";
/// Stands for the number of the row in the layer of a stack: "layers.*".
inline constexpr llvm::StringLiteral kEveryRow = "*";

/// A parameter, or one row of dimension 0 of a parameter that the forward part
/// only reads row by row (a scan over stacked layers, written out).
struct ParameterPiece {
  unsigned argument = 0;
  int64_t row = -1; ///< -1: the whole parameter
};

struct Layer {
  std::string name;
  /// One of several with the same ops on parameters of the same shapes.
  bool isRepeated = false;
  std::vector<ParameterPiece> parameters; ///< in the order of their first use
  int64_t bytes = 0;                      ///< of the parameters, global
  /// Forward ops without constants and what is made of them alone, and their
  /// arithmetic on global shapes (see opFlops).
  int64_t forwardOps = 0, flops = 0;
  /// What the user should know: that names say otherwise. Empty: nothing.
  std::string note;
};

/// What is said of an argument beside its role; any of these.
struct ArgumentFacts {
  /// The layers that read it forward (a parameter, state), or that its
  /// parameter belongs to (optimizer state). The first one owns it.
  std::vector<unsigned> layers;
  bool isStacked = false; ///< each of its rows belongs to a layer
  bool isUnused = false;  ///< no result but its own next value needs it
  bool isFrozen = false;  ///< a parameter of a training step without gradient
  bool isTied = false;    ///< a parameter that several layers read
  bool isCounter = false; ///< a whole number that only depends on itself
};

/// Reads a function of one block whose arguments have `partopt.role`.
///
/// Parameters in the order in which the forward part first reads them are a
/// sequence; equal types read by equal ops are equal elements. Stretches of it
/// that repeat, each copy depending on the one before, are layers. Between and
/// around them parameters are grouped by the first numbered part of their
/// names, else they are one unit per stretch. Arguments with `partopt.layer`
/// are put where it says. O(n log n) in the ops; deterministic.
class Layers {
public:
  Layers(mlir::func::FuncOp func, const TrainingStep &step);

  llvm::ArrayRef<Layer> all() const { return layers; }
  const ArgumentFacts &factsOf(unsigned argument) const {
    return facts[argument];
  }
  /// The text of `partopt.layer` for an argument; empty where it has none.
  std::string layerText(unsigned argument) const;
  /// The layer of a forward op; nothing for others, and where there is no
  /// layer.
  std::optional<unsigned> layerOf(mlir::Operation *op) const;

private:
  friend class LayerFinder;
  std::vector<Layer> layers; ///< in forward order
  std::vector<ArgumentFacts> facts;
  llvm::DenseMap<mlir::Operation *, unsigned> ofOp;
};

/// Operations of one op on the shapes it has: 2 per multiply-add of products
/// and convolutions, one per element of elementwise results and of reduced
/// operands; moving data counts nothing.
int64_t opFlops(mlir::Operation *op);

/// Copies of a stretch of `period` elements behind each other.
struct Repeat {
  unsigned begin = 0, period = 0, copies = 0;
  /// By how much it can be shifted: the elements behind it repeat too.
  unsigned slack = 0;
  unsigned end() const { return begin + period * copies; }
};

/// The repeat that covers most of `keys[first, last)`, of equal ones the one
/// with the shortest period, the earliest of its rotations; nothing where none
/// has two copies. `chained` says how many copies of a candidate, from the
/// first on, follow on each other; those behind are left out. O(n log n).
std::optional<Repeat>
findRepeat(llvm::ArrayRef<unsigned> keys, unsigned first, unsigned last,
           llvm::function_ref<unsigned(const Repeat &)> chained);

/// The words of an argument's name up to its first numbered one, as
/// "layers.0" of `params['layers'][0]['wq']`; empty where no word is numbered.
std::string numberedPart(llvm::StringRef name);

/// The first word behind a leading one like "params": "lnf" of
/// `params['lnf']['b']`; empty where there is no other.
std::string firstWord(llvm::StringRef name);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_LAYERS_H
