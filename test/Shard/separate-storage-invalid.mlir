// Unknown choices are named.
// RUN: partopt-opt %s --split-input-file --verify-diagnostics --partopt-separate-storage

sdy.mesh @mesh = <["data"=2]>
func.func @override(
    // expected-error @+1 {{partopt.storage_override of argument 0 is "often"; use auto, keep or compute, or one of them by axis}}
    %w: tensor<16xf32> {partopt.role = "param", partopt.storage_override = "often", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["data"=2]>
func.func @axis(
    // expected-error @+1 {{partopt.storage_override of argument 0 names axis "model", which the mesh does not have}}
    %w: tensor<16xf32> {partopt.role = "param", partopt.storage_override = {model = "keep"}, sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  return
}
