//===- PlanBase.td - The plan dialect, its types and enumerations --------===//

#ifndef PARTOPT_DIALECTS_PLAN_PLANBASE_TD
#define PARTOPT_DIALECTS_PLAN_PLANBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let summary = "A static program for one class of ranks";
  let description = [{
    The last form before the plan file, and one to one with it (see
    PlanFormat.fbs): buffers with offsets and lifetimes, kernel launches, matrix
    products, collectives as start/wait pairs. The order of the operations is
    the order of execution on every rank of the class.
  }];
  let cppNamespace = "::partopt::planir";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Plan_Type<string name, string typeMnemonic>
    : TypeDef<Plan_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Plan_BufferType : Plan_Type<"Buffer", "buffer"> {
  let summary = "a static byte range of one rank's memory";
}
def Plan_EventType : Plan_Type<"Event", "event"> {
  let summary = "completion of a started collective";
}

class Plan_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::partopt::planir";
  let genSpecializedAttr = 0;
}

// Values equal those of the plan file's enumerations.
def Plan_Space : Plan_Enum<"Space", "region of a buffer", [
  I32EnumAttrCase<"Resident", 0, "resident">,
  I32EnumAttrCase<"Arena", 1, "arena">]>;
def Plan_AxisKind : Plan_Enum<"AxisKind", "what a mesh axis ranges over", [
  I32EnumAttrCase<"Space", 0, "space">, I32EnumAttrCase<"Time", 1, "time">]>;
def Plan_Role : Plan_Enum<"Role", "role of an argument", [
  I32EnumAttrCase<"Unknown", 0, "unknown">,
  I32EnumAttrCase<"Param", 1, "param">, I32EnumAttrCase<"Opt", 2, "opt">,
  I32EnumAttrCase<"State", 3, "state">, I32EnumAttrCase<"Batch", 4, "batch">,
  I32EnumAttrCase<"Rng", 5, "rng">, I32EnumAttrCase<"Scalar", 6, "scalar">]>;
def Plan_Combiner : Plan_Enum<"Combiner", "how partial values combine", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Product", 2, "product">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"Max", 4, "max">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">]>;
def Plan_Phase : Plan_Enum<"Phase", "part of the step", [
  I32EnumAttrCase<"Unspecified", 0, "unspecified">,
  I32EnumAttrCase<"Forward", 1, "forward">,
  I32EnumAttrCase<"Backward", 2, "backward">,
  I32EnumAttrCase<"Update", 3, "update">]>;
def Plan_MemoryClass : Plan_Enum<"MemoryClass", "what memory is used for", [
  I32EnumAttrCase<"Other", 0, "other">,
  I32EnumAttrCase<"Parameters", 1, "parameters">,
  I32EnumAttrCase<"OptimizerState", 2, "optimizer_state">,
  I32EnumAttrCase<"Inputs", 3, "inputs">,
  I32EnumAttrCase<"Gradients", 4, "gradients">,
  I32EnumAttrCase<"Gathered", 5, "gathered">,
  I32EnumAttrCase<"Activations", 6, "activations">,
  I32EnumAttrCase<"Staging", 7, "staging">]>;
def Plan_CollectiveKind : Plan_Enum<"CollectiveKind", "kind of collective", [
  I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
  I32EnumAttrCase<"AllGather", 1, "all_gather">,
  I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
  I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
  I32EnumAttrCase<"Permute", 4, "permute">,
  I32EnumAttrCase<"Broadcast", 5, "broadcast">,
  I32EnumAttrCase<"Send", 6, "send">, I32EnumAttrCase<"Recv", 7, "recv">]>;

class Plan_EnumAttr<EnumAttrInfo enum, string attrMnemonic>
    : EnumAttr<Plan_Dialect, enum, attrMnemonic>;
def Plan_SpaceAttr : Plan_EnumAttr<Plan_Space, "space">;
def Plan_CombinerAttr : Plan_EnumAttr<Plan_Combiner, "combiner">;
def Plan_PhaseAttr : Plan_EnumAttr<Plan_Phase, "phase">;
def Plan_CollectiveKindAttr : Plan_EnumAttr<Plan_CollectiveKind, "kind">;

#endif // PARTOPT_DIALECTS_PLAN_PLANBASE_TD
