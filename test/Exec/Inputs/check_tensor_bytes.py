"""Holds what tensor parallelism sends on gpt_train_small against the textbook, by the
transport's count.

usage: check_tensor_bytes.py MODEL_DIR STRATEGY DEVICES

With u = (n-1)/n of one activation's bytes (8 rows, 16 positions, 32 numbers): `tp`
has four all-reduces, 8 u, in each of the two layers. Outside of them are two more,
of the embeddings forward and of the last norm's gradient backward, and what the loss
over a split vocabulary needs, a few numbers per position. `tp+sp` moves at most the
same as reduce-scatters and gathers, and gradients of norms, biases and positions.
"""
import json
import subprocess
import sys
import tempfile

LAYERS, ROWS, POSITIONS, WIDTH = 2, 8, 16, 32
ACTIVATION = 4 * ROWS * POSITIONS * WIDTH
PER_POSITION = 4 * ROWS * POSITIONS


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
        # Norms: 5 of 2 vectors; biases: 2 vectors less what tp splits; rows of positions;
        # the loss as with tp.
        others = 2 * ring * 4 * WIDTH * (2 * 5 + 2 * LAYERS + POSITIONS) + 8 * ring * PER_POSITION
        assert sent <= textbook + others + 1024, others
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
