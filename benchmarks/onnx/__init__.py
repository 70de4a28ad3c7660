"""What a step of an exported model takes in ONNX Runtime, beside NumPy."""
