// RUN: partopt-opt %s -split-input-file '-partopt-set-mesh=mesh=data=2,model=4' | FileCheck %s
// RUN: partopt-opt %s -split-input-file -partopt-set-mesh | FileCheck %s --check-prefix=ONE-DEVICE

// A module without a mesh gets the one that the user named, before everything.
// CHECK: module {
// CHECK-NEXT: sdy.mesh @mesh = <["data"=2, "model"=4]>
// One device is a mesh without axes.
// ONE-DEVICE: module {
// ONE-DEVICE-NEXT: sdy.mesh @mesh = <[]>
func.func @main() {
  return
}

// -----

// A mesh that agrees stays as it is; special meshes do not count.
// CHECK: module {
// CHECK-NEXT: sdy.mesh @empty_mesh = <[]>
// CHECK-NEXT: sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
// CHECK-NEXT: sdy.mesh @m = <["data"=2, "model"=4]>
// CHECK-NEXT: func
// ONE-DEVICE: sdy.mesh @m = <["data"=2, "model"=4]>
sdy.mesh @empty_mesh = <[]>
sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
sdy.mesh @m = <["data"=2, "model"=4]>
func.func @main() {
  return
}

// -----

// The name @mesh may be taken.
// CHECK: sdy.mesh @mesh_0 = <["data"=2, "model"=4]>
// ONE-DEVICE: sdy.mesh @mesh_0 = <[]>
func.func private @mesh()
