// The first stage: from a model file to one flat function whose arguments have
// names, roles and, where its uses tell, bounds of integers.
//
// Exit contract: the module holds one public function with a body, the entry,
// and the meshes; the entry calls nothing; every shape is static; arguments
// carry `partopt.name` and `partopt.role`, those that go around also
// `partopt.next_result`, integers that select rows `partopt.int_bound`; results
// `partopt.name`, the loss `partopt.loss`.

#ifndef PARTOPT_IMPORT_IMPORT_H
#define PARTOPT_IMPORT_IMPORT_H

#include "partopt/Support/ArgumentRole.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace partopt {

/// Attributes that the stage leaves.
inline constexpr llvm::StringLiteral kNameAttr = "partopt.name";
inline constexpr llvm::StringLiteral kLossAttr = "partopt.loss";
/// How the role was found, in words.
inline constexpr llvm::StringLiteral kRoleReasonAttr = "partopt.role_reason";
/// What else is known of an argument, in words.
inline constexpr llvm::StringLiteral kNoteAttr = "partopt.note";
/// On the module: a dictionary per layer of the model.
inline constexpr llvm::StringLiteral kLayersAttr = "partopt.layers";
/// On an integer argument: sensible values are in [0, bound).
inline constexpr llvm::StringLiteral kIntBoundAttr = "partopt.int_bound";

struct ImportOptions {
  /// Symbol name of the function to compile.
  std::string entry = "main";
  /// `data=2,model=4`, outermost first; empty: the file's own mesh.
  std::string mesh;
  /// `REGEX=role` each; the first that matches an argument's name wins.
  std::vector<std::string> roles;
  /// `ARG=RESULT` or `ARG=none` each, by name or as argN and outN.
  std::vector<std::string> carries;
  /// The loss, by name or as outN; empty: it is found.
  std::string loss;
  /// `REGEX=NAME` each; the first that matches a parameter's name wins.
  std::vector<std::string> layers;
  /// Drop every mesh and sharding: the program of one device.
  bool unpartitioned = false;
};

/// Adds the whole stage to `pm`, which runs on the module.
void buildImportPipeline(mlir::OpPassManager &pm, const ImportOptions &options);

/// Reads and parses `path` (see readSource). On failure null; the reason has
/// gone to the context's diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> loadModule(mlir::MLIRContext *context,
                                             llvm::StringRef path);

/// The same for a file's content that has been read already.
mlir::OwningOpRef<mlir::ModuleOp> parseModelText(llvm::StringRef data,
                                                 llvm::StringRef name,
                                                 mlir::MLIRContext *context);

/// Registers the passes by name and the pipeline `partopt-import`.
void registerImportPasses();

#define GEN_PASS_DECL
#include "partopt/Import/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_IMPORT_IMPORT_H
