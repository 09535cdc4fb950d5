import type { Profile } from "../../../library/catalogue/profile.ts";
import { hideInWords } from "../../hide-handles.ts";
import { itemsOf } from "../plan/plausible.ts";
import { learnDuplicate } from "./learn-duplicate.ts";
import { renameFields } from "./rename-fields.ts";
import { GUID_OF_TEXT, SEND_STEPS, type TrialStep } from "./steps.ts";
import { isCallable, operationOf, type Trial } from "./trial.ts";
import type { RehearsedRequest, TrialResult } from "./trial-client.ts";
import { carriesData } from "./understand.ts";

/** A request that would be made. */
export interface PlannedSend {
	readonly step: TrialStep;
	readonly request: RehearsedRequest;
}

/** What was learned besides of the operations themselves. */
export interface SendReport {
	readonly duplicates: Profile["duplicates"];
	readonly sentences: readonly string[];
	/** How many sends the gateway accepted. */
	readonly accepted: number;
}

/** How often and how long a text is waited for. */
const WAITS = 5;
const WAIT_MS = 1_000;

/** How often a send whose fields were rejected is made again with other names. */
const MAX_RENAMES = 3;

const UNSHOWN = "accepted, and nothing shows what was sent";

/** What would be sent: nothing is requested. */
export async function rehearseSends(trial: Trial, to: string): Promise<PlannedSend[]> {
	const planned: PlannedSend[] = [];
	const context = { ...trial.context, to, sentGuid: GUID_OF_TEXT };
	for (const step of SEND_STEPS) {
		const input = step.input(context);
		if (typeof input === "string" || !isCallable(trial.planOf(step.operation))) continue;
		const request = await trial.client.rehearse(operationOf(step.operation), input, trial.profile);
		if (request !== undefined) planned.push({ step, request });
	}
	return planned;
}

/** Sends what the user agreed to, and looks whether the gateway shows the same. */
export async function sendAll(trial: Trial, sends: readonly PlannedSend[]): Promise<SendReport> {
	let duplicates: Profile["duplicates"];
	const sentences: string[] = [];
	let isTextAccepted = false;
	let accepted = 0;
	for (const { step } of sends) {
		if (trial.context.isMisled) {
			sentences.push("nothing more was sent: the gateway shows another number for what it got");
			break;
		}
		const isRepeated = step.operation === "messages.sendText" && step.detail !== undefined;
		if (isRepeated) {
			if (!isTextAccepted) continue;
			const result = await call(trial, step);
			if (result.kind === "success" || result.kind === "other_shape") accepted++;
			const report = learnDuplicate(result);
			duplicates = report?.duplicates ?? duplicates;
			if (report !== undefined) sentences.push(report.sentence);
			continue;
		}
		const isAccepted = await sendOne(trial, step);
		if (isAccepted) accepted++;
		if (step.operation === "messages.sendText") isTextAccepted = isAccepted;
	}
	return { duplicates, sentences, accepted };
}

/** @returns whether it was accepted: the contact may have it, also if the response cannot be read. */
async function sendOne(trial: Trial, step: TrialStep): Promise<boolean> {
	const operation = operationOf(step.operation);
	const before = trial.planOf(step.operation);
	const input = step.input(trial.context);
	if (typeof input === "string") {
		trial.note(before, `not tried: ${input}`);
		return false;
	}
	let result = await call(trial, step);
	for (let renames = 0; renames < MAX_RENAMES && result.kind === "rejected"; renames++) {
		if (result.seen.status !== 400 && result.seen.status !== 422) break;
		const renamed = renameFields(operation, trial.planOf(step.operation), result.fieldErrors);
		if (renamed === undefined) break;
		trial.replace(renamed);
		result = await call(trial, step);
	}
	const planned = trial.planOf(step.operation);
	if (result.kind === "rejected" && [400, 422].includes(result.seen.status)) {
		trial.replace(before);
		const fields = result.fieldErrors.map(({ field, issue }) => `${field} ${issue}`).slice(0, 5);
		// A gateway may repeat a number in them.
		const named = fields.length === 0 ? "" : `: ${hideInWords(fields.join(", "))}`;
		trial.ask(planned, `${planned.method} ${planned.path} gets ${result.seen.status}${named}`);
		return false;
	}
	if (result.kind === "failed") {
		trial.note(planned, `whether it was sent isn't known: ${result.problem}`);
		return false;
	}
	const accepted = await trial.judge(operation, planned, input, result, input);
	if (result.kind === "rejected") return false;
	if (accepted === undefined) {
		// It works, and a program gets less of the message than the method promises.
		if (carriesData(result.seen)) {
			trial.replace(planned);
			trial.accept(operation.id, "accepted, but its response has none of our fields");
		}
		return true;
	}
	const isMessage = operation.id.startsWith("messages.send");
	if (isMessage) await findSent(trial, step, accepted.data);
	else trial.accept(operation.id, step.detail === undefined ? "accepted" : `${step.detail} accepted`);
	return true;
}

/** Looks for a message that was accepted: it is certain if the gateway shows the same number and the same text. */
async function findSent(trial: Trial, { operation: id, input }: TrialStep, data: unknown): Promise<void> {
	const { context } = trial;
	const [message] = itemsOf(id, undefined, data);
	const messageId = message?.["messageId"];
	const isReadable = isCallable(trial.planOf("messages.get"));
	if (typeof messageId !== "string" || !isReadable) return trial.accept(id, UNSHOWN);
	const given = input(context);
	const read = operationOf("messages.get");
	const isText = id === "messages.sendText";
	for (let waits = 0; waits <= WAITS; waits++) {
		const called = { messageId };
		const result = await trial.client.call(read, called, trial.profile);
		const shown = await trial.judge(read, trial.planOf("messages.get"), called, result, Object(given));
		if (shown === undefined) return trial.accept(id, UNSHOWN);
		const [sent] = itemsOf("messages.get", undefined, shown.data);
		if (sent === undefined || !isSame(sent, Object(given))) {
			const { to } = Object(given);
			context.isMisled = sent !== undefined && isOtherNumber(sent["to"], to);
			if (context.isMisled && sent?.["from"] === to)
				trial.ask(trial.planOf("messages.get"), "from and to stand the other way round");
			return trial.accept(id, "accepted, but messages.get shows another text or number");
		}
		trial.conclude("messages.get", "seen", shown);
		trial.prove(id, "accepted, and messages.get shows the same");
		if (!isText) return;
		context.sentId = messageId;
		const guid = sent["messageGuid"];
		if (typeof guid === "string" && guid !== "") {
			context.sentGuid = guid;
			return;
		}
		if (waits < WAITS) await trial.sleep(WAIT_MS);
	}
}

/** Whether a message is for somebody else; a gateway may write a number without its plus. */
function isOtherNumber(shown: unknown, given: unknown): boolean {
	const digitsOf = (value: unknown): string => String(value).replace(/\D/g, "");
	return typeof shown === "string" && digitsOf(shown) !== digitsOf(given);
}

function isSame(sent: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>>): boolean {
	const { text = "", attachment, attachments = attachment } = given;
	const hasFiles = attachments !== undefined;
	const files = sent["attachments"];
	return (
		sent["to"] === given["to"] &&
		(sent["text"] ?? "") === text &&
		(!hasFiles || (Array.isArray(files) && files.length > 0))
	);
}

function call(trial: Trial, step: TrialStep): Promise<TrialResult> {
	const input = step.input(trial.context);
	if (typeof input === "string") return Promise.resolve({ kind: "failed", problem: `not sent: ${input}` });
	return trial.client.call(operationOf(step.operation), input, trial.profile);
}
