// What the verifiers of the plan dialect refuse: attributes, one case per branch.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// A mesh axis without a name.
// expected-error@+1 {{a mesh axis needs a name}}
#a = #plan.axis<"" = 4>

// -----

// A mesh axis of size 0.
// expected-error@+1 {{axis "data" has size 0, expected at least 1}}
#a = #plan.axis<"data" = 0>

// -----

// A sub-axis of size 0.
// expected-error@+1 {{axis reference "data":(1)0 needs sizes of at least 1}}
#a = #plan.axis_ref<"data" (1)0>

// -----

// A tensor of unknown extent.
// expected-error@+1 {{tensor "w" needs static shapes}}
#t = #plan.tensor<name = "w", index = "arg0", local = tensor<?xf32>, global = tensor<4xf32>>

// -----

// A shard of another type than the tensor.
// expected-error@+1 {{cannot be a shard of}}
#t = #plan.tensor<name = "w", index = "arg0", local = tensor<4xf32>, global = tensor<4xf64>>

// -----

// An element type without a size in memory.
// expected-error@+1 {{buffers cannot hold 'index'}}
#t = #plan.tensor<name = "w", index = "arg0", local = tensor<4xindex>, global = tensor<4xindex>>

// -----

// A sharding of another rank.
// expected-error@+1 {{sharding of 2 dimensions for}}
#t = #plan.tensor<name = "w", index = "arg0", local = tensor<4xf32>, global = tensor<4xf32>, sharding = [[], []]>

// -----

// A sharding that is not made of axes.
// expected-error@+1 {{sharding must list #plan.axis_ref per dimension}}
#t = #plan.tensor<name = "w", index = "arg0", local = tensor<4xf32>, global = tensor<4xf32>, sharding = [[1]]>

// -----

// expected-error@+1 {{tensor "x": bound -1 of its integers is negative}}
#t = #plan.tensor<name = "x", index = "arg0", local = tensor<4xi32>, global = tensor<4xi32>, intBound = -1>
