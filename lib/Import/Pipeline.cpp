// The order of the import passes.

#include "partopt/Import/Import.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace partopt {

#define GEN_PASS_REGISTRATION
#include "partopt/Import/Passes.h.inc"

void buildImportPipeline(mlir::OpPassManager &pm,
                         const ImportOptions &options) {
  // A mesh from the command line means nothing for one device.
  if (options.unpartitioned)
    pm.addPass(createDropShardingsPass());
  // The mesh comes first: the checks speak of the module as it will be.
  pm.addPass(createSetMeshPass(SetMeshPassOptions{options.mesh}));
  // Before inlining, so that refusals name the function that the user wrote.
  pm.addPass(createVerifyInputPass(VerifyInputPassOptions{options.entry}));
  pm.addPass(createInlineCallsPass(InlineCallsPassOptions{options.entry}));
  // Roles, shardings and reductions are found layer by layer.
  pm.addPass(createUnrollLoopsPass());
  pm.addPass(createSplitBarriersPass());
  pm.addPass(createForwardUpdatesPass());
  // What the statistics are sums of decides roles and shardings alike.
  pm.addPass(createExpandBatchNormPass());
  // Uses can only be followed through inlined calls.
  AssignRolesPassOptions roles;
  roles.entry = options.entry;
  roles.roles = options.roles;
  roles.carries = options.carries;
  roles.loss = options.loss;
  pm.addPass(createAssignRolesPass(roles));
  // Roles tell parameters from what they meet.
  FindLayersPassOptions layers;
  layers.entry = options.entry;
  layers.layers = options.layers;
  pm.addPass(createFindLayersPass(layers));
  pm.addPass(createBoundIntegersPass(BoundIntegersPassOptions{options.entry}));
}

namespace {
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> entry{*this, "entry", llvm::cl::init("main")};
  Option<std::string> mesh{*this, "mesh"};
  ListOption<std::string> roles{*this, "roles"};
  ListOption<std::string> carries{*this, "carries"};
  Option<std::string> loss{*this, "loss"};
  ListOption<std::string> layers{*this, "layers"};
};
} // namespace

void registerImportPasses() {
  registerPartoptImportPasses();
  mlir::PassPipelineRegistration<PipelineOptions>(
      "partopt-import", "From a model as exported to a flat entry with roles",
      [](mlir::OpPassManager &pm, const PipelineOptions &options) {
        ImportOptions import;
        import.entry = options.entry;
        import.mesh = options.mesh;
        import.roles.assign(options.roles.begin(), options.roles.end());
        import.carries.assign(options.carries.begin(), options.carries.end());
        import.loss = options.loss;
        import.layers.assign(options.layers.begin(), options.layers.end());
        buildImportPipeline(pm, import);
      });
}

} // namespace partopt
