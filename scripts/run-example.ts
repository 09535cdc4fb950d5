/** Runs an example by its name; without one it lists them. */
import { listExamples } from "./examples/list-examples.ts";
import { runExample } from "./examples/run-example.ts";

const examples = listExamples();
const [name] = process.argv.slice(2);
const example = examples.find((each) => each.name === name);

if (example !== undefined) {
	process.exitCode = await runExample(example).catch(report);
} else {
	if (name !== undefined) console.error(`there is no example named ${name}\n`);
	const width = Math.max(...examples.map((each) => each.name.length));
	for (const each of examples) console.log(`${each.name.padEnd(width)}  ${each.sentence}`);
	console.log("\nnpm run example NAME runs one.");
	process.exitCode = name === undefined ? 0 : 1;
}

/** Shows only the message: it names what is missing on this machine. */
function report(error: unknown): number {
	console.error(error instanceof Error ? error.message : error);
	return 1;
}
