import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { judgeRead } from "../plan/only-reads.ts";
import { idKeyOf } from "../plan/plan-operations.ts";
import type { PlannedOperation } from "../plan/plan-types.ts";
import { itemsOf } from "../plan/plausible.ts";
import { wordsOf } from "../plan/words.ts";
import { planFromSeen } from "./plan-from-seen.ts";
import { isOfRead, NOT_SEEN, ONE_PAGE, ProvenPlan } from "./proven-plan.ts";
import { learn, READ_STEPS, type StepContext, type TrialStep } from "./steps.ts";
import type { SeenResponse, TrialClient, TrialResult } from "./trial-client.ts";
import { hasNothing, type Understood, understand } from "./understand.ts";

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

/** Tries the operations of a plan on the gateway, and notes what each proves. */
export class Trial extends ProvenPlan {
	readonly context: StepContext;
	readonly client: TrialClient;
	readonly sleep: TrialOptions["sleep"];
	readonly #options: TrialOptions;
	#found: FoundParts = { emptyResponses: false };
	/** The response to a path that no gateway has. */
	#unknownMark: string | undefined;

	constructor(options: TrialOptions) {
		super(options.plan);
		this.context = options.context;
		this.client = options.client;
		this.sleep = options.sleep;
		this.#options = options;
	}

	/** What a profile file would hold now. */
	get profile(): Readonly<Record<string, unknown>> {
		return this.#options.profileWith(this.plan, this.#found);
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
			return this.ask(planned, "its pages aren't counted from 1, and a profile counts from there");
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

	#understand(
		operation: CatalogueOperation,
		input: unknown,
		planned: PlannedOperation,
		given: TrialResult & { readonly seen: SeenResponse },
		isReplayed = false,
	) {
		const others = this.plan.map((each) => (each.id === planned.id ? planned : each));
		const profile = this.#options.profileWith(others, this.#found);
		return understand(this.client, { operation, input, planned, profile }, given, isReplayed);
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
}

/** Whether a call of it could work. */
export function isCallable({ certainty, source }: PlannedOperation): boolean {
	return certainty !== "open" || source === "assumption";
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

/** What distinguishes a rejection: its status, and its code. */
function markOf(result: TrialResult): string | undefined {
	return result.kind === "rejected" ? `${result.seen.status} ${result.code}` : undefined;
}
