import type { RequestMap, ResponseMap } from "../../../library/catalogue/operation-map.ts";
import type { PlanCertainty, PlannedOperation } from "../../adopt/plan/plan-types.ts";
import type { PlannedSend } from "../../adopt/proof/send.ts";
import { hideInPath, hideInWords } from "../../hide-handles.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";
import { inOurWords } from "../words.ts";
import { type Adoption, needsFunction } from "./adopt-gateway.ts";
import { describeDeliveries, describeEvents } from "./describe-events.ts";

const STYLES = { certain: "green", likely: "yellow", open: "red" } as const;

/** The most names that are shown of a request, or of a response. */
const MAX_NAMES = 8;

/** The most routes that are listed. */
const MAX_UNUSED = 12;

/** What was found, for people: it has no number, secret or signature. */
export function describeAdoption(
	terminal: Terminal,
	adoption: Adoption,
	written: string | undefined,
): string {
	const { operations, events, deliveries, unused, requests } = adoption;
	const lines = [...describeSigning(terminal, adoption), ...describeDocument(adoption), ""];
	if (written === undefined) {
		// Without a signed call the rest would be guesses.
		return [...lines, `Wrote nothing, and nothing was sent or changed. ${count(requests, "request")}.`].join(
			"\n",
		);
	}
	for (const operation of operations) lines.push(...describeOperation(terminal, operation));
	lines.push(...describeEvents(terminal, events), ...describeDeliveries(deliveries));
	if (unused.length > 0) {
		const shown = unused.slice(0, MAX_UNUSED).map(printable).join(", ");
		const more = unused.length > MAX_UNUSED ? " …" : "";
		lines.push("", `No operation uses ${count(unused.length, "route")} of the document: ${shown}${more}`);
	}
	if (operations.some(({ source }) => source === "none" || source === "assumption")) {
		lines.push("", 'If one has another name: --set agents.block="POST /its/path", and so for any operation.');
	}
	const has = (certainty: PlanCertainty) => operations.filter((each) => each.certainty === certainty).length;
	const counts = `${has("certain")} certain, ${has("likely")} likely, ${has("open")} open of ${operations.length}`;
	const { sends, sent } = adoption;
	for (const sentence of sent?.sentences ?? [])
		lines.push("", printable(inOurWords(`${capital(sentence)}.`)));
	lines.push(
		"",
		sent === undefined
			? `Nothing was sent and nothing was changed. ${count(requests, "request")}.`
			: `The gateway accepted ${count(sent.accepted, "send")} to the contact. ${count(requests, "request")}.`,
		`Wrote ${printable(written)}: ${counts}.`,
	);
	if (sent === undefined && sends.length > 0) {
		lines.push(
			"",
			"No send is proven. `--force --to NUMBER` would send this to a phone of yours, after you agree:",
		);
		lines.push(...sends.map(describeSend));
	}
	lines.push(
		"",
		`In CI: npx messaging-gateway adopt --check ${printable(written)}   (reads only; exit code 1 if something differs)`,
	);
	return lines.join("\n");
}

/** The list to which the user agrees. */
export function describeSends(sends: readonly PlannedSend[], to: string): string {
	const contact = to.startsWith("+")
		? `the owner of the number ending in ${to.slice(-2)}`
		: "the contact of --to";
	const lines = sends.map(describeSend);
	return `Real messages that ${contact} will get, after a POST of unknown fields to the webhook settings:\n${lines.join("\n")}`;
}

/** The longest body that is shown. */
const MAX_BODY = 120;

/** A request without the number. */
function describeSend({ step: { detail }, request: { method, url, body = "" } }: PlannedSend): string {
	const shown = hideInWords(body).slice(0, MAX_BODY);
	const more = body.length > MAX_BODY ? "…" : "";
	const what = detail === undefined ? "" : `   (${detail})`;
	return printable(`  ${method.padEnd(6)} ${hideInPath(new URL(url).pathname)}   ${shown}${more}${what}`);
}

