/** The tables of README and docs, each generated from the code. */
import { readFileSync } from "node:fs";
import { relative } from "node:path/posix";
import type { $ZodTypes } from "zod/v4/core";
import { describeRounds, describeRun, readRun } from "../../bench/run.ts";
import { GATEWAY_ERRORS } from "../../src/library/catalogue/gateway-errors.ts";
import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import { isZodSchema } from "../../src/library/catalogue/known-path.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";
import { METRIC_ATTRIBUTES, SPAN_ATTRIBUTES } from "../../src/library/opentelemetry/attributes.ts";
import { BODY_FORM_WORDS, NAMED_BODY_FORMS } from "../../src/tools/body-form-words.ts";
import { createProgram } from "../../src/tools/cli/program.ts";
import { PROBLEM_STATUSES } from "../../src/tools/control/http/responses.ts";
import { CONTROL_OPERATIONS } from "../../src/tools/control/operations.ts";
import { ACTIONS } from "../../src/tools/control/schemas/actions.ts";
import { DIAGNOSIS_CAUSES } from "../../src/tools/doctor/calls/causes.ts";
import {
	type FaultKind,
	type FaultSetting,
	REQUEST_FAULTS,
	WEBHOOK_FAULTS,
} from "../../src/tools/local-gateway/fault-kinds.ts";
import { MAGIC_NUMBERS } from "../../src/tools/local-gateway/magic-numbers.ts";
import { readings } from "../../src/tools/local-gateway/readings/index.ts";
import { listExamples } from "../examples/list-examples.ts";
import { CORS } from "./cors.ts";
import { GROUPS, readGuides } from "./documents.ts";
import { VARIABLES } from "./environment.ts";
import { listFrameworks, showRoute } from "./frameworks.ts";
import { describeHosts } from "./hosts.ts";
import { createSpeedTables, createStoreTables } from "./measured-tables.ts";
import { type Member, readComment, readErrorClasses, readMembers } from "./members.ts";
import { describeSource, methodNames } from "./operations.ts";
import { showOptions } from "./options.ts";
import { drawPictures } from "./pictures.ts";
import { showDefault, table } from "./table.ts";

const RETRY = {
	safe: "after a transient failure",
	idempotent: "after a transient failure",
	never: "after a 429, or if no connection was made",
} as const;

/** The recorded runs of `npm run bench:stores` and `npm run bench`. */
const STORES = readRun(new URL("../../bench/results/stores.json", import.meta.url));
const SPEED = readRun(new URL("../../bench/results/speed.json", import.meta.url));

/** What `npm run docs` writes into docs/images. */
export const PICTURES = drawPictures();

const PROGRAM = createProgram(() => async () => undefined);

const HOSTS = describeHosts();

/** The codes that have a heading of their own, which is their anchor. */
const HEADINGS = ["authentication_failed", "not_found", "unexpected_response", "duplicate_message"];

