// RUN: not partopt-opt %s '-partopt-set-mesh=mesh=data=4' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not partopt-opt %s '-partopt-set-mesh=mesh=model=4,data=2' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not partopt-opt %s '-partopt-set-mesh=mesh=data' 2>&1 | FileCheck %s --check-prefix=NO-SIZE
// RUN: not partopt-opt %s '-partopt-set-mesh=mesh=data=0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not partopt-opt %s '-partopt-set-mesh=mesh==2' 2>&1 | FileCheck %s --check-prefix=NO-NAME
// RUN: not partopt-opt %s '-partopt-set-mesh=mesh=data=2,data=4' 2>&1 | FileCheck %s --check-prefix=TWICE

// The mesh of the command line must be one, and must be the file's.

// OTHER: set-mesh-invalid.mlir:[[@LINE+2]]:1: error: --mesh data=4 does not agree with the file's mesh @mesh = #sdy.mesh<["data"=2, "model"=4]>; leave --mesh out or export the model for it
// ORDER: error: --mesh model=4,data=2 does not agree with the file's mesh
sdy.mesh @mesh = <["data"=2, "model"=4]>

// NO-SIZE: error: --mesh 'data': expected NAME=SIZE with a size of at least 1, got 'data'; write for example data=2,model=4
// ZERO: error: --mesh 'data=0': expected NAME=SIZE with a size of at least 1, got 'data=0'
// NO-NAME: error: --mesh '=2': expected NAME=SIZE with a size of at least 1, got '=2'
// TWICE: error: --mesh 'data=2,data=4': mesh has two axes named "data"
