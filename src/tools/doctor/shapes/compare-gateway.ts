import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import type { HttpMethod, Operation } from "../../../library/catalogue/operation.ts";
import type { Profile } from "../../../library/catalogue/profile.ts";
import type { GatewayCall } from "../../../library/client/gateway-call.ts";
import { type ReadResponse, readResponse } from "../../../library/client/response.ts";
import {
	ApiError,
	DuplicateMessageError,
	isMessagingGatewayError,
	ResponseShapeError,
} from "../../../library/errors.ts";
import { utf8 } from "../../../library/signing/bytes.ts";
import type { CatalogueOperation } from "../../routes.ts";
import { markOf } from "../calls/probe.ts";
import { type ComparedCall, compareResponse } from "./compare-response.ts";
import type { ObservedCall, ProfileChange, ShapeComparison } from "./comparison.ts";
import { type PlannedCall, STEPS, type StepContext } from "./steps.ts";

/** The methods of a client that the comparison uses. */
export interface ComparedClient {
	call(operation: Operation<unknown, unknown>, input: unknown): GatewayCall<unknown>;
	request(method: HttpMethod, path: string): GatewayCall<unknown>;
}

/** What to compare, and how. */
export interface CompareOptions {
	readonly profile: Profile;
	/** A client with this profile, which makes one attempt per call. */
	readonly client: ComparedClient;
	readonly steps: readonly PlannedCall[];
	/** The number to send to; without it, nothing is sent. */
	readonly to: string | undefined;
	/** The text to send. Each run needs a new one: the gateway may reject a repeated text as a duplicate. */
	readonly text: string;
	readonly sleep: (ms: number) => Promise<void>;
	/** Called after each call. */
	readonly onComparison?: (comparison: ShapeComparison) => void;
}

/** The comparisons of a gateway's responses. */
export interface GatewayComparison {
	readonly comparisons: readonly ShapeComparison[];
	/** Calls that could not be made, and why. */
	readonly skipped: readonly { readonly operation: OperationId; readonly reason: string }[];
	readonly remedies: ReadonlyMap<OperationId, ProfileChange>;
}

/** A path that no gateway has: how it responds there shows which operations are missing. */
const UNKNOWN_PATH = "/path-that-no-gateway-has";

/** How often and how long a step waits for a message to be sent. */
const WAITS = 5;
const WAIT_MS = 1_000;

/** The steps of some operations, or all; without a number to send to, only those that read. */
export function chooseSteps(
	only: readonly OperationId[] | undefined,
	canSend: boolean,
): readonly PlannedCall[] {
	const chosen = only === undefined ? STEPS : STEPS.filter(({ operation }) => only.includes(operation));
	return canSend ? chosen : chosen.filter(({ isSend }) => !isSend);
}

/** Calls a gateway step by step, and compares its responses with the catalogue. A rejected call is a result; it does not throw. */
export async function compareGateway(options: CompareOptions): Promise<GatewayComparison> {
	const { profile, client, steps, to, text, sleep, onComparison } = options;
	const unknown = await observe(client.request("GET", UNKNOWN_PATH));
	const unknownPathMark = unknown.read === undefined ? undefined : markOf(unknown.read);
	const context: StepContext = { to, text };
	const comparisons: ShapeComparison[] = [];
	const skipped: { operation: OperationId; reason: string }[] = [];
	const remedies = new Map<OperationId, ProfileChange>();

	for (const step of steps) {
		const operation = operationOf(step.operation);
		const input = step.input(context);
		if (typeof input === "string") {
			skipped.push({ operation: step.operation, reason: input });
			continue;
		}
		const make = async (): Promise<ComparedCall> => {
			const call: ObservedCall = {
				operation,
				override: profile.operations?.[step.operation],
				profile,
				input,
				...(step.detail === undefined ? {} : { detail: step.detail }),
				isRepeated: step.isRepeated ?? false,
				...(await observe(client.call(operation, input))),
			};
			return compareResponse(call, unknownPathMark);
		};
		const { comparison, remedy } = await makeUntilReady(step, context, make, sleep);
		comparisons.push(comparison);
		onComparison?.(comparison);
		if (remedy !== undefined) {
			const before = remedies.get(step.operation);
			const profile = { ...before?.profile, ...remedy.profile };
			remedies.set(step.operation, { ...before, ...remedy, profile });
		}
	}
	return { comparisons, skipped, remedies };
}

async function makeUntilReady(
	{ learn, isTooEarly }: PlannedCall,
	context: StepContext,
	make: () => Promise<ComparedCall>,
	sleep: (ms: number) => Promise<void>,
): Promise<ComparedCall> {
	for (let waits = 0; ; waits += 1) {
		const compared = await make();
		learn?.(compared, context);
		const isDone = isTooEarly === undefined || !isTooEarly(context) || compared.data === undefined;
		if (isDone || waits === WAITS) return compared;
		await sleep(WAIT_MS);
	}
}

function operationOf(id: OperationId): CatalogueOperation {
	const operation = OPERATIONS.find((candidate) => candidate.id === id);
	if (operation === undefined) throw new TypeError(`${id} is not in the catalogue`);
	return operation;
}

/** How a call ended: with a response, or without. */
async function observe(
	call: GatewayCall<unknown>,
): Promise<Pick<ObservedCall, "read" | "failure" | "isDuplicate">> {
	try {
		const { response } = await call.withResponse();
		return { read: toRead(response.status, response.headers, await response.text()) };
	} catch (error) {
		if (error instanceof ApiError || error instanceof ResponseShapeError)
			return {
				read: toRead(error.status, new Headers(), error.readBody()),
				isDuplicate: error instanceof DuplicateMessageError,
			};
		if (isMessagingGatewayError(error)) return { read: undefined, failure: error.message };
		throw error;
	}
}

/** @param text - `undefined` if the body could not be read to its end. */
function toRead(status: number, headers: Headers, text: string | undefined): ReadResponse {
	const body = text === undefined ? undefined : utf8(text);
	return readResponse({ status, statusText: "", headers, body, roundTripMs: 0, receivedAt: 0 }, 0);
}
