// Plays what `export-onnx` has written, by Microsoft.ML.OnnxRuntime (NuGet). See docs/engines/onnx.md.
//
//     var player = new OnnxPlayer("exported");
//     player.Start(y);                        // float[], the channels one after the other
//     float[] positions = player.Step(y);     // x, y, z of each vertex, metres, Z up, right-handed

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Microsoft.ML.OnnxRuntime;
using Microsoft.ML.OnnxRuntime.Tensors;

public sealed class OnnxPlayer : IDisposable
{
    readonly InferenceSession start, step, decoder;
    readonly Dictionary<string, string> follows; // where each part of the state comes from
    Dictionary<string, float[]> state = new();

    public double Dt { get; } // seconds of a step

    public OnnxPlayer(string folder, bool fast = false)
    {
        start = new InferenceSession(Path.Combine(folder, "start.onnx"));
        step = new InferenceSession(Path.Combine(folder, fast ? "fast_step.onnx" : "step.onnx"));
        decoder = new InferenceSession(Path.Combine(folder, "decoder.onnx"));
        var all = new[] { start, step, decoder };
        if (all.Select(each => each.ModelMetadata.CustomMetadataMap["model"]).Distinct().Count() > 1)
            throw new ArgumentException($"the files in {folder} are of different models");
        var told = step.ModelMetadata.CustomMetadataMap;
        Dt = JsonSerializer.Deserialize<double>(told["dt"]);
        follows = JsonSerializer.Deserialize<Dictionary<string, string>>(told["state"])!;
    }

    public float[] Start(float[] y) => Shape(y, Run(start, With(state = new(), y)));

    public float[] Step(float[] y)
    {
        var given = With(state, y);
        var said = Run(step, given);
        float[] From(string source) => said.TryGetValue(source, out var found) ? found : given[source];
        return Shape(y, follows.ToDictionary(each => each.Key, each => From(each.Value)));
    }

    float[] Shape(float[] y, Dictionary<string, float[]> next)
    {
        state = next;
        return Run(decoder, With(state, y))["positions"];
    }

    static Dictionary<string, float[]> With(Dictionary<string, float[]> state, float[] y) => new(state) { ["y"] = y };

    static Dictionary<string, float[]> Run(InferenceSession session, Dictionary<string, float[]> given)
    {
        var feed = session.InputMetadata.Select(input => NamedOnnxValue.CreateFromTensor(
            input.Key, new DenseTensor<float>(given[input.Key], input.Value.Dimensions))).ToList();
        using var found = session.Run(feed);
        return found.ToDictionary(each => each.Name, each => each.AsTensor<float>().ToArray());
    }

    public void Dispose()
    {
        start.Dispose();
        step.Dispose();
        decoder.Dispose();
    }
}
