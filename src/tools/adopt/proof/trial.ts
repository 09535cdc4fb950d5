import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { judgeRead } from "../plan/only-reads.ts";
import { idKeyOf } from "../plan/plan-operations.ts";
import type { PlannedOperation } from "../plan/plan-types.ts";
import { findImplausible, itemsOf } from "../plan/plausible.ts";
import { RESULT_SHAPES } from "../plan/result-names.ts";
import { wordsOf } from "../plan/words.ts";
import { findDoubt } from "./find-doubt.ts";
import { planFromSeen } from "./plan-from-seen.ts";
import { learn, READ_STEPS, type StepContext, type TrialStep } from "./steps.ts";
import type { SeenResponse, TrialClient, TrialResult } from "./trial-client.ts";

/** What the trial found of the whole gateway. */
export interface FoundParts {
	/** Whether a change that succeeds may have no body. */
	readonly emptyResponses: boolean;
}

/** What is tried, and with what. */
export interface TrialOptions {
	readonly plan: readonly PlannedOperation[];
	/** The routes of the document. */
	readonly routes: readonly DocumentRoute[];
	readonly client: TrialClient;
	readonly context: StepContext;
	/** What a profile file would hold with these operations. */
	readonly profileWith: (
		plan: readonly PlannedOperation[],
		found: FoundParts,
	) => Readonly<Record<string, unknown>>;
	/** Whether another shape than the plan's is a difference, instead of a better plan. */
	readonly isCheck: boolean;
	readonly sleep: (ms: number) => Promise<void>;
}

/** Words that a GET which only reads does not have in its path. */
const DANGER =
	/^(flush|reset|purge|delete|remove|send|rotate|restart|sync|trigger|run|clear|retry|cancel|revoke|generate|regenerate|test|logout|disconnect|enable|disable|start|stop|ping)$/;

/** A success as a program gets it. */
interface Understood {
	readonly data: unknown;
	/** Our fields that it lacks. */
	readonly lacks: readonly string[];
	/** Why it proves nothing although it can be read. */
	readonly doubt: string | undefined;
}

/** Tries the operations of a plan on the gateway, and notes what each proves. */
export class Trial {
	readonly context: StepContext;
	readonly client: TrialClient;
	readonly sleep: TrialOptions["sleep"];
	readonly #options: TrialOptions;
	readonly #plan: Map<OperationId, PlannedOperation>;
	#found: FoundParts = { emptyResponses: false };
	/** The response to a path that no gateway has. */
	#unknownMark: string | undefined;

	constructor(options: TrialOptions) {
		this.context = options.context;
		this.client = options.client;
		this.sleep = options.sleep;
		this.#options = options;
		this.#plan = new Map(options.plan.map((planned) => [planned.id, planned]));
	}

