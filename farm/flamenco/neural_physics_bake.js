// SPDX-License-Identifier: GPL-3.0-or-later

// A job type for Flamenco 3: put this file into the Manager's folder `scripts`.

const JOB_TYPE = {
    label: "Neural Physics: Bake, Train, Evaluate",
    description: "Bake takes on as many Workers as there are, train a model on them, and measure it",
    settings: [
        { key: "object", type: "string", eval: "C.object.name if C.object else ''",
          evalInfo: { showLinkButton: true, description: "Active object" },
          description: "The simulated object" },
        { key: "dataset", type: "string", subtype: "dir_path", required: true,
          description: "Folder of the takes, which all Workers reach" },
        { key: "takes", type: "int32", default: 8, propargs: { min: 1, max: 1000 },
          description: "How many takes there shall be" },
        { key: "workers", type: "int32", default: 4, propargs: { min: 1, max: 1000 }, visible: "submission",
          description: "How many Workers bake at the same time, at most" },
        { key: "at_once", type: "int32", default: 0, propargs: { min: 0, max: 64 }, visible: "submission",
          description: "Takes at the same time on each Worker, 0 for one per core" },
        { key: "train", type: "bool", default: true, description: "Train a model when all takes are baked" },
        { key: "preset", type: "string", default: "balanced", choices: ["preview", "balanced", "final", "paper"],
          description: "How long and how well" },
        { key: "evaluate", type: "bool", default: true, description: "Measure the model on the test takes" },
        { key: "blendfile", type: "string", required: true, visible: "web",
          eval: "bpy.data.filepath", description: "The scene, which all Workers reach; it is saved" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const prepare = inScene("prepare", settings, ["prepare", "--takes", String(settings.takes)]);
    job.addTask(prepare);

    const bakes = [];
    for (let number = 1; number <= settings.workers; number++) {
        const atOnce = ["--at-once", String(settings.at_once)];
        const bake = task(`bake-${number}`, ["-b", "--command", "neural_physics", "work", settings.dataset, ...atOnce]);
        bake.addDependency(prepare);
        job.addTask(bake);
        bakes.push(bake);
    }

    const finish = task("finish", ["-b", "--command", "neural_physics", "finish", settings.dataset]);
    bakes.forEach((bake) => finish.addDependency(bake));
    job.addTask(finish);

    let last = finish;
    if (settings.train) {
        last = after(job, last, inScene("train", settings, ["train", "--preset", settings.preset]));
    }
    if (settings.train && settings.evaluate) {
        after(job, last, inScene("evaluate", settings, ["evaluate"]));
    }
}

function after(job, before, next) {
    next.addDependency(before);
    job.addTask(next);
    return next;
}

// A command that opens the scene.
function inScene(name, settings, words) {
    const named = settings.object ? [`--object=${settings.object}`] : []; // it may begin with a dash
    const where = ["--dataset", settings.dataset];
    return task(name, ["-b", settings.blendfile, "--command", "neural_physics", ...words, ...where, ...named]);
}

// `exec` and not `blender-render`, which counts frames. Scripts that the scene brings run only where the
// Worker's own Blender allows it: {blenderArgs} is left out, since many farms have --enable-autoexec in it.
function task(name, args) {
    const found = author.Task(name, "blender");
    found.addCommand(author.Command("exec", { exe: "{blender}", args }));
    return found;
}
