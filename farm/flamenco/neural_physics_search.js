// SPDX-License-Identifier: GPL-3.0-or-later

// A job type for Flamenco 3: put this file into the Manager's folder `scripts`.

const JOB_TYPE = {
    label: "Neural Physics: Search Settings",
    description: "Train with many settings on as many Workers as there are, and keep the best model",
    settings: [
        { key: "dataset", type: "string", subtype: "dir_path", required: true,
          description: "Folder of the takes, which all Workers reach; the model is written beside it" },
        { key: "trials", type: "int32", default: 30, propargs: { min: 1, max: 10000 },
          description: "How many trainings there shall be" },
        { key: "workers", type: "int32", default: 4, propargs: { min: 1, max: 1000 }, visible: "submission",
          description: "How many Workers train at the same time, at most" },
        { key: "method", type: "string", default: "subspace_physics",
          choices: ["subspace_physics", "latent_dynamics", "hierarchical_cloth", "quasistatic_springs",
                    "contact_corrections", "linear_dynamics"],
          description: "The method of the model" },
        { key: "preset", type: "string", default: "balanced", choices: ["preview", "balanced", "final", "paper"],
          description: "How long and how well" },
        { key: "over", type: "string", default: "",
          description: "What is varied, such as bases=32,64 learning_rate=0.001..0.01; by default what matters most" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const words = ["--trials", String(settings.trials), "--method", settings.method, "--preset", settings.preset];
    const over = settings.over.split(/\s+/).filter((each) => each).map((each) => `--over=${each}`);
    for (let number = 1; number <= settings.workers; number++) {
        const search = author.Task(`search-${number}`, "blender");
        const args = ["-b", "--command", "neural_physics", "search", settings.dataset, ...words, ...over];
        search.addCommand(author.Command("exec", { exe: "{blender}", args }));
        job.addTask(search);
    }
}
