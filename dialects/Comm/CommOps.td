// The collectives, the wait, and the two purely local ops shard and axis_index.

#ifndef PARTOPT_COMM_OPS
#define PARTOPT_COMM_OPS

include "dialects/Comm/CommBase.td"
include "dialects/Comm/CommInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Comm_Tensor : Type<
    CPred<"::llvm::isa<::mlir::RankedTensorType>($_self) && "
          "::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">,
    "statically shaped tensor">;
def Comm_Result : Type<
    Or<[Comm_Tensor.predicate, CPred<"::llvm::isa<::partopt::comm::PendingType>($_self)">]>,
    "statically shaped tensor or !comm.pending of one">;

class Comm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Comm_Dialect, mnemonic, traits>;

class Comm_Collective<string mnemonic, list<Trait> traits = [],
                      list<string> methods = []>
    : Comm_Op<mnemonic, traits # [Pure, DeclareOpInterfaceMethods<
        Comm_CollectiveOpInterface, ["getPayloadBytes"] # methods>]> {
  let hasVerifier = 1;
}

def Comm_AllReduceOp : Comm_Collective<"all_reduce"> {
  let summary = "Combines every operand over the group; all members get the result";
  let description = [{
    Variadic so that a bucket of gradients is one collective.
    ```mlir
    %r:2 = comm.all_reduce {"data"=8} sum %a, %b
        : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Comm_AxesAttr:$axes, Comm_CombinerAttr:$combiner,
                       Variadic<Comm_Tensor>:$operands);
  let results = (outs Variadic<Comm_Result>:$results);
  let assemblyFormat = [{
    custom<Axes>($axes) `` $combiner $operands attr-dict `:` functional-type($operands, $results)
  }];
}

def Comm_AllGatherOp : Comm_Collective<"all_gather", [], ["isContiguous"]> {
  let summary = "Concatenates the members' operands along a dimension";
  let arguments = (ins Comm_AxesAttr:$axes, I64Attr:$dim, Variadic<Comm_Tensor>:$operands);
  let results = (outs Variadic<Comm_Result>:$results);
  let assemblyFormat = [{
    custom<Axes>($axes) `dim` `=` $dim $operands attr-dict `:` functional-type($operands, $results)
  }];
}

def Comm_ReduceScatterOp : Comm_Collective<"reduce_scatter", [], ["isContiguous"]> {
  let summary = "Combines over the group and leaves member i the i-th part of a dimension";
  let arguments = (ins Comm_AxesAttr:$axes, Comm_CombinerAttr:$combiner, I64Attr:$dim,
                       Variadic<Comm_Tensor>:$operands);
  let results = (outs Variadic<Comm_Result>:$results);
  let assemblyFormat = [{
    custom<Axes>($axes) `` $combiner `dim` `=` $dim $operands attr-dict `:`
    functional-type($operands, $results)
  }];
}

def Comm_AllToAllOp : Comm_Collective<"all_to_all", [], ["isContiguous"]> {
  let summary = "Member i's j-th part of split_dim goes to member j's i-th part of concat_dim";
  let arguments = (ins Comm_AxesAttr:$axes, I64Attr:$splitDim, I64Attr:$concatDim,
                       Comm_Tensor:$operand);
  let results = (outs Comm_Result:$result);
  let assemblyFormat = [{
    custom<Axes>($axes) `split_dim` `=` $splitDim `concat_dim` `=` $concatDim $operand attr-dict
    `:` functional-type($operand, $result)
  }];
}

def Comm_PermuteOp : Comm_Collective<"permute"> {
  let summary = "Member i sends its operand to member permutation[i]";
  let arguments = (ins Comm_AxesAttr:$axes, DenseI64ArrayAttr:$permutation, Comm_Tensor:$operand);
  let results = (outs Comm_Result:$result);
  let assemblyFormat = [{
    custom<Axes>($axes) `to` `=` $permutation $operand attr-dict `:`
    functional-type($operand, $result)
  }];
}

def Comm_BroadcastOp : Comm_Collective<"broadcast"> {
  let summary = "Every member gets member root's operand";
  let arguments = (ins Comm_AxesAttr:$axes, I64Attr:$root, Comm_Tensor:$operand);
  let results = (outs Comm_Result:$result);
  let assemblyFormat = [{
    custom<Axes>($axes) `root` `=` $root $operand attr-dict `:`
    functional-type($operand, $result)
  }];
}

def Comm_SendOp : Comm_Op<"send"> {
  let summary = "Values for one other member of the group";
  let description = [{
    Member `to` has a comm.recv of the same `channel`, which yields the values.
    Nobody waits: what was sent must not change until it has been received.
    ```mlir
    comm.send {"pipe"=4} to = 1 channel = 3 %x : tensor<4x8xf32>
    %y = comm.recv {"pipe"=4} from = 0 channel = 3 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Comm_AxesAttr:$axes, I64Attr:$to, I64Attr:$channel,
                       Variadic<Comm_Tensor>:$operands);
  let hasVerifier = 1;
  let assemblyFormat = [{
    custom<Axes>($axes) `to` `=` $to `channel` `=` $channel $operands attr-dict `:` type($operands)
  }];
}

def Comm_RecvOp : Comm_Op<"recv"> {
  let summary = "What member `from` of the group has sent over `channel`";
  let arguments = (ins Comm_AxesAttr:$axes, I64Attr:$from, I64Attr:$channel);
  let results = (outs Variadic<Comm_Tensor>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    custom<Axes>($axes) `from` `=` $from `channel` `=` $channel attr-dict `:` type($results)
  }];
}