/** The text between the two marks of each name. */
export const TABLES: Readonly<Record<string, string>> = {
	guides: Object.keys(GROUPS)
		.map((group) => {
			const rows = readGuides().filter((guide) => guide.group === group);
			return `## ${group}\n\n${table(
				["guide", "what it is about"],
				rows.map(({ path, title, summary }) => [`[${title}](${relative("docs", path)})`, summary]),
			)}`;
		})
		.join("\n"),
	operations: table(
		["method", "request", "source", "retried"],
		OPERATIONS.map((operation: Operation<unknown, unknown, OperationId>) => [
			methodNames(operation),
			`\`${operation.method} ${operation.path}\``,
			describeSource(operation),
			RETRY[operation.retry] +
				(operation.neverRetryWith ? `; never with \`${operation.neverRetryWith}\`` : ""),
		]),
	),
	"cors-headers": table(
		["header of the response", "value"],
		[
			["`Access-Control-Allow-Origin`", "your page's origin, such as `https://app.example`, or `*`"],
			["`Access-Control-Allow-Methods`, of a preflight", `\`${CORS.methods.join(", ")}\``],
			["`Access-Control-Allow-Headers`, of a preflight", `\`${CORS.requestHeaders.join(", ")}\``],
			["`Access-Control-Expose-Headers`", `\`${CORS.responseHeaders.join(", ")}\``],
		],
	),
	options: showOptions(),
	"environment-variables": table(
		["variable", "what it holds", "read by"],
		VARIABLES.map(({ name, meaning, readBy }) => [name.replace(/\w+/g, "`$&`"), meaning, readBy]),
	),
	"body-forms": table(
		["`canonicalBody`", "what is hashed and sent", "written by"],
		NAMED_BODY_FORMS.map((form) => [
			`\`"${form}"\``,
			BODY_FORM_WORDS[form].writes,
			BODY_FORM_WORDS[form].example,
		]),
	),
	readings: table(
		["reading", "the specification", "the gateway", "the application"],
		readings.map(({ name, section, quotation, isOpen, summary, advice }) => [
			name,
			`${quote(quotation)} (${section}${isOpen ? "" : "; the reading differs from it"})`,
			summary,
			advice.replace(/^Set the profile\b/, "Set the [profile](profile.md)"),
		]),
	),
	"call-errors": table(
		["class", "`code`", "when"],
		readErrorClasses("src/library/errors.ts").map(({ name, code, text }) => [
			`\`${name}\``,
			withAnchor(code),
			text,
		]),
	),
	"webhook-errors": table(
		["`code`", "`status`", "when"],
		readMembers("src/library/errors.ts", "WEBHOOK_STATUS").map(({ name, value, text }) => [
			withAnchor(name, "webhook-"),
			value,
			text,
		]),
	),
	"request-errors": codeTable("RequestVerificationErrorCode", "request-"),
	"send-error-codes": codeTable("SendErrorCode"),
	"canonical-json-errors": codeTable("CanonicalJsonErrorCode"),
	"gateway-errors": table(
		["code", "status", "meaning"],
		Object.entries(GATEWAY_ERRORS).map(([code, { status, meaning }]) => [
			withAnchor(code),
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
		PROGRAM.createHelp()
			.visibleCommands(PROGRAM)
			.map((verb) => [`\`${verb.name()}\``, verb.description()]),
	),
	...Object.fromEntries(
		Object.entries({ ...SPAN_ATTRIBUTES, delivery: METRIC_ATTRIBUTES }).map(([sort, attributes]) => [
			`${sort}-attributes`,
			table(
				["attribute", "meaning"],
				Object.entries(attributes).map(([name, meaning]) => [`\`${name}\``, meaning]),
			),
		]),
	),
	"control-routes": table(
		["route", "what it does"],
		Object.values(CONTROL_OPERATIONS).map(({ method, path, summary }) => [
			`\`${method} ${path}\``,
			summary.replace(/\.$/, ""),
		]),
	),
	"control-query": optionTable(readMembers("src/tools/control/contract.ts", "PageQuery"), "parameter"),
	"control-actions": table(
		["action", "fields", "optional fields", "what it does"],
		Object.entries(ACTIONS).map(([type, schema]) => [
			`\`${type}\``,
			...describeFields(schema),
			readComment("src/tools/control/action.ts", `${toPascalCase(type)}Action`),
		]),
	),
	"control-faults": table(
		["action", "`kind`", "its settings", "what the gateway does"],
		Object.entries({ request_fault: REQUEST_FAULTS, webhook_fault: WEBHOOK_FAULTS }).flatMap(
			([type, kinds]) =>
				Object.entries<FaultKind>(kinds).map(([kind, { settings, summary }]) => [
					`\`${type}\``,
					`\`${kind}\``,
					Object.entries<FaultSetting>(settings).map(describeSetting).join(", "),
					summary,
				]),
		),
	),
	"control-errors": table(
		["`code`", "status"],
		Object.entries(PROBLEM_STATUSES).map(([code, status]) => [`\`${code}\``, String(status)]),
	),
	examples: table(
		["example", "what it does", "command"],
		listExamples().map(({ name, sentence }) => [
			`[${name}](${name})`,
			sentence,
			`\`npm run example ${name}\``,
		]),
	),
	"python-verify": showPython("examples/modules/languages/python/webhooks.py", [
		/^TOLERANCE_SECONDS.*/m,
		/^def verify[\s\S]*?(?=\n{3})/m,
	]),
	frameworks: table(["framework", "file", "route", "store for many instances", "tested"], listFrameworks()),
	hosts: `${table(HOSTS.head, HOSTS.rows)}\n${HOSTS.notes.map((note) => `- ${note}\n`).join("")}`,
	"nest-route": showRoute("nestjs/src/webhooks.controller.ts"),
	"store-run": describeRun(STORES) + describeRounds(STORES),
	"speed-run": describeRun(SPEED),
	...Object.fromEntries(
		Object.entries({ ...createStoreTables(STORES), ...createSpeedTables(SPEED) }).map(
			([name, { head, rows }]) => [name, showPicture(name) + table(head, rows)],
		),
	),
};

/** The picture of a measured table, which has its figures. */
function showPicture(name: string): string {
	const picture = PICTURES.get(name.replace(/^(speed|store)-/, ""));
	return picture === undefined ? "" : `![${picture.alt}](${picture.path})\n\n`;
}

/** Parts of a program in Python, and the imports that they need, as a block of code. */
function showPython(path: string, parts: readonly RegExp[]): string {
	const program = readFileSync(path, "utf8");
	const found = parts.map((part) => {
		const [code] = part.exec(program) ?? [];
		if (code === undefined) throw new Error(`${path} has no such part`);
		return code;
	});
	const used = Array.from(program.matchAll(/^import (\w+)$/gm), ([, name = ""]) => name).filter((name) =>
		found.some((code) => code.includes(`${name}.`)),
	);
	return `\`\`\`python\n${[`import ${used.join(", ")}`, "", ...found].join("\n")}\n\`\`\`\n`;
}

/** A quotation in a cell of a table; bars would end the cell, and a row of the specification has them. */
function quote(quotation: string): string {
	return `“${quotation.replace(/^\|\s*|[\s|]+$/g, "").replace(/\s*\|\s*/g, ": ")}”`;
}

function optionTable(members: readonly Member[], kind = "option"): string {
	return table(
		[kind, "meaning", "default"],
		members.map(({ name, text, byDefault }) => [`\`${name}\``, text, showDefault(byDefault)]),
	);
}

/** A code with the anchor to which messages and other pages lead. */
function withAnchor(code: string, prefix = ""): string {
	if (HEADINGS.includes(code)) return `[\`${code}\`](#${code})`;
	return `<a id="${prefix}${code}"></a>\`${code}\``;
}

function codeTable(union: string, prefix?: string): string {
	return table(
		["`code`", "when"],
		readMembers("src/library/errors.ts", union).map(({ name, text }) => [withAnchor(name, prefix), text]),
	);
}

/** The fields that an action needs beside its type, and those that it may have. */
function describeFields(schema: object): [needed: string, optional: string] {
	if (!isZodSchema(schema)) throw new Error("the schemas of actions are made with zod");
	const { def } = (schema as $ZodTypes)._zod;
	if (def.type !== "object") throw new Error("an action is an object");
	const namesOf = (isOptional: boolean): string =>
		Object.entries(def.shape)
			.filter(([name, field]) => name !== "type" && (field._zod.def.type === "optional") === isOptional)
			.map(([name]) => `\`${name}\``)
			.join(", ");
	return [namesOf(false), namesOf(true)];
}

function toPascalCase(name: string): string {
	return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A setting of a fault, with its values. */
function describeSetting([name, setting]: [string, FaultSetting]): string {
	if ("words" in setting) return `\`${name}\`: ${setting.words.map((word) => `\`${word}\``).join(", ")}`;
	const { minimum, maximum, option } = setting;
	return `\`${name}\`${option === undefined ? "" : " (optional)"}: ${minimum} to ${maximum}`;
}