	/** The operations with what was proven of them. */
	get plan(): readonly PlannedOperation[] {
		return [...this.#plan.values()];
	}

	/** What a profile file would hold now. */
	get profile(): Readonly<Record<string, unknown>> {
		return this.#options.profileWith(this.plan, this.#found);
	}

	planOf(id: OperationId): PlannedOperation {
		const planned = this.#plan.get(id);
		if (planned === undefined) throw new RangeError(`${id} is not in the plan`);
		return planned;
	}

	/** Notes that the doctor posted unknown fields to the webhook settings, and that they were accepted. */
	proveSettings(isAccepted: boolean): void {
		const { source } = this.planOf("settings.setWebhooks");
		if (isAccepted && source === "specification") this.prove("settings.setWebhooks", "seen without URLs");
	}

	/** Makes every call that only reads: a GET that the document, the specification or the user names. */
	async read(): Promise<void> {
		this.#unknownMark = markOf(await this.client.requestUnknown(this.profile));
		for (const step of READ_STEPS) await this.#readOne(step);
	}

	/** Reads again what was not seen before a message was sent. */
	async readAgain(): Promise<void> {
		for (const step of READ_STEPS) {
			const planned = this.planOf(step.operation);
			if (planned.certainty === "certain") continue;
			const { proof, ...rest } = planned;
			const notes = planned.notes.filter((note) => !isOfRead(note));
			this.replace(proof === ONE_PAGE ? { ...rest, notes } : { ...planned, notes });
			await this.#readOne(step);
		}
	}

	async #readOne(step: TrialStep): Promise<void> {
		const planned = this.planOf(step.operation);
		if (!isCallable(planned)) return;
		if (planned.method !== "GET") return this.note(planned, "not called: only a GET is sure to read");
		const { path = "", source } = planned;
		const isDangerous = path
			.split("/")
			.flatMap(wordsOf)
			.some((word) => DANGER.test(word));
		if (isDangerous || (source === "document" && judgeRead(planned.id, path) !== "reads"))
			return this.note(planned, "not called: its path may do more than read");
		const input = step.input(this.context);
		if (typeof input === "string") return this.note(planned, `${NOT_SEEN}${input}`);
		const operation = operationOf(step.operation);
		if (operation.pageItems !== undefined) return this.#readPages(operation, planned, input);
		const result = await this.judge(operation, planned, input, await this.#call(operation, input));
		if (result === undefined) return;
		if (hasNothing(operation, result.data)) return this.ask(planned, "its response has none of our fields");
		learn(this.context, operation, result.data);
		this.conclude(operation.id, "seen", result);
	}

	/** A list is only certain if its second page is another one, or if nothing says that there are pages. */
	async #readPages(
		operation: CatalogueOperation,
		planned: PlannedOperation,
		input: Readonly<Record<string, unknown>>,
	): Promise<void> {
		const limited = hasPlaceFor("limit", planned) ? { ...input, limit: 1 } : input;
		const first = await this.#call(operation, limited);
		const isLimitRejected = limited !== input && first.kind === "rejected" && first.seen.status === 400;
		const called = isLimitRejected ? input : limited;
		const result = await this.judge(
			operation,
			planned,
			called,
			isLimitRejected ? await this.#call(operation, input) : first,
		);
		if (result === undefined) return;
		learn(this.context, operation, result.data);
		const items = itemsOf(operation.id, operation.pageItems, result.data);
		if (items.length === 0) return this.note(this.planOf(operation.id), `${NOT_SEEN}its list is empty`);
		const cursor = isJsonObject(result.data) ? result.data["nextCursor"] : undefined;
		if (typeof cursor === "string") return this.#readSecond(operation, { ...called, cursor }, items);
		const isWhole = this.planOf(operation.id).paging === undefined;
		if (isWhole) return this.conclude(operation.id, "seen", result);
		this.accept(operation.id, ONE_PAGE);
	}

