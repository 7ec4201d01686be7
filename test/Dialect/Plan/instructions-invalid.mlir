// What the verifiers of the plan dialect refuse: instructions, one case per branch.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// A launch without results.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{of k writes nothing}}
  plan.launch @k reads(%a) writes()
  plan.return arguments() results() aliases []
}

// -----

// A product of integers.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{needs f32 or f64, got 'i32'}}
  plan.gemm i32 reads(%a, %a) writes(%b) batch 1 mnk [4, 4, 4] ld [4, 4, 4] stride [16, 16, 16]
  plan.return arguments() results() aliases []
}

// -----

// A product of negative size.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{has a negative size}}
  plan.gemm f32 reads(%a, %a) writes(%b) batch 1 mnk [-4, 4, 4] ld [4, 4, 4] stride [16, 16, 16]
  plan.return arguments() results() aliases []
}

// -----

// A leading dimension below the row.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{B has leading dimension 2 for rows of 4 elements}}
  plan.gemm f32 reads(%a, %a) writes(%b) batch 1 mnk [4, 4, 4] ld [4, 2, 4] stride [16, 16, 16]
  plan.return arguments() results() aliases []
}

// -----

// A product past its buffer.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{A takes 128 bytes, its buffer has 64}}
  plan.gemm f32 reads(%a, %a) writes(%b) batch 1 mnk [8, 4, 4] ld [4, 4, 4] stride [16, 16, 16]
  plan.return arguments() results() aliases []
}

// -----

// A copy between sizes.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 32] live [0, 0]
  // expected-error@+1 {{copies 64 bytes to a buffer of 32}}
  plan.copy %a to %b
  plan.return arguments() results() aliases []
}

// -----

// An axis that the mesh lacks.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{names axis "model", which the mesh does not have}}
  plan.axis_index [#plan.axis_ref<"model" (1)4>] writes(%a)
  plan.return arguments() results() aliases []
}

// -----

// Axes that are no axis references.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{axes must list #plan.axis_ref, got 1}}
  plan.axis_index [1] writes(%a)
  plan.return arguments() results() aliases []
}

// -----

// A sub-axis that does not divide its axis.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{uses (1)3 of axis "data", whose size is 4}}
  plan.axis_index [#plan.axis_ref<"data" (1)3>] writes(%a)
  plan.return arguments() results() aliases []
}

// -----

// An index into a buffer that is not one i32.
plan.program @p mesh [#plan.axis<"data" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 64] live [0, 0]
  // expected-error@+1 {{writes 4 bytes to a buffer of 64}}
  plan.axis_index [#plan.axis_ref<"data" (1)4>] writes(%a)
  plan.return arguments() results() aliases []
}

// -----

// A loop that never runs.
plan.program @p mesh [#plan.axis<"micro" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 32] live [0, 0]
  %i = plan.buffer arena[128 : 4] live [0, 0]
  // expected-error@+1 {{runs 0 times, expected at least 1}}
  plan.loop_begin "micro" = 0 index(%i) reads(%a) writes(%a)
  plan.return arguments() results() aliases []
}

// -----

// The iteration goes to one i32.
plan.program @p mesh [#plan.axis<"micro" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 32] live [0, 0]
  %i = plan.buffer arena[128 : 4] live [0, 0]
  // expected-error@+1 {{writes 4 bytes to a buffer of 64}}
  plan.loop_begin "micro" = 4 index(%a) reads(%b) writes(%b)
  plan.return arguments() results() aliases []
}

// -----

// What a loop copies fits.
plan.program @p mesh [#plan.axis<"micro" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 32] live [0, 0]
  %i = plan.buffer arena[128 : 4] live [0, 0]
  // expected-error@+1 {{copies 64 bytes to a buffer of 32}}
  plan.loop_begin "micro" = 4 index(%i) reads(%a) writes(%b)
  plan.return arguments() results() aliases []
}

// -----

// A value for each carried buffer.
plan.program @p mesh [#plan.axis<"micro" = 4>]
    resident 64 arena 256 peak 320 streams 1 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 0]
  %b = plan.buffer arena[64 : 32] live [0, 0]
  %i = plan.buffer arena[128 : 4] live [0, 0]
  // expected-error@+1 {{has 2 values for 1 carried buffers}}
  plan.loop_end reads(%a, %a) writes(%a)
  plan.return arguments() results() aliases []
}
