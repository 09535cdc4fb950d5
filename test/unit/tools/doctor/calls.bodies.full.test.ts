import { AuthenticationError, MessagingGateway, type SigningProfile } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { causesOf, runProfileSource, triedBy } from "./diagnosed.ts";

/** How a gateway's JSON library writes a body. */
interface Library {
	/** Writes a UTF-16 code unit of a string; `undefined` for one that is not escaped. */
	readonly unit?: (unit: string) => string | undefined;
	/** Orders the fields of an object at a level. @default sorted */
	readonly order?: (names: readonly string[], level: number) => readonly string[];
	/** @default [",", ":", ""] */
	readonly separators?: readonly [comma: string, colon: string, end: string];
	readonly isWithoutNulls?: boolean;
	/** @default as JavaScript does */
	readonly number?: (value: number) => string;
}

const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, "0");
const lower = (pattern: RegExp) => (unit: string) => (pattern.test(unit) ? `\\u${hex(unit)}` : undefined);
const upper = (pattern: RegExp) => (unit: string) =>
	pattern.test(unit) ? `\\u${hex(unit).toUpperCase()}` : undefined;

/** Writes JSON by hand, as a library does. */
function writeAs(library: Library): (body: unknown) => string {
	const { unit = () => undefined, order = (names) => names.toSorted(), isWithoutNulls = false } = library;
	const [comma, colon, end] = library.separators ?? [",", ":", ""];
	const letter = (one: string): string => {
		const units = one.split("").map((half) => unit(half));
		return units.includes(undefined) ? JSON.stringify(one).slice(1, -1) : units.join("");
	};
	const write = (value: unknown, level: number): string => {
		if (typeof value === "string") return `"${[...value].map(letter).join("")}"`;
		if (typeof value === "number") return library.number?.(value) ?? String(value);
		if (Array.isArray(value)) return `[${value.map((item) => write(item, level + 1)).join(comma)}]`;
		if (typeof value !== "object" || value === null) return String(value);
		const fields = new Map<string, unknown>(Object.entries(value));
		const names = order([...fields.keys()], level).filter(
			(name) => !isWithoutNulls || fields.get(name) !== null,
		);
		return `{${names.map((name) => `"${name}"${colon}${write(fields.get(name), level + 1)}`).join(comma)}}`;
	};
	return (body) => write(body, 0) + end;
}

const NOT_ASCII = /[^\0-\x7f]/;
/** Without what JSON escapes anyway. */
const NOT_PRINTABLE = /[^\0-\x7e]/;
const PHP: Library = {
	unit: (unit) => (unit === "/" ? "\\/" : lower(NOT_ASCII)(unit)),
};

function clientOf(local: LocalGateway, signing?: SigningProfile): MessagingGateway {
	const { profile: _, ...shared } = local.clientOptions;
	return new MessagingGateway({ ...shared, logLevel: "off", profile: { signing } });
}

/** What a client finds of a gateway that hashes bodies as a library writes them. */
async function examine(library: Library, signing?: SigningProfile) {
	await using local = createLocalGateway({ profile: { signing: { canonicalBody: writeAs(library) } } });
	const gateway = clientOf(local, signing);
	const diagnosis = await diagnose(gateway, { probeBody: true });
	const posted = local.requests.filter(({ method }) => method === "POST");
	const isOwnAccepted = await acceptsCalls(gateway);
	if (diagnosis.profileSource === undefined) return { diagnosis, posted, isOwnAccepted };
	const pasted = clientOf(local, runProfileSource(diagnosis.profileSource).signing);
	return { diagnosis, posted, isOwnAccepted, isPastedAccepted: await acceptsCalls(pasted) };
}

/** Whether calls are accepted whose bodies are as those of applications. */
async function acceptsCalls({ messages, settings }: MessagingGateway): Promise<boolean> {
	const to = "+15551234567";
	const url = "https://a.example/é?a=1&b=2";
	const text = 'Zoë <3 & "quotes" \\" it\'s 1/2 + 1 = 1.5 `x`\u2028👋\u2029\n\tend\\\x7f';
	const results = await Promise.allSettled([
		messages.sendText({ to, text }),
		messages.sendAttachments({ to, attachments: [{ url }] }),
		settings.setWebhooks({ inboundWebhookUrl: url, statusWebhookUrl: null }),
		messages.startTyping({ to, durationMs: 1_000 }),
	]);
	return results.every((result) => !("reason" in result && result.reason instanceof AuthenticationError));
}

