// Prints the Khronos validator's report on each file named on the command line, as one JSON list.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

async function report(file) {
  const result = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
  });
  return { file, ...result.issues };
}

Promise.all(process.argv.slice(2).map(report)).then((reports) => console.log(JSON.stringify(reports)));
