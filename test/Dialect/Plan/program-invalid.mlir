// What the verifiers of the plan dialect refuse: programs and buffers, one case per branch.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// Block arguments.
// expected-error@+1 {{takes no block arguments}}
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
^bb0(%a: !plan.buffer):
  plan.return arguments() results() aliases []
}

// -----

// A mesh that is not made of axes.
// expected-error@+1 {{mesh must list #plan.axis, got 1}}
plan.program @p mesh [1]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  plan.return arguments() results() aliases []
}

// -----

// Arguments that are not tensors.
// expected-error@+1 {{arguments must list #plan.tensor, got 1}}
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [1], results = []} {
  plan.return arguments() results() aliases []
}

// -----

// Results that are not tensors.
// expected-error@+1 {{results must list #plan.tensor, got 1}}
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = [1]} {
  plan.return arguments() results() aliases []
}

// -----

// An axis named twice.
// expected-error@+1 {{mesh names axis "data" twice}}
plan.program @p mesh [#plan.axis<"data" = 4>, #plan.axis<"data" = 2>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  plan.return arguments() results() aliases []
}

// -----

// A loss that is no result.
// expected-error@+1 {{loss_result 2 of 0 results}}
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = [], loss_result = 2 : i64} {
  plan.return arguments() results() aliases []
}

// -----

// An operation that is no instruction.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{is not part of a plan.program}}
  %c = builtin.unrealized_conversion_cast to i32
  plan.return arguments() results() aliases []
}

// -----

// A buffer after an instruction.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  plan.copy %a to %b
  // expected-error@+1 {{must come before the first instruction}}
  %c = plan.buffer arena[128 : 64] live [0, 0]
  plan.return arguments() results() aliases []
}

// -----

// A buffer outside its region.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{ends at byte 320, past the arena region of 256}}
  %c = plan.buffer arena[192 : 128] live [0, 0]
  plan.return arguments() results() aliases []
}

// -----

// A lifetime past the program.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{is live until instruction 3, the program has 1}}
  %a = plan.buffer arena[0 : 64] live [0, 3]
  plan.launch @k reads() writes(%a)
  plan.return arguments() results() aliases []
}

// -----

// An offset that is not aligned.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{has offset 32, expected a multiple of 64}}
  %a = plan.buffer arena[32 : 64] live [0, 0]
  plan.return arguments() results() aliases []
}

// -----

// A negative offset.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{has offset -64, expected a multiple of 64}}
  %a = plan.buffer arena[-64 : 64] live [0, 0]
  plan.return arguments() results() aliases []
}

// -----

// A negative size.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{has negative size}}
  %a = plan.buffer arena[0 : -1] live [0, 0]
  plan.return arguments() results() aliases []
}

// -----

// A lifetime that ends before it begins.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  // expected-error@+1 {{has the lifetime [2, 1]}}
  %a = plan.buffer arena[0 : 64] live [2, 1]
  plan.return arguments() results() aliases []
}

// -----

// A return that binds too little.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>]} {
  // expected-error@+1 {{binds 0 arguments and 0 results, the program has 0 and 1}}
  plan.return arguments() results() aliases []
}

// -----

// A return without aliases.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>]} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{has 0 aliases for 1 results}}
  plan.return arguments() results(%a) aliases []
}

// -----

// An alias of no argument.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>], results = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>]} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{result 0 aliases argument 1 of 1}}
  plan.return arguments(%a) results(%b) aliases [1]
}

// -----

// Two results that alias one argument.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>], results = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>, #plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>]} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{two results alias argument 0, the second is 1}}
  plan.return arguments(%a) results(%b, %b) aliases [0, 0]
}

// -----

// A tensor bound to a buffer of another size.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [#plan.tensor<name = "w", index = "arg0", local = tensor<16xf32>, global = tensor<16xf32>>], results = []} {
  %a = plan.buffer arena[0 : 32] live [0, 0]
  // expected-error@+1 {{to a buffer of 32 bytes}}
  plan.return arguments(%a) results() aliases []
}
