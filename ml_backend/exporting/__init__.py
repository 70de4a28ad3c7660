"""Models as ONNX files, for game engines and other programs: what the exporters of all methods share."""
