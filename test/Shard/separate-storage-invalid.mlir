// Unknown choices are named.
// RUN: partopt-opt %s --split-input-file --verify-diagnostics --partopt-separate-storage

sdy.mesh @mesh = <["data"=2]>
func.func @override(
    // expected-error @+1 {{partopt.storage_override of argument 0 is "often"; use auto, keep or compute}}
    %w: tensor<16xf32> {partopt.role = "param", partopt.storage_override = "often", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  return
}
