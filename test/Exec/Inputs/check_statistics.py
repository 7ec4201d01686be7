"""Runs a step with statistics of all layers as a pipeline: three steps against JAX and the
unpartitioned program, without a second copy of any parameter.

usage: check_statistics.py FOLDER RANKS@MICROBATCHES@SCHEDULE ...
"""
import json
import subprocess
import sys


def main(folder, *words):
    for word in words:
        ranks, microbatches, schedule = word.split("@")
        subprocess.run(["partopt", "run", f"{folder}/model.mlir", "--strategy", "pp", "--mesh", f"pipe={ranks}",
                        "--microbatches", microbatches, "--schedule", schedule, "--steps", "3", "--inputs",
                        f"{folder}/inputs.safetensors", "--expect", f"{folder}/expected_steps.safetensors", "--rtol",
                        "1e-4", "--atol", "1e-5", "--check", "--quiet", "--report-json", f"{folder}/r.json"], check=True)
        with open(f"{folder}/r.json", encoding="utf-8") as file:
            report = json.load(file)
        copies = [note["message"] for note in report["notes"] if note["code"] == "stage-copies"]
        assert not copies, copies
        held = {argument["name"]: len(argument["held_by"]) for argument in report["arguments"]
                if argument["role"] == "param"}
        assert set(held.values()) == {1}, held
        print(word, "agrees")


if __name__ == "__main__":
    main(*sys.argv[1:])