function capital(sentence: string): string {
	return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function describeSigning(terminal: Terminal, adoption: Adoption): string[] {
	const { signing, diagnosis } = adoption;
	const title = terminal.paint(STYLES[signing], signing.toUpperCase().padEnd(7));
	const choices = Object.entries(diagnosis.signing ?? {}).map(([name, value]) => `${name} ${value}`);
	const form = choices.length === 0 ? "as the specification shows" : choices.join(" · ");
	const blocking = diagnosis.findings.find(
		({ isBlocking, cause }) => isBlocking && cause !== "other_signing_form",
	);
	if (blocking !== undefined) {
		const sentence = `${blocking.message} ${blocking.fix}`;
		return [`Signing  ${title}  ${printable(inOurWords(sentence))}`];
	}
	if (signing === "open")
		return [`Signing  ${title}  the gateway accepts calls with any signature, so none is proven`];
	if (needsFunction(diagnosis)) {
		const help =
			"bodies need a function, which JSON can't hold: `npx messaging-gateway doctor --probe-body` prints it";
		return [`Signing  ${title}  ${form}`, `                  ${help}`];
	}
	const proof = diagnosis.hasTestedBodies
		? "a wrong signature was rejected, this form accepted, with and without a body"
		: "GETs only; --probe-body also tries a body, which changes nothing";
	const { nonce } = adoption;
	const learned = nonce === undefined ? [] : [`                  ${printable(nonce.sentence)}`];
	return [`Signing  ${title}  ${form}   ${proof}`, ...learned];
}

function describeDocument({ document, left }: Adoption): string[] {
	const missed =
		left.length === 0 ? [] : [`                  not used: ${printable(left.slice(0, 5).join(", "))}`];
	if (document === undefined) {
		return [
			"Document none     not at /docs, nor where others have it: give it with --openapi FILE",
			...missed,
		];
	}
	const { trail, version, routes, sha256 } = document;
	const where = printable(trail.join(" -> "));
	const what = `${printable(version)}, ${count(routes, "route")}, sha256 ${sha256.slice(0, 8)}…`;
	return [`Document found    ${where} (${what})`, ...missed];
}

function describeOperation(terminal: Terminal, operation: PlannedOperation): string[] {
	const { id, certainty, source, method, path, profile, questions, notes, proof } = operation;
	const title = terminal.paint(STYLES[certainty], certainty.toUpperCase().padEnd(7));
	const route = method === undefined ? "" : `${method.padEnd(6)} ${path ?? ""}`;
	const [question] = questions;
	if (question !== undefined) {
		const asked = printable(`${id.padEnd(25)} ${route === "" ? "" : `${route}   `}${question.message}`);
		// What is not in the document has the same flag, which stands once, below.
		const flag =
			(method === undefined || operation.source === "assumption") &&
			questions.length === 1 &&
			!question.message.endsWith("?")
				? undefined
				: question.flag;
		const help = [...(flag === undefined ? [] : [flag]), ...notes];
		return [`${title}  ${asked}`, ...help.map((line) => `           ${printable(inOurWords(line))}`)];
	}
	const lines: string[] = [];
	const routes = profile?.routes ?? [];
	for (const { method: other = "", path: at = "", when } of routes.slice(1)) {
		lines.push(`           ${other} ${at} for ${Object.values(when ?? {}).join(", ")}`);
	}
	const request = routes[0]?.request ?? profile?.map?.request;
	const fields = Object.entries(profile?.map?.response?.fields ?? {}).flatMap(describeField);
	for (const renamed of [describeRequest(request ?? {}), fields]) {
		const shown = renamed.slice(0, MAX_NAMES).join("   ");
		if (renamed.length > 0) lines.push(`           ${shown}${renamed.length > MAX_NAMES ? " …" : ""}`);
	}
	for (const note of notes) lines.push(`           ${note}`);
	const first = printable(
		`${id.padEnd(25)} ${route.padEnd(34)} ${source}${proof === undefined ? "" : `, ${proof}`}`,
	);
	return [`${title}  ${first}`, ...lines.map(printable)];
}

function describeRequest(request: RequestMap): string[] {
	return Object.entries(request).flatMap(([place, source]) =>
		source === place ? [] : [`${describeSource(source)} -> ${place}`],
	);
}

function describeSource(source: RequestMap[string]): string {
	if (typeof source === "string") return source;
	if ("uuid" in source) return "(a UUID for each call)";
	if ("value" in source)
		return typeof source.value === "string" && /\d{3}/.test(source.value)
			? "(a value of yours)"
			: JSON.stringify(source.value);
	if ("parts" in source) return source.parts.map(({ when }) => when).join(", ");
	if ("each" in source) return source.each;
	const [first] = Object.entries(source.map ?? {});
	return first === undefined
		? `${source.from} (${source.unit})`
		: `${source.from} (${first[0]} -> ${String(first[1])} …)`;
}

function describeField([name, field]: [string, ResponseMap["fields"][string]]): string[] {
	if (typeof field === "string") return name === field ? [] : [`${name} <- ${field}`];
	return "at" in field ? [`${name} <- ${field.at}`] : [];
}

function count(amount: number, noun: string): string {
	return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
