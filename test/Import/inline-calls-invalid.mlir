// RUN: partopt-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -partopt-inline-calls

// Calls that cannot be inlined.

// expected-error@+1 {{the module has no function @main}}
module {
}

// -----

func.func @main() {
  // expected-note@+1 {{call in @main}}
  call @f() : () -> ()
  return
}
func.func private @f() {
  // expected-note@+1 {{call in @f}}
  call @g() : () -> ()
  return
}
func.func private @g() {
  // expected-error@+2 {{calls @f recursively, which is not supported}}
  // expected-note@+1 {{call in @g}}
  call @f() : () -> ()
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{calls @f, which has no body}}
  call @f() : () -> ()
  return
}
func.func private @f()

// -----

func.func @main() {
  // expected-error@+1 {{calls @f, which has 2 blocks, but control flow between blocks is not supported}}
  call @f() : () -> ()
  return
}
func.func private @f() {
  "test.branch"()[^next] : () -> ()
^next:
  return
}