describe("the form of bodies", () => {
	test.each<[title: string, library: Library, words: string]>([
		["Go", { unit: lower(/[<>&\u2028\u2029]/) }, '"html_escaped" (like Go\'s encoding/json)'],
		[
			"Go without its HTML escapes",
			{ unit: lower(/[\u2028\u2029]/), separators: [",", ":", "\n"] },
			"a line break at the end, U+2028 as \\u2028",
		],
		[
			"Python",
			{ unit: lower(NOT_PRINTABLE), separators: [", ", ": ", ""] },
			'"ascii_spaced" (like Python\'s json.dumps)',
		],
		[
			"Python without spaces",
			{ unit: lower(NOT_PRINTABLE) },
			'"ascii" (like Python\'s json.dumps without spaces)',
		],
		["PHP", PHP, '"ascii_slashes" (like PHP\'s json_encode)'],
		[
			"PHP with Unicode",
			{ unit: (unit) => (unit === "/" ? "\\/" : lower(/[\u2028\u2029]/)(unit)) },
			"/ as \\/, U+2028 as \\u2028",
		],
		[
			"Swift",
			{ unit: (unit) => (unit === "/" ? "\\/" : undefined) },
			'"slashes" (like Swift\'s JSONEncoder)',
		],
		[".NET", { unit: upper(/[^\0-\x7e]|["&'+<>`]/) }, "(like .NET's System.Text.Json)"],
		[
			"PHP with Unicode and all its escapes",
			{ unit: (unit) => (unit === "/" ? "\\/" : upper(/["&'<>]/)(unit)) },
			"<, > and & as \\u003C, \\u003E and \\u0026, / as \\/, quotation marks as \\u0022 and \\u0027",
		],
		["escaped emoji", { unit: upper(/[\ud800-\udfff]/) }, "with 👋 as \\uD83D\\uDC4B instead of"],
		[
			"Gson",
			{ unit: lower(/[<>&'=\u2028\u2029]/), isWithoutNulls: true },
			"no nulls, <, > and & as \\u003c, \\u003e and \\u0026, U+2028 as \\u2028, ' and = as \\u0027 and \\u003d",
		],
		["no nulls in PHP", { ...PHP, isWithoutNulls: true }, "no nulls, é as \\u00e9, / as \\/"],
	])("is found and named, with a profile to paste: %s", async (_title, library, words) => {
		const { diagnosis, posted, isOwnAccepted, isPastedAccepted } = await examine(library);
		expect(isOwnAccepted).toBe(false);
		expect(
			triedBy(diagnosis)
				.filter((line) => line.includes("body"))
				.slice(0, 2),
		).toEqual(["wrongly_signed_body rejected", "signed_body rejected"]);
		expect(causesOf(diagnosis)).toEqual(["other_signing_form"]);
		expect(diagnosis.findings[0]?.message).toContain(words);
		const name = /"\w+"/.exec(words)?.[0];
		expect(diagnosis.profileSource).toContain(
			name === undefined
				? words.match(/[^(]*/)?.[0].replace(/^canonicalBody | instead.*/g, "")
				: `canonicalBody: ${name},`,
		);
		// A wrong signature, the client's own form, and the others with a name.
		if (name !== undefined) expect(posted.length).toBeLessThanOrEqual(8);
		expect(diagnosis).toMatchObject({ isHealthy: false, hasTestedBodies: true });
		expect(isPastedAccepted).toBe(true);
	});
});

describe("a gateway that the client's own form satisfies", () => {
	test.each<[title: string, library: Library]>([
		["fields as they come", { order: (names) => names }],
		["the first level sorted", { order: (names, level) => (level === 0 ? names.toSorted() : names) }],
		["all levels sorted", {}],
	])("is healthy, and any other is not: %s", async (_title, library) => {
		for (const signing of [{}, { canonicalBody: "json" as const }]) {
			const { diagnosis, isOwnAccepted, isPastedAccepted } = await examine(library, signing);
			expect(diagnosis.isHealthy).toBe(isOwnAccepted);
			expect(isPastedAccepted).toBe(isOwnAccepted ? undefined : true);
		}
	});

	test("and that leaves nulls out is healthy: a note has the form for a codec that writes them", async () => {
		const { diagnosis, isOwnAccepted, isPastedAccepted } = await examine({ isWithoutNulls: true });
		expect([diagnosis.isHealthy, isOwnAccepted, isPastedAccepted]).toEqual([true, true, true]);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "other_signing_form",
				isBlocking: false,
				message: expect.stringMatching(
					/"no_nulls" \(like .*\) instead of "rfc8785".*Only a body with a null differs/,
				),
			},
		]);
	});
});

describe("a form that is not found", () => {
	test.each<[title: string, library: Library, what: string]>([
		[
			"spaces around separators",
			{ separators: [" , ", " : ", ""] },
			"bodies are rejected, even one with a single short field.",
		],
		["falling order", { order: (names) => names.toSorted().toReversed() }, "three fields, or nested fields."],
		[
			"nested fields left out, as by an array for JSON.stringify",
			{ order: (names, level) => (level === 0 ? names.toSorted() : []) },
			"if they have nested fields.",
		],
		["numbers as doubles", { number: (value) => value.toFixed(1) }, "if they have a number."],
		[
			"letters and slashes as entities",
			{ unit: (unit) => (unit === "é" ? "&eacute;" : unit === "/" ? "&sol;" : undefined) },
			"if they have a letter such as é, or a slash.",
		],
	])("is reported with what bodies may not have: %s", async (_title, library, what) => {
		const { diagnosis, isOwnAccepted } = await examine(library);
		expect(isOwnAccepted).toBe(false);
		expect(diagnosis).toMatchObject({ isHealthy: false, hasTestedBodies: false, profileSource: undefined });
		expect(diagnosis.findings).toMatchObject([
			{ cause: "unknown_signing_form", certainty: "certain", isBlocking: true },
		]);
		expect(diagnosis.findings[0]?.message).toMatch(/^Signed GETs work, but bodies are rejected/);
		expect(diagnosis.findings[0]?.message).toContain(what);
	});

	test("is reported if a failing gateway ends the search", async () => {
		await using local = createLocalGateway({
			profile: { signing: { canonicalBody: writeAs({ ...PHP, isWithoutNulls: true }) } },
		});
		let posts = 0;
		const fetch = (url: string, init: RequestInit): Promise<Response> => {
			if (init.method === "POST") posts += 1;
			return posts > 10
				? Promise.resolve(new Response("", { status: 503 }))
				: local.clientOptions.fetch(url, init);
		};
		const { profile: _, ...options } = local.clientOptions;
		const diagnosis = await diagnose(new MessagingGateway({ ...options, fetch }), { probeBody: true });
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "unknown_signing_form",
				message:
					"Signed GETs work, but bodies are rejected. The search for their form ended early: POST /settings/webhooks got 503.",
			},
		]);
	});
});

describe("the bodies that are posted", () => {
	test("have a wrong signature first, and no key of a gateway", async () => {
		const { diagnosis, posted } = await examine({ ...PHP, isWithoutNulls: true });
		const probes = diagnosis.checks.filter(({ method }) => method === "POST").map(({ probe }) => probe);
		expect(probes).toEqual([
			"wrongly_signed_body",
			...Array.from({ length: posted.length - 1 }, () => "signed_body"),
		]);
		expect(posted.length).toBeLessThanOrEqual(36);
		for (const { path, body } of posted) {
			expect(path).toBe("/settings/webhooks");
			expect(Object.keys(JSON.parse(body) as object).every((key) => key.startsWith("probe"))).toBe(true);
		}
	});

	test("are a single one, if its wrong signature is accepted", async () => {
		await using local = createLocalGateway();
		const bodies: unknown[] = [];
		const fetch = (url: string, init: RequestInit): Promise<Response> => {
			if (init.method !== "POST") return local.clientOptions.fetch(url, init);
			bodies.push(init.body);
			return Promise.resolve(new Response('{"ok":true,"data":{}}', { status: 200 }));
		};
		const diagnosis = await diagnose(new MessagingGateway({ ...local.clientOptions, fetch }), {
			probeBody: true,
		});
		expect(bodies).toHaveLength(1);
		expect(diagnosis).toMatchObject({ isHealthy: null, hasTestedBodies: false });
		expect(diagnosis.untested.join("\n")).toContain(
			"Bodies are unproven: a body with a wrong signature got 200",
		);
	});
});
