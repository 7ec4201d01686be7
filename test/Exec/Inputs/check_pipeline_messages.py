"""Counts what the ranks of a pipeline send for a deep GPT with a tied table and clipped
gradients: the activation and its gradient per cut and microbatch; behind the loop the
table's second gradient and its new value, and a number up and down per rank.

usage: check_pipeline_messages.py FOLDER

Every run counts what it sends against the plan. FOLDER is export_deep.py's.
"""
import json
import subprocess
import sys

WIDTH, LENGTH, VOCABULARY, ROWS, F32 = 32, 16, 128, 32, 4


def totals(folder, strategy, mesh, micro, *options):
    subprocess.run(
        ["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy, "--mesh", mesh,
         "--microbatches", str(micro), "--inputs", f"{folder}/inputs.safetensors", "--expect",
         f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5", "--report-json",
         f"{folder}/report.json", *options], check=True)
    measured = json.load(open(f"{folder}/report.json"))["measured"]
    return measured["collectives_executed"], measured["wire_bytes_sent"]


def main():
    folder = sys.argv[1]
    table = VOCABULARY * WIDTH * F32
    rows = ROWS * LENGTH * WIDTH * F32  # of all microbatches
    for micro in 4, 8:
        counts, sent = totals(folder, "pp", "pipe=2", micro)
        assert counts == {"send": micro + 2, "recv": micro + 2}, counts  # of a rank
        assert sent == [rows + table + F32] * 2, (sent, rows, table)
    # Gradients of a rank leave in one bucket.
    counts, sent = totals(folder, "pp+ddp", "pipe=2,data=2", 4)
    assert counts["all_reduce"] == 1 and counts["send"] == 6, counts
    # Stored parameters are gathered where they are used, not sent.
    counts, sent = totals(folder, "pp+fsdp", "pipe=2,data=2", 4)
    again, more = totals(folder, "pp+fsdp", "pipe=2,data=2", 4, "--reshard-after-forward", "yes")
    assert again["send"] == counts["send"] and again["all_gather"] > 4 * counts["all_gather"], (
        counts, again)
    assert min(more) > 2 * max(sent), (sent, more)


if __name__ == "__main__":
    main()
