//===- PlanOps.td - Operations of the plan dialect -----------------------===//

#ifndef PARTOPT_DIALECTS_PLAN_PLANOPS_TD
#define PARTOPT_DIALECTS_PLAN_PLANOPS_TD

include "dialects/Plan/PlanAttrs.td"
include "dialects/Plan/PlanInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Plan_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, opMnemonic, traits>;

/// Instructions share `phase`, `label` and `flops`; all are optional.
class Plan_Instruction<string opMnemonic, list<Trait> traits = []>
    : Plan_Op<opMnemonic, !listconcat([HasParent<"ProgramOp">,
        DeclareOpInterfaceMethods<Plan_InstructionInterface>], traits)> {
  let hasVerifier = 1;
  dag common = (ins OptionalAttr<Plan_PhaseAttr>:$phase,
                    OptionalAttr<StrAttr>:$label, OptionalAttr<I64Attr>:$flops);
}

def Plan_ProgramOp : Plan_Op<"program", [Symbol, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "one entry's program for a class of ranks";
  let description = [{
    Buffers first, then instructions in order, then `plan.return`, which binds
    the arguments and results to buffers. `mesh` lists `#plan.axis`, `arguments`
    and `results` list `#plan.tensor`. Bytes are per rank. `device_ids` gives the
    device at each row-major place of the mesh, where it is not the place itself.

    The program of one rank of a pipeline says which (`pipeline_rank`, along
    `pipeline_axis`), and in which order its segments' iterations run: `turns` are
    pairs of a loop's number and an iteration.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$mesh,
    ArrayAttr:$arguments, ArrayAttr:$results, I64Attr:$resident_bytes,
    I64Attr:$arena_bytes, I64Attr:$peak_bytes, I64Attr:$streams,
    OptionalAttr<I64Attr>:$loss_result,
    OptionalAttr<DenseI64ArrayAttr>:$device_ids,
    OptionalAttr<DenseI64ArrayAttr>:$turns,
    OptionalAttr<I64Attr>:$pipeline_rank, OptionalAttr<StrAttr>:$pipeline_axis);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `mesh` $mesh `resident` $resident_bytes `arena` $arena_bytes
    `peak` $peak_bytes `streams` $streams attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Plan_BufferOp : Plan_Op<"buffer", [HasParent<"ProgramOp">]> {
  let summary = "a static byte range with its lifetime";
  let description = [{
    `live [first, last]` are the indices of the instructions between which the
    contents matter, both inclusive. `holds` lists `#plan.held`; without it the
    buffer is of the class `other`. With `slots` it is that many times as large:
    the turn of iteration i has the bytes at offset + (i % slots) * stride.
  }];
  let arguments = (ins Plan_SpaceAttr:$space, I64Attr:$offset, I64Attr:$bytes,
    I64Attr:$first, I64Attr:$last, OptionalAttr<ArrayAttr>:$holds,
    OptionalAttr<I64Attr>:$slots, OptionalAttr<I64Attr>:$stride);
  let results = (outs Plan_BufferType:$buffer);
  let assemblyFormat = [{
    $space `[` $offset `:` $bytes `]` `live` `[` $first `,` $last `]` attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Instruction<"launch", [AttrSizedOperandSegments]> {
  let summary = "calls a kernel with its inputs, then its outputs";
  let arguments = !con((ins FlatSymbolRefAttr:$kernel,
    Variadic<Plan_BufferType>:$inputs, Variadic<Plan_BufferType>:$outputs),
    common);
  let assemblyFormat = [{
    $kernel `reads` `(` $inputs `)` `writes` `(` $outputs `)` attr-dict
  }];
}

def Plan_GemmOp : Plan_Instruction<"gemm"> {
  let summary = "row-major C[b] = A[b] * B[b] through the backend's BLAS";
  let description = [{
    With `accumulate` C[b] += A[b] * B[b].
    A is m x k, or k x m with `trans_a`; B is k x n, or n x k with `trans_b`.
    Leading dimensions and strides between batch items count elements.
  }];
  let arguments = !con((ins TypeAttr:$type, Plan_BufferType:$a,
    Plan_BufferType:$b, Plan_BufferType:$c, I64Attr:$batch, I64Attr:$m,
    I64Attr:$n, I64Attr:$k, UnitAttr:$trans_a, UnitAttr:$trans_b,
    UnitAttr:$accumulate, I64Attr:$lda, I64Attr:$ldb, I64Attr:$ldc,
    I64Attr:$stride_a, I64Attr:$stride_b, I64Attr:$stride_c), common);
  let assemblyFormat = [{
    $type `reads` `(` $a `,` $b `)` `writes` `(` $c `)`
    `batch` $batch `mnk` `[` $m `,` $n `,` $k `]`
    (`trans_a` $trans_a^)? (`trans_b` $trans_b^)? (`accumulate` $accumulate^)?
    `ld` `[` $lda `,` $ldb `,` $ldc `]`
    `stride` `[` $stride_a `,` $stride_b `,` $stride_c `]` attr-dict
  }];
}

def Plan_CopyOp : Plan_Instruction<"copy"> {
  let summary = "copies a whole buffer";
  let arguments = !con((ins Plan_BufferType:$source, Plan_BufferType:$target),
    common);
  let assemblyFormat = "$source `to` $target attr-dict";
}

def Plan_AxisIndexOp : Plan_Instruction<"axis_index"> {
  let summary = "writes this rank's row-major index along the axes as one i32";
  let arguments = !con((ins ArrayAttr:$axes, Plan_BufferType:$target), common);
  let assemblyFormat = "$axes `writes` `(` $target `)` attr-dict";
}

def Plan_CollectiveStartOp : Plan_Instruction<"collective_start",
    [AttrSizedOperandSegments]> {
  let summary = "starts a collective over the groups that the axes span";
  let description = [{
    `counts[i]` are the elements of operand i. See PlanFormat.fbs for what each
    kind does with them. `id` is the same on all ranks.
  }];
  let arguments = !con((ins Plan_CollectiveKindAttr:$kind,
    Plan_CombinerAttr:$combiner, TypeAttr:$type, ArrayAttr:$axes,
    Variadic<Plan_BufferType>:$inputs, Variadic<Plan_BufferType>:$outputs,
    Optional<Plan_BufferType>:$scratch, DenseI64ArrayAttr:$counts,
    I64Attr:$id, I64Attr:$stream, OptionalAttr<DenseI64ArrayAttr>:$permutation,
    OptionalAttr<I64Attr>:$root, OptionalAttr<StrAttr>:$why), common);
  let results = (outs Plan_EventType:$event);
  let assemblyFormat = [{
    $kind $combiner $type `over` $axes `reads` `(` $inputs `)`
    `writes` `(` $outputs `)` (`scratch` `(` $scratch^ `)`)?
    `counts` $counts `id` $id `stream` $stream attr-dict
  }];
}

def Plan_WaitOp : Plan_Instruction<"wait"> {
  let summary = "waits for a started collective";
  let arguments = !con((ins Plan_EventType:$event), common);
  let assemblyFormat = "$event attr-dict";
  let hasVerifier = 0;
}

def Plan_LoopBeginOp : Plan_Instruction<"loop_begin", [AttrSizedOperandSegments]> {
  let summary = "what follows, up to plan.loop_end, runs once per iteration";
  let description = [{
    `carried` starts as `inits`; `index` takes the iteration as one i32. See
    PlanFormat.fbs.
  }];
  let arguments = !con((ins StrAttr:$axis, I64Attr:$trips,
    Plan_BufferType:$index, Variadic<Plan_BufferType>:$inits,
    Variadic<Plan_BufferType>:$carried), common);
  let assemblyFormat = [{
    $axis `=` $trips `index` `(` $index `)` `reads` `(` $inits `)`
    `writes` `(` $carried `)` attr-dict
  }];
}

def Plan_LoopEndOp : Plan_Instruction<"loop_end", [AttrSizedOperandSegments]> {
  let summary = "the end of the loop that the last plan.loop_begin began";
  let arguments = !con((ins Variadic<Plan_BufferType>:$nexts,
    Variadic<Plan_BufferType>:$carried), common);
  let assemblyFormat = [{
    `reads` `(` $nexts `)` `writes` `(` $carried `)` attr-dict
  }];
}

def Plan_ReturnOp : Plan_Op<"return", [Terminator, HasParent<"ProgramOp">,
    AttrSizedOperandSegments]> {
  let summary = "binds the program's arguments and results to buffers";
  let description = [{
    `aliases[i]` is the argument whose buffer takes result i when steps are
    chained, or -1.
  }];
  let arguments = (ins Variadic<Plan_BufferType>:$arguments,
    Variadic<Plan_BufferType>:$results, DenseI64ArrayAttr:$aliases);
  let builders = [OpBuilder<(ins), [{
    $_state.addAttribute("aliases", $_builder.getDenseI64ArrayAttr({}));
    $_state.addAttribute("operandSegmentSizes",
                         $_builder.getDenseI32ArrayAttr({0, 0}));
  }]>];
  let assemblyFormat = [{
    `arguments` `(` $arguments `)` `results` `(` $results `)` `aliases` $aliases
    attr-dict
  }];
}

#endif // PARTOPT_DIALECTS_PLAN_PLANOPS_TD
