// What the verifiers of the plan dialect refuse: collectives, one case per branch.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// A collective of a type without a size.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{cannot move 'index'}}
  %e = plan.collective_start all_reduce sum index over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// Operands, results and counts that differ in number.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{has 1 operands, 1 results and 2 counts}}
  %e = plan.collective_start all_reduce sum f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16, 16] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A reduction without a combiner.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{all_reduce with combiner none}}
  %e = plan.collective_start all_reduce none f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A gather with a combiner.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{all_gather with combiner sum}}
  %e = plan.collective_start all_gather sum f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [4] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A scatter that does not divide.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{splits 6 elements in groups of 4}}
  %e = plan.collective_start reduce_scatter sum f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [6] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// An operand past its buffer.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{operand takes 128 bytes, its buffer has 64}}
  %e = plan.collective_start all_reduce sum f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [32] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A result past its buffer.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{result takes 128 bytes, its buffer has 64}}
  %e = plan.collective_start all_gather none f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [8] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A permutation of another size than the group.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{permute in groups of 4 needs as many targets, got 0}}
  %e = plan.collective_start permute none f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 0
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A permutation that uses a target twice.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{permutation target 1 is out of range or used twice}}
  %e = plan.collective_start permute none f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 0 {permutation = array<i64: 1, 1, 2, 3>}
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A broadcast from outside the group.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{needs a root within the group}}
  %e = plan.collective_start broadcast none f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 0 {root = 4 : i64}
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A stream that the program lacks.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{runs on stream 1 of 1}}
  %e = plan.collective_start all_reduce sum f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 1
  plan.wait %e
  plan.return arguments() results() aliases []
}

// -----

// A collective that nothing waits for.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{needs exactly one plan.wait, has 0}}
  %e = plan.collective_start all_reduce sum f32 over [#plan.axis_ref<"data" (1)4>] reads(%a) writes(%b)
    counts [16] id 0 stream 0
  plan.return arguments() results() aliases []
}
