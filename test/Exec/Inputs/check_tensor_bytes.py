"""Holds what tensor parallelism sends on gpt_train_small against the textbook, by the
transport's count.

usage: check_tensor_bytes.py MODEL_DIR STRATEGY DEVICES

With u = (n-1)/n of one activation's bytes (8 rows, 16 positions, 32 numbers): `tp`
has four all-reduces, 8 u, in each of the two layers. Outside of them are two more,
of the embeddings forward and of the last norm's gradient backward, and what the loss
over a split vocabulary needs, a few numbers per position. `tp+sp` moves the same 8 u
as reduce-scatters and gathers, and gradients of norms and biases.
"""
import json
import subprocess
import sys
import tempfile

LAYERS, ROWS, POSITIONS, WIDTH = 2, 8, 16, 32
ACTIVATION = 4 * ROWS * POSITIONS * WIDTH
PER_POSITION = 4 * ROWS * POSITIONS


def check_sequence(report, sent, devices):
    """Of tp+sp: the large collectives one by one, and the sum of the small ones."""
    ring = (devices - 1) / devices
    large = [c["kind"] for c in report["collectives"] if c["payload_bytes"] == ACTIVATION]
    # Two gathers and two reduce-scatters forward, as many backward; around the layers the
    # lookup, the logits' input and its gradient, and the gradient of the table that both
    # use, which is as large as an activation here.
    assert large.count("all_gather") == 4 * LAYERS + 1, large
    assert large.count("reduce_scatter") == 4 * LAYERS + 3, large
    assert len(large) == 8 * LAYERS + 4, large
    # Norms: 5 of 2 vectors; biases: 2 vectors less what tp splits; twelve lists of a number
    # per position: tokens, labels, and what the loss over a split vocabulary reduces and
    # gathers.
    vectors = 2 * ring * 4 * WIDTH * (2 * 5 + 2 * LAYERS)
    others = vectors + 12 * ring * PER_POSITION
    assert sent <= len(large) * ring * ACTIVATION + others, (sent, others)


def main():
    model, strategy, devices = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["partopt", "run", f"{model}/model.mlir", "--strategy", strategy, "--mesh",
                        f"model={devices}", "--inputs", f"{model}/inputs.safetensors", "--quiet",
                        "--report-json", f"{folder}/r.json"], check=True)
        with open(f"{folder}/r.json") as file:
            report = json.load(file)
    sent = max(report["measured"]["wire_bytes_sent"])
    ring = (devices - 1) / devices
    u = ring * ACTIVATION
    textbook = (8 * LAYERS + 4) * u
    print(f"{strategy} model={devices}: sent {sent}, textbook {textbook:.0f}")
    if strategy == "tp+sp":
        check_sequence(report, sent, devices)
        return
    large = [c for c in report["collectives"] if c["payload_bytes"] == ACTIVATION]
    small = [c for c in report["collectives"] if c["payload_bytes"] < ACTIVATION]
    assert all(c["kind"] == "all_reduce" for c in large), large
    assert len(large) == 4 * LAYERS + 2, len(large)
    assert len(large) + len(small) == len(report["collectives"])
    # The largest score, the sum of exponentials, and the label's score with the loss.
    assert [c["payload_bytes"] for c in small] == [PER_POSITION, PER_POSITION, PER_POSITION + 4], small
    listed = sum(2 * ring * c["payload_bytes"] for c in small)
    assert textbook + listed <= sent + 64 and sent <= textbook + listed + 64, (sent, listed)


if __name__ == "__main__":
    main()
