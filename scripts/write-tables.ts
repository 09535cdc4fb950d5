/** Writes the tables of README and docs from the code; with `--check` it only says whether they are up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import type { SpeedRecord } from "../bench/speed/record.ts";
import { createSpeedTables, describeSpeedRun } from "../bench/speed/tables.ts";
import type { StoresRecord } from "../bench/stores/record.ts";
import { createStoreTables, describeRun } from "../bench/stores/tables.ts";
import { GATEWAY_ERRORS } from "../src/catalogue/gateway-errors.ts";
import { OPERATIONS } from "../src/catalogue/index.ts";
import type { Operation } from "../src/catalogue/operation.ts";
import { createProgram } from "../src/cli/program.ts";
import { DIAGNOSIS_CAUSES } from "../src/client/diagnose/causes.ts";
import { MAGIC_NUMBERS } from "../src/local-gateway/magic-numbers.ts";
import { SPAN_ATTRIBUTES } from "../src/opentelemetry/attributes.ts";
import { listExamples } from "./examples/list-examples.ts";

const RETRY = {
	safe: "after any failure",
	same: "after any failure",
	never: "only if not accepted",
} as const;

/** The recorded run of `npm run bench:stores`. */
const STORES: StoresRecord = JSON.parse(
	readFileSync(new URL("../bench/results/stores.json", import.meta.url), "utf8"),
);

/** The recorded run of `npm run bench`. */
const SPEED: SpeedRecord = JSON.parse(
	readFileSync(new URL("../bench/results/speed.json", import.meta.url), "utf8"),
);

const TABLES: Readonly<Record<string, string>> = {
	operations: table(
		["method", "request", "source", "repeated"],
		OPERATIONS.map((operation: Operation<unknown, unknown>) => [
			methodNames(operation),
			`\`${operation.method} ${operation.path}\``,
			describeSource(operation),
			RETRY[operation.retry] +
				(operation.neverRetryWith ? `; never with \`${operation.neverRetryWith}\`` : ""),
		]),
	),
	"gateway-errors": table(
		["code", "status", "meaning"],
		Object.entries(GATEWAY_ERRORS).map(([code, { status, meaning }]) => [
			`\`${code}\``,
			String(status),
			meaning,
		]),
	),
	"magic-numbers": table(
		["number", "name", "what it does"],
		MAGIC_NUMBERS.map(({ number, name, behaviour }) => [`\`${number}\``, name, behaviour]),
	),
	"diagnosis-causes": table(
		["`cause`", "what it means"],
		Object.entries(DIAGNOSIS_CAUSES).map(([cause, meaning]) => [`\`${cause}\``, meaning]),
	),
	verbs: table(
		["verb", "what it does"],
		createProgram(() => async () => undefined).commands.map((verb) => [
			`\`${verb.name()}\``,
			verb.description(),
		]),
	),
	...Object.fromEntries(
		Object.entries(SPAN_ATTRIBUTES).map(([sort, attributes]) => [
			`${sort}-attributes`,
			table(
				["attribute", "what it tells"],
				Object.entries(attributes).map(([name, meaning]) => [`\`${name}\``, meaning]),
			),
		]),
	),
	examples: table(
		["example", "what it does", "command"],
		listExamples().map(({ name, sentence }) => [
			`[${name}](${name})`,
			sentence,
			`\`npm run example ${name}\``,
		]),
	),
	"store-run": describeRun(STORES),
	"speed-run": describeSpeedRun(SPEED),
	...Object.fromEntries(
		Object.entries({ ...createStoreTables(STORES), ...createSpeedTables(SPEED) }).map(
			([name, { head, rows }]) => [name, table(head, rows)],
		),
	),
};

export const DOCUMENTS = [
	"README.md",
	"docs/client.md",
	"docs/command.md",
	"docs/errors.md",
	"docs/local-gateway.md",
	"docs/observability.md",
	"docs/performance.md",
	"docs/scaling.md",
	"examples/README.md",
];

/** A document with its tables as the code has them now. */
export function withTables(markdown: string): string {
	return Object.entries(TABLES).reduce(
		(text, [name, rows]) =>
			text.replace(
				new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
				(_, start: string, end: string) => `${start}${rows}${end}`,
			),
		markdown,
	);
}

function methodNames({ id, methods }: Operation<unknown, unknown>): string {
	const area = id.slice(0, id.lastIndexOf("."));
	return methods.map((method) => `\`${area}.${method}\``).join(", ");
}

function describeSource({ provenance, isDataDocumented }: Operation<unknown, unknown>): string {
	if (provenance.kind !== "documented") return "assumed";
	return `**known** (${provenance.section})${isDataDocumented ? "" : "; answer assumed"}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
	return `${lines.join("\n")}\n`;
}

if (import.meta.main) {
	for (const path of DOCUMENTS) {
		const before = readFileSync(path, "utf8");
		const after = withTables(before);
		if (after !== before) writeFileSync(path, after);
	}
}
