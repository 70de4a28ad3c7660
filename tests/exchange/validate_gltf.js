// Prints what Khronos' own validator finds in a file: `node validate_gltf.js FILE`, with NODE_PATH set.
const { readFileSync } = require("fs");
const { validateBytes } = require("gltf-validator");

validateBytes(new Uint8Array(readFileSync(process.argv[2]))).then((report) =>
  console.log(JSON.stringify(report.issues)),
);