def Comm_WaitOp : Comm_Op<"wait", [Pure]> {
  let summary = "The values of one started collective";
  let arguments = (ins Variadic<Comm_Pending>:$pending);
  let results = (outs Variadic<Comm_Tensor>:$results);
  let hasVerifier = 1;
  let assemblyFormat = "$pending attr-dict `:` functional-type($pending, $results)";
}

def Comm_AxisIndexOp : Comm_Op<"axis_index", [Pure]> {
  let summary = "This device's index in its group, row-major over the axes";
  let arguments = (ins Comm_AxesAttr:$axes);
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "custom<Axes>($axes) attr-dict `:` type($result)";
}

def Comm_ShardOp : Comm_Op<"shard", [Pure]> {
  let summary = "This device's part of a dimension; no data moves between devices";
  let description = [{
    The dimension is ceil-split: the result has ceil(size / group) rows, the
    last members' rows past the end hold unspecified padding.
  }];
  let arguments = (ins Comm_AxesAttr:$axes, I64Attr:$dim, Comm_Tensor:$operand);
  let results = (outs Comm_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    custom<Axes>($axes) `dim` `=` $dim $operand attr-dict `:` functional-type($operand, $result)
  }];
}

def Comm_LoopBeginOp : Comm_Op<"loop_begin"> {
  let summary = "What follows, up to loop_end, runs once per iteration of an axis in time";
  let description = [{
    A flat loop: its body are the ops between the two, in the same block, with
    whole loops among them.  `index` is the iteration, from 0;
    `carried` holds what the last iteration left (at first: `inits`).

    Values from before the loop may be used in it; of what the body computes,
    only the results of loop_end may be used behind it.
    ```mlir
    %i, %sum = comm.loop_begin "micro" = 4 (%zero) : (tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
    %next = stablehlo.add %sum, %part : tensor<8xf32>
    %total = comm.loop_end (%next) : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$axis, I64Attr:$trips, Variadic<Comm_Tensor>:$inits);
  let results = (outs 0DTensorOf<[I32]>:$index, Variadic<Comm_Tensor>:$carried);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The loop_end of this loop; null where there is none.
    ::partopt::comm::LoopEndOp getEnd();
  }];
  let assemblyFormat = [{
    $axis `=` $trips `(` $inits `)` attr-dict `:` functional-type($inits, results)
  }];
}

def Comm_LoopEndOp : Comm_Op<"loop_end"> {
  let summary = "The end of the loop that the last open loop_begin began";
  let description = [{
    `nexts` are what the next iteration finds as `carried`, and after the last
    one the results.
  }];
  let arguments = (ins Variadic<Comm_Tensor>:$nexts);
  let results = (outs Variadic<Comm_Tensor>:$finals);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The loop_begin of this loop; null where there is none.
    ::partopt::comm::LoopBeginOp getBegin();
  }];
  let assemblyFormat = [{
    `(` $nexts `)` attr-dict `:` functional-type($nexts, $finals)
  }];
}

def Comm_LoopOp : Comm_Op<"loop", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "A loop between loop_begin and loop_end as one op";
  let description = [{
    What moves whole (a ring within a pipeline stage) is one op while ops get their
    places.  Block arguments are the iteration, from 0, and what is carried; values from
    before the loop may be used in it.
    ```mlir
    %total = comm.loop "ring" = 3 (%zero) : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%i: tensor<i32>, %sum: tensor<8xf32>):
      %next = stablehlo.add %sum, %part : tensor<8xf32>
      comm.yield %next : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$axis, I64Attr:$trips, Variadic<Comm_Tensor>:$inits);
  let results = (outs Variadic<Comm_Tensor>:$finals);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $axis `=` $trips `(` $inits `)` attr-dict `:` functional-type($inits, $finals) $body
  }];
}

def Comm_YieldOp : Comm_Op<"yield", [Pure, Terminator, HasParent<"LoopOp">]> {
  let summary = "What the next iteration of comm.loop finds as carried";
  let arguments = (ins Variadic<Comm_Tensor>:$nexts);
  let assemblyFormat = "attr-dict ($nexts^ `:` type($nexts))?";
}

#endif // PARTOPT_COMM_OPS