	async #readSecond(
		operation: CatalogueOperation,
		input: Readonly<Record<string, unknown>>,
		items: readonly unknown[],
	): Promise<void> {
		const planned = this.planOf(operation.id);
		const result = await this.judge(operation, planned, input, await this.#call(operation, input));
		if (result === undefined) return;
		const seen = new Set(items.map((item) => JSON.stringify(item)));
		const others = itemsOf(operation.id, operation.pageItems, result.data);
		if (others.some((item) => seen.has(JSON.stringify(item))))
			return this.ask(planned, "page 2 repeats page 1: the next page is asked for in another way");
		if (planned.paging === "page" && !(await this.#isFirstPage(operation, input, items)))
			return this.ask(planned, "its pages are not counted from 1, and a profile counts from there");
		this.conclude(operation.id, "seen, 2 pages", result);
	}

	/** Whether page 1 is what comes without a number: where pages are counted from 0, a list would skip one. */
	async #isFirstPage(
		operation: CatalogueOperation,
		input: Readonly<Record<string, unknown>>,
		items: readonly unknown[],
	): Promise<boolean> {
		const called = { ...input, cursor: "1" };
		const result = await this.judge(
			operation,
			this.planOf(operation.id),
			called,
			await this.#call(operation, called),
		);
		const [item] = itemsOf(operation.id, operation.pageItems, result?.data);
		return JSON.stringify(item) === JSON.stringify(items[0]);
	}

	/**
	 * What a call shows: its data under our names, also if the plan had other places. What contradicts the plan is noted.
	 * @param said - what a message must have, by our names.
	 * @returns `undefined` unless it is a success that can be read.
	 */
	async judge(
		operation: CatalogueOperation,
		planned: PlannedOperation,
		input: unknown,
		result: TrialResult,
		said: Readonly<Record<string, unknown>> = {},
	): Promise<Understood | undefined> {
		if (result.kind === "failed") return this.note(planned, `${NOT_SEEN}${result.problem}`);
		if (result.kind === "rejected") return this.#judgeRejected(planned, result);
		const first = await this.#understand(operation, input, planned, result);
		const isRight = !("problem" in first) && first.lacks.length === 0;
		if (isRight) return first;
		if (this.#options.isCheck) {
			return "problem" in first ? this.ask(planned, `differs: ${first.problem}`) : first;
		}
		const seen = planFromSeen(operation, planned, result.seen, this.#routeOf(planned), {
			said,
			idKey: idKeyOf(this.planOf("messages.get").path),
		});
		if ("problem" in seen) {
			if (!("problem" in first)) return first;
			const isPage = operation.pageItems !== undefined;
			if (isPage && /\[\s*\]/.test(result.seen.text))
				return this.note(planned, `${NOT_SEEN}its list is empty`);
			return this.ask(planned, seen.problem);
		}
		const notes = [...planned.notes, ...(seen.note === undefined ? [] : [seen.note])];
		const better: PlannedOperation = { ...planned, profile: seen.profile, notes };
		const again = await this.#understand(operation, input, better, result, true);
		const isBetter = !("problem" in again) && ("problem" in first || again.lacks.length < first.lacks.length);
		if (isBetter) {
			this.replace(better);
			return again;
		}
		if (!("problem" in first)) return first;
		if (result.seen.text.trim() === "" && !this.#found.emptyResponses) {
			this.#found = { emptyResponses: true };
			const empty = await this.#understand(operation, input, planned, result, true);
			if (!("problem" in empty)) return empty;
			this.#found = { emptyResponses: false };
		}
		return this.ask(planned, `its response differs: ${first.problem}`);
	}

	/** What a program makes of a response that came, with a plan. */
	async #understand(
		operation: CatalogueOperation,
		input: unknown,
		planned: PlannedOperation,
		given: TrialResult & { readonly seen: SeenResponse },
		isReplayed = false,
	): Promise<Understood | { readonly problem: string }> {
		const others = this.plan.map((each) => (each.id === planned.id ? planned : each));
		const profile = this.#options.profileWith(others, this.#found);
		const { seen } = given;
		const result = isReplayed ? await this.client.replay(operation, input, profile, seen) : given;
		if (result.kind !== "success" && result.kind !== "other_shape") return { problem: "another outcome" };
		const loose =
			result.kind === "success" ? result : await this.client.replay(operation, input, profile, seen, false);
		if (loose.kind !== "success") return { problem: "problem" in result ? result.problem : "" };
		const implausible = findImplausible(operation, loose.data, input);
		if (implausible !== undefined) return { problem: implausible };
		const places = result.kind === "other_shape" ? result.places : [];
		const isLack = (place: string): boolean => place !== "" && valueAt(loose.data, place) === undefined;
		if (result.kind === "other_shape" && !places.every(isLack)) return { problem: result.problem };
		const lacks = new Set(places.map((place) => place.split(".").at(-1) ?? ""));
		const needs = RESULT_SHAPES[operation.id]?.needs ?? [];
		const [needed] = needs.filter((name) => lacks.has(name));
		if (needed !== undefined) return { problem: `it has no ${needed}` };
		// What is nowhere in the data is no shape of it.
		if (operation.pageItems !== undefined && lacks.has(operation.pageItems))
			return { problem: "it has no list" };
		const doubt = findDoubt(operation, planned.profile?.map?.response, dataOf(seen.text));
		return { data: loose.data, lacks: [...lacks], doubt };
	}

	#judgeRejected(planned: PlannedOperation, result: TrialResult & { kind: "rejected" }): undefined {
		const { seen, code } = result;
		const shown = code !== undefined && /^[A-Z_]{1,64}$/.test(code) ? ` ${code}` : "";
		const got = `${planned.method} ${planned.path} gets ${seen.status}${shown}`;
		const isMissing = [404, 405].includes(seen.status) && markOf(result) === this.#unknownMark;
		if (!isMissing) return this.note(planned, `${NOT_SEEN}${got}`);
		const where = planned.source === "document" ? ", though the document has it" : "";
		return this.ask(planned, `${got}${where}`);
	}

	#routeOf({ method, path }: PlannedOperation): DocumentRoute | undefined {
		const shape = (template = ""): string => template.replace(/\{\w+\}/g, "{}");
		return this.#options.routes.find(
			(route) => route.method === method && shape(route.path).endsWith(shape(path)),
		);
	}

	#call(operation: CatalogueOperation, input: unknown): Promise<TrialResult> {
		return this.client.call(operation, input, this.profile);
	}

	replace(planned: PlannedOperation): void {
		this.#plan.set(planned.id, planned);
	}

	/** Notes what was seen; what lacks fields, or may be taken from other ones, is not certain. */
	conclude(id: OperationId, proof: string, { lacks, doubt }: Understood): void {
		if (lacks.length > 0) this.accept(id, `${proof}, without ${lacks.join(", ")}`);
		else if (doubt !== undefined) this.accept(id, `${proof}, but ${doubt}`);
		else this.prove(id, proof);
	}

	/** Notes that an operation works, and how that was seen. */
	prove(id: OperationId, proof: string): void {
		const planned = this.planOf(id);
		const notes = planned.notes.filter((note) => !isOfRead(note));
		this.#plan.set(id, { ...planned, certainty: "certain", proof, questions: [], notes });
	}

	/** Notes that a call was accepted, and that nothing shows what it did. */
	accept(id: OperationId, proof: string): void {
		const planned = this.planOf(id);
		const { proof: before } = planned;
		const isSaid = before === undefined || (before.startsWith("seen") && proof.startsWith("seen"));
		const proofs = isSaid ? proof : before.split(", ").includes(proof) ? before : `${before}, ${proof}`;
		this.#plan.set(id, { ...planned, certainty: "likely", proof: proofs, questions: [] });
	}

	/** Notes what is open: it stays out of the profile. */
	ask(planned: PlannedOperation, message: string): undefined {
		const { id } = planned;
		const flag = `--set ${id}="METHOD /path"`;
		this.#plan.set(id, {
			...planned,
			certainty: "open",
			profile: undefined,
			questions: [{ message, flag: planned.source === "flags" ? undefined : flag }],
		});
	}

	note(planned: PlannedOperation, note: string): undefined {
		const notes = [...new Set([...planned.notes, note])];
		this.#plan.set(planned.id, { ...planned, notes });
	}
}

