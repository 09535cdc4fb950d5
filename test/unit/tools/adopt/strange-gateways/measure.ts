/** Runs `adopt` against a gateway as a user would, and counts what comes out. */
import { MessagingGateway } from "messaging-gateway";
import { expect } from "vitest";
import { profileFromJson } from "../../../../../src/library/maps/profile-from-json.ts";
import { readHints } from "../../../../../src/tools/adopt/plan/read-hints.ts";
import { type Adoption, adoptGateway } from "../../../../../src/tools/cli/adopt/adopt-gateway.ts";
import { describeAdoption } from "../../../../../src/tools/cli/adopt/describe-adoption.ts";
import { Terminal } from "../../../../../src/tools/cli/terminal.ts";
import { AGENTS, CONTACT, CONTACTS } from "./account.ts";
import {
	STRANGE_APP,
	type StrangeGateway,
	type StrangeShape,
	startStrangeGateway,
} from "./strange-gateway.ts";
import { type Outcome, tryOperation } from "./try-operation.ts";

export interface Measured {
	readonly adoption: Adoption;
	readonly text: string;
	/** By operation of the truth, and those that are certain beside it. */
	readonly outcomes: Readonly<Record<string, Outcome & { certainty: string }>>;
	readonly requests: number;
	/** What left before the user agreed, and who got it. */
	readonly before: { readonly sent: number; readonly changed: readonly string[] };
	readonly strangers: readonly string[];
	readonly falseCertain: readonly string[];
	/** What the output has that it must not have. */
	readonly leaks: readonly string[];
	readonly answers: readonly string[];
}

export type Mode = "alone" | "hints" | "consent";

const TERMINAL = new Terminal({ isJson: false });

/** One run. */
async function run(
	gateway: StrangeGateway,
	answers: readonly string[],
	{
		consents,
		secret,
		address,
	}: { consents: boolean; secret: string | undefined; address: string | undefined },
) {
	let before = { sent: 0, changed: [] as string[] };
	const note = (): void => {
		before = { sent: gateway.account.deliveries.length, changed: [...gateway.account.changes] };
	};
	let isAsked = false;
	const access = {
		baseUrl: address ?? gateway.baseUrl,
		appId: STRANGE_APP,
		appSecret: secret ?? gateway.appSecret,
		profile: undefined,
	};
	const adoption = await adoptGateway(access, {
		hints: readHints(answers, undefined, (problem) => new RangeError(problem)),
		eventHints: { kinds: {}, maps: undefined },
		saved: [],
		openapi: undefined,
		probeBody: !consents,
		probeNumber: undefined,
		to: consents ? CONTACT : undefined,
		confirm: async () => {
			isAsked = true;
			note();
			return true;
		},
		onStep: () => {},
	});
	if (!isAsked) note();
	return { adoption, before };
}

/** What the user answers to the flags of the output: the truth, for what is asked. */
function answer(adoption: Adoption, shape: StrangeShape, given: readonly string[]): string[] {
	const more: string[] = [];
	for (const { id, certainty, method, path, questions } of adoption.operations) {
		const truth = shape.truth[id];
		if (truth === undefined || certainty === "certain") continue;
		const planned = method === undefined ? "" : `${method} ${path}`;
		const isOther = shapeOf(planned) !== shapeOf(truth.route);
		// A route that is not the right one is named by who knows it.
		if (isOther && certainty === "open") more.push(`${id}=${truth.route}`);
		for (const { flag = "" } of questions) {
			const [, place = "", asked] = flag.startsWith(`--set ${id}.`)
				? (/^([^=]+)=(.*)$/.exec(flag.slice(`--set ${id}.`.length)) ?? [])
				: [];
			for (const [name, value] of Object.entries(truth.places ?? {})) {
				if (name === place || (place === "NAME" && value === asked)) more.push(`${id}.${name}=${value}`);
			}
			if (flag.includes("defaults.from=") && shape.from !== undefined)
				more.push(`defaults.from=${shape.from}`);
		}
	}
	return [...new Set(more)].filter((each) => !given.includes(each));
}

