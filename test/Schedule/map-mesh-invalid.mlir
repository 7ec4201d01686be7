// A mesh that does not lie on the cluster.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-map-mesh="machine=cluster=h100x8 axis-order=data,data"
// RUN: not partopt-opt %s -split-input-file -partopt-map-mesh="machine=cluster=none" 2>&1 | FileCheck %s
// CHECK: error: cannot be laid on the machine: there is neither a built-in cluster nor a file 'none'

// expected-error@+1 {{cluster 'h100x8' has 8 devices, and the mesh needs 16; give a larger --cluster or a smaller --mesh}}
sdy.mesh @mesh = <["data"=2, "model"=8]>

// -----

// expected-error@+1 {{--axis-order 'data,data': axis 'data' is named twice; write every axis of the mesh once, outermost first, e.g. data,model}}
sdy.mesh @mesh = <["data"=2, "model"=4]>

// -----

// expected-error@+1 {{has device_ids, which place every device already; leave out --axis-order}}
sdy.mesh @mesh = <["data"=2], device_ids=[1, 0]>