/** What a read notes that proves nothing; another one may prove more. */
const NOT_SEEN = "not seen: ";
const ONE_PAGE = "seen, one page: its paging is not proven";

function isOfRead(note: string): boolean {
	return note.startsWith(NOT_SEEN);
}

/** Whether a call of it could work. */
export function isCallable({ certainty, source }: PlannedOperation): boolean {
	return certainty !== "open" || source === "assumption";
}

/** Whether none of the fields came that an operation returns. */
function hasNothing({ id, pageItems }: CatalogueOperation, data: unknown): boolean {
	const names = Object.keys(RESULT_SHAPES[id]?.fields ?? {});
	const items = itemsOf(id, pageItems, data);
	return names.length > 0 && items.every((item) => names.every((name) => item[name] === undefined));
}

/** Whether a route has a place for a field of ours. */
function hasPlaceFor(field: string, { profile }: PlannedOperation): boolean {
	const { request } = profile?.map ?? {};
	return request === undefined || Object.values(request).includes(field);
}

/** The operation of an id. */
export function operationOf(id: OperationId): CatalogueOperation {
	const operation = OPERATIONS.find((candidate) => candidate.id === id);
	if (operation === undefined) throw new RangeError(`${id} is no operation`);
	return operation;
}

/** Whether a response is a success of section 2.1. */
export function carriesData({ text }: SeenResponse): boolean {
	return dataOf(text) !== undefined;
}

/** The data in the envelope of a success. */
function dataOf(text: string): unknown {
	try {
		const body: unknown = JSON.parse(text);
		return isJsonObject(body) ? body["data"] : undefined;
	} catch {
		return undefined;
	}
}

/** The value at names with dots between them. */
function valueAt(data: unknown, place: string): unknown {
	return place.split(".").reduce<unknown>((parent, name) => {
		if (Array.isArray(parent)) return parent[Number(name)];
		return isJsonObject(parent) ? parent[name] : undefined;
	}, data);
}

/** What distinguishes a rejection: its status, and its code. */
function markOf(result: TrialResult): string | undefined {
	return result.kind === "rejected" ? `${result.seen.status} ${result.code}` : undefined;
}