function shapeOf(line: string): string {
	return line.replace(/\{\w+\}/g, "{}");
}

/**
 * @param secret - another one than the gateway's.
 * @param address - another one than the gateway's.
 */
export async function measure(
	shape: StrangeShape,
	mode: Mode,
	secret?: string,
	address?: string,
): Promise<Measured> {
	let answers: string[] = [];
	for (let round = 0; mode !== "alone" && round < 3; round += 1) {
		await using gateway = await startStrangeGateway(shape);
		const { adoption } = await run(gateway, answers, { consents: false, secret, address });
		const more = answer(adoption, shape, answers);
		if (more.length === 0) break;
		answers = [...answers, ...more];
	}
	await using gateway = await startStrangeGateway(shape);
	const { adoption, before } = await run(gateway, answers, { consents: mode === "consent", secret, address });
	const requests = gateway.seen.length;
	const wanted = CONTACT;
	const strangers = gateway.account.deliveries
		.filter(({ to }) => to !== wanted)
		.map(({ kind, to }) => `${kind} to ${to.slice(-4)}`);
	const { signing, isHealthy } = adoption.diagnosis;
	const isWritten = signing !== undefined || isHealthy !== false;
	const text = describeAdoption(TERMINAL, adoption, isWritten ? "profile.json" : undefined);
	const client = new MessagingGateway({
		baseUrl: gateway.baseUrl,
		appId: STRANGE_APP,
		appSecret: secret ?? gateway.appSecret,
		profile: profileFromJson(adoption.profile),
		maxRetries: 0,
		logLevel: "off",
	});
	const outcomes: Record<string, Outcome & { certainty: string }> = {};
	for (const { id, certainty } of adoption.operations) {
		if (shape.truth[id] === undefined && certainty !== "certain") continue;
		outcomes[id] = {
			...(await tryOperation(id, { gateway: client, account: gateway.account, shape })),
			certainty,
		};
	}
	const falseCertain = Object.entries(outcomes).flatMap(([id, outcome]) =>
		outcome.certainty === "certain" && outcome.kind !== "right" ? [`${id}: ${outcome.why}`] : [],
	);
	return {
		adoption,
		text,
		outcomes,
		requests,
		before,
		strangers,
		falseCertain,
		leaks: findLeaks(adoption, text, gateway, answers),
		answers,
	};
}

function findLeaks(
	adoption: Adoption,
	text: string,
	gateway: StrangeGateway,
	answers: readonly string[],
): string[] {
	const { sends: _sends, profile, operations, ...rest } = adoption;
	const shown = `${text}\n${JSON.stringify({ ...rest, operations: operations.map(({ profile: _, ...each }) => each) })}\n${JSON.stringify(profile)}`;
	const given = answers.join(" ");
	const numbers = [
		CONTACT,
		...AGENTS.map(({ number }) => number),
		...CONTACTS.map(({ number }) => number),
	].map((number) => number.slice(1));
	const secrets = [
		gateway.appSecret,
		STRANGE_APP,
		"Message 0",
		"Desk one",
		...gateway.account.messages.map(({ id }) => id),
	];
	return [...numbers, ...secrets].filter((each) => shown.includes(each) && !given.includes(each));
}

/** How many of the gateway's operations work, and how many are certain. */
export function figuresOf({ outcomes, adoption }: Measured): string {
	const all = Object.values(outcomes);
	const works = all.filter(({ kind }) => kind === "right").length;
	const certain = adoption.operations.filter((each) => each.certainty === "certain").length;
	return `${works} of ${all.length}, ${certain} certain`;
}

/**
 * What holds for every gateway.
 * @param misleads - whether it sends to somebody else than the request says.
 */
export function expectHarmless(measured: Measured, { misleads = false } = {}): void {
	const { before, strangers, falseCertain, leaks, requests } = measured;
	expect({ before, falseCertain, leaks }).toEqual({
		before: { sent: 0, changed: [] },
		falseCertain: [],
		leaks: [],
	});
	expect(strangers.length).toBe(misleads && measured.adoption.sent !== undefined ? 1 : 0);
	expect(requests).toBeLessThanOrEqual(150);
}
