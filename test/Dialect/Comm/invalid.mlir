// RUN: partopt-opt %s -verify-diagnostics -split-input-file

func.func @axis_twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{axis "x" is named twice over the same part}}
  %r = comm.all_reduce {"x"=2, "x":(1)4} sum %a : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @axis_size(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{axis "x" has pre-size 1 and size 0; both must be at least 1}}
  %r = comm.all_reduce {"x"=0} sum %a : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @gather_shape(%a: tensor<2x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{result 0 is 'tensor<4x4xf32>', but a group of 4 makes 'tensor<8x4xf32>' from 'tensor<2x4xf32>'}}
  %r = comm.all_gather {"x"=4} dim = 0 %a : (tensor<2x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @gather_dim(%a: tensor<2x4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{dimension 2 is not a dimension of 'tensor<2x4xf32>'}}
  %r = comm.all_gather {"x"=4} dim = 2 %a : (tensor<2x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

func.func @scatter_uneven(%a: tensor<7x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{dimension 0 of 'tensor<7x4xf32>' does not divide by the group's 4}}
  %r = comm.reduce_scatter {"x"=4} sum dim = 0 %a : (tensor<7x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

func.func @count(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has 2 operands but 1 results; each operand needs one result}}
  %r = comm.all_reduce {"x"=2} sum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @bucket_types(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{mixes element types 'f32' and 'i32'; a bucket has one}}
  %r:2 = comm.all_reduce {"x"=2} sum %a, %b : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @half_started(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{mixes started and finished results: 1 of 2 are !comm.pending}}
  %r:2 = comm.all_reduce {"x"=2} sum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, !comm.pending<tensor<4xf32>>)
  return
}

// -----

func.func @permute_twice(%a: tensor<4xf32>) {
  // expected-error@+1 {{target 1 is out of range or named twice in a group of 3}}
  %r = comm.permute {"x"=3} to = [1, 1, 0] %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @permute_few(%a: tensor<4xf32>) {
  // expected-error@+1 {{names 2 targets for a group of 3}}
  %r = comm.permute {"x"=3} to = [1, 0] %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @root(%a: tensor<4xf32>) {
  // expected-error@+1 {{root 3 is not in a group of 3}}
  %r = comm.broadcast {"x"=3} root = 3 %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @wait_type(%a: !comm.pending<tensor<4xf32>>) {
  // expected-error@+1 {{waits for 'tensor<4xf32>' but yields 'tensor<5xf32>'}}
  %r = comm.wait %a : (!comm.pending<tensor<4xf32>>) -> tensor<5xf32>
  return
}

// -----

func.func @wait_count(%a: !comm.pending<tensor<4xf32>>) {
  // expected-error@+1 {{waits for 1 values but has 2 results}}
  %r:2 = comm.wait %a : (!comm.pending<tensor<4xf32>>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @wait_two(%a: tensor<4xf32>) {
  %s = comm.all_reduce {"x"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  %t = comm.all_reduce {"x"=2} max %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  // expected-error@+1 {{waits for two collectives; each has its own wait}}
  %r:2 = comm.wait %s, %t : (!comm.pending<tensor<4xf32>>, !comm.pending<tensor<4xf32>>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @shard_shape(%a: tensor<7xf32>) {
  // expected-error@+1 {{result is 'tensor<1xf32>', but a group of 4 makes 'tensor<2xf32>' from 'tensor<7xf32>'}}
  %r = comm.shard {"x"=4} dim = 0 %a : (tensor<7xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @shard_dim(%a: tensor<7xf32>) {
  // expected-error@+1 {{dimension 1 is not a dimension of 'tensor<7xf32>'}}
  %r = comm.shard {"x"=4} dim = 1 %a : (tensor<7xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loop_trips(%a: tensor<4xf32>) {
  // expected-error@+1 {{runs 0 times, expected at least 1}}
  %i, %c = comm.loop_begin "micro" = 0 (%a) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %r = comm.loop_end (%c) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @loop_carried(%a: tensor<4xf32>) {
  // expected-error@+1 {{carries values of other types than it starts with}}
  %i, %c = comm.loop_begin "micro" = 2 (%a) : (tensor<4xf32>) -> (tensor<i32>, tensor<5xf32>)
  %r = comm.loop_end (%c) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @loop_open(%a: tensor<4xf32>) {
  // expected-error@+1 {{has no comm.loop_end}}
  %i, %c = comm.loop_begin "micro" = 2 (%a) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return
}

// -----

func.func @loop_end_alone(%a: tensor<4xf32>) {
  // expected-error@+1 {{ends no loop}}
  %r = comm.loop_end (%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @loop_nexts(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  %i, %c = comm.loop_begin "micro" = 2 (%a) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  // expected-error@+1 {{passes on values of other types than comm.loop_begin carries}}
  %r = comm.loop_end (%b) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @send_outside(%a: tensor<4xf32>) {
  // expected-error @below {{names member 4 of a group of 4}}
  comm.send {"pipe"=4} to = 4 channel = 0 %a : tensor<4xf32>
  return
}

// -----

func.func @recv_nothing() {
  // expected-error @below {{moves no value}}
  "comm.recv"() <{axes = #comm.axes<{"pipe"=4}>, channel = 0 : i64, from = 0 : i64}> : () -> ()
  return
}

// -----

func.func @loop_op_never(%a: tensor<4xf32>) {
  // expected-error@+1 {{runs 0 times, expected at least 1}}
  %r = comm.loop "ring" = 0(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>):
    comm.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @loop_op_without_index(%a: tensor<4xf32>) {
  // expected-error@+1 {{has a body that does not take an iteration, tensor<i32>, and what is carried}}
  %r = comm.loop "ring" = 3(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    comm.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @loop_op_yields_other(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{carries values of other types than it starts with}}
  %r = comm.loop "ring" = 3(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>):
    comm.yield %b : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_op_does_not_yield(%a: tensor<4xf32>) {
  // expected-error@+1 {{has a body that does not end in comm.yield}}
  %r = comm.loop "ring" = 3(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>):
    func.return
  }
  return
}
