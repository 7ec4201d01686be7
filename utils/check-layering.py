#!/usr/bin/env python3
"""Reads every #include and fails on an edge against the one direction:

    dialects <- Analysis, Support <- one stage <- Pipelines <- CAPI <- tools

Stages never include each other. The runtime, lib/PlanFormat, lib/Simulate, lib/Report,
lib/PipelineSchedule and the plan schema's headers include no MLIR and no LLVM and nothing of the compiler.

usage: check-layering.py [ROOT]
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SHARED = {"Analysis", "Search", "Support"}
STAGES = {"Import", "Strategy", "Shard", "Stage", "Partition", "Schedule", "Plan", "Codegen"}
# What each layer may include of the project besides itself.
BELOW = {
    "planformat": set(),
    "simulate": {"planformat"},
    "pipelineschedule": {"planformat", "simulate"},
    "report": {"planformat", "simulate", "pipelineschedule"},
    "runtime": {"planformat", "simulate", "pipelineschedule", "report"},
    "dialects": {"planformat"},
    "shared": {"planformat", "simulate", "pipelineschedule", "dialects"},
    "stage": {"planformat", "simulate", "pipelineschedule", "dialects", "shared"},
    "pipelines": {"planformat", "simulate", "pipelineschedule", "dialects", "shared", "stage"},
    "capi": {"planformat", "simulate", "pipelineschedule", "dialects", "shared", "stage", "pipelines",
             "runtime"},
    "tools": {"planformat", "simulate", "pipelineschedule", "dialects", "shared", "stage", "pipelines",
              "capi", "report", "runtime"},
}
# Headers of lib/PlanFormat; the rest of include/partopt/Plan is the stage's.
PLAN_FORMAT_HEADERS = {"CollectiveBytes", "Dataflow", "ElementTypes", "MeshMath", "PlanFile", "PlanFormat",
                       "PlanFormat_generated", "Classes", "ExplainPlan", "MemoryClasses",
                       "NearestWord", "Peers", "PlanText", "ProgramWalk", "RingChunks", "Segments",
                       "StashCount", "TextTable",
                       "VerifyPlan"}
MLIR_FREE = {"planformat", "simulate", "pipelineschedule", "report", "runtime"}


def component(path):
    """(layer, name) of a file by its path from the root; None for the rest."""
    parts = path.split("/")
    if parts[0] == "include" and len(parts) > 2:
        parts = ["lib"] + parts[2:] if parts[1] == "partopt" else ["lib", "CAPI"]
        if len(parts) == 2:  # include/partopt/Registration.h
            return ("pipelines", "Pipelines")
        if parts[1] == "Plan" and parts[-1].split(".")[0] in PLAN_FORMAT_HEADERS:
            return ("planformat", "PlanFormat")
    if parts[0] == "lib" and len(parts) > 2:
        name = parts[1]
        if name == "PlanFormat":
            return ("planformat", name)
        if name in ("Simulate", "PipelineSchedule", "Report"):
            return (name.lower(), name)
        if name in SHARED:
            return ("shared", name)
        if name in STAGES:
            return ("stage", name)
        return {"Pipelines": ("pipelines", name), "CAPI": ("capi", name)}.get(name, ("unknown", name))
    if parts[0] in ("dialects", "runtime"):
        return (parts[0], parts[1])
    if parts[0] == "tools":
        # The run-only tool belongs to the half without MLIR.
        return ("runtime", "tool") if parts[1] == "partopt-run" else ("tools", parts[1])
    return None


def resolve(root, path, include):
    """The included file's path from the root, or None for a system header.
    Generated headers resolve by their folder."""
    here = os.path.normpath(os.path.join(os.path.dirname(path), include))
    for candidate in (here, include, f"include/{include}"):
        if os.path.exists(os.path.join(root, candidate)):
            return candidate
    if include.startswith(("partopt/", "partopt-c/")):
        return f"include/{include}"
    if include.startswith(("dialects/", "runtime/", "lib/", "tools/")):
        return include
    return None


def fault(source, target):
    """Why `source` may not include `target`, or None."""
    (layer, name), (other, other_name) = source, target
    if layer == "unknown":
        return f"lib/{name} is no layer of this project (utils/check-layering.py lists them)"
    if source == target or (layer == other and layer not in ("stage",)):
        return None
    if layer == other == "stage":
        return f"stage {name} includes stage {other_name}; stages talk only through IR"
    if other not in BELOW[layer]:
        return f"{layer} ({name}) may not include {other} ({other_name})"
    return None


def check_file(root, path):
    source = component(path)
    if source is None:
        return
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            include = match.group(1)
            if source[0] in MLIR_FREE and include.startswith(("mlir/", "mlir-c/", "llvm/", "llvm-c/", "lld/")):
                yield f"{path}:{number}: {source[0]} includes {include}; it must stay free of MLIR and LLVM"
                continue
            target = resolve(root, path, include)
            target = component(target) if target else None
            why = fault(source, target) if target else None
            if why:
                yield f"{path}:{number}: {why}"


def main(root="."):
    faults = []
    for top in ("dialects", "include", "lib", "runtime", "tools"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith((".h", ".cpp", ".td", ".inc")):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    faults += check_file(root, path)
    for line in faults:
        print(line)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
