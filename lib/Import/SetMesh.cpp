// Brings the mesh from the command line and the file's together.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_SETMESHPASS
#include "partopt/Import/Passes.h.inc"

namespace {

// Parses `data=2,model=4`; on failure emits an error at `loc`.
FailureOr<sdy::MeshAttr> parseMesh(StringRef text, Location loc) {
  SmallVector<sdy::MeshAxisAttr> axes;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, digits] = part.split('=');
    int64_t size;
    if (name.trim().empty() || digits.trim().getAsInteger(10, size) || size < 1)
      return emitError(loc) << "--mesh '" << text << "': expected NAME=SIZE "
                            << "with a size of at least 1, got '" << part
                            << "'; write for example data=2,model=4";
    axes.push_back(sdy::MeshAxisAttr::get(loc.getContext(), name.trim(), size));
  }
  auto fail = [&] { return emitError(loc) << "--mesh '" << text << "': "; };
  if (failed(sdy::MeshAttr::verify(fail, axes, {})))
    return failure();
  return sdy::MeshAttr::get(loc.getContext(), axes);
}

void addMesh(ModuleOp module, sdy::MeshAttr mesh) {
  SymbolTable symbols(module);
  OpBuilder builder(module.getContext());
  symbols.insert(builder.create<sdy::MeshOp>(module.getLoc(), "mesh", mesh),
                 module.getBody()->begin());
}

struct SetMeshPass : impl::SetMeshPassBase<SetMeshPass> {
  using SetMeshPassBase::SetMeshPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    sdy::MeshOp found = sdy::getMainMesh(module);
    if (mesh.empty()) {
      // One device is a mesh without axes, so that no stage has to ask.
      if (!found && !module.lookupSymbol<sdy::MeshOp>("mesh"))
        addMesh(module, sdy::MeshAttr::get(&getContext(), {}));
      return;
    }
    FailureOr<sdy::MeshAttr> wanted = parseMesh(mesh, module.getLoc());
    if (failed(wanted))
      return signalPassFailure();
    if (!found)
      return addMesh(module, *wanted);
    if (found.getMesh().getAxes() != wanted->getAxes()) {
      found.emitError() << "--mesh " << mesh << " does not agree with the "
                        << "file's mesh @" << found.getSymName() << " = "
                        << found.getMesh()
                        << "; leave --mesh out or export the model for it";
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace partopt
