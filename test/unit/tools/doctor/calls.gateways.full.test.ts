import { expect, test } from "vitest";
import {
	combine,
	examineSynthetic,
	FORM_CHOICES,
	MANNER_CHOICES,
	PLAIN,
	type SyntheticGateway,
} from "./synthetic-gateway.ts";

/** Diagnoses each gateway, and counts what is certain, and how many requests that takes. */
async function count(gateways: readonly SyntheticGateway[]) {
	const kinds = { certain: 0, reads: 0, open: 0 };
	const requests: number[] = [];
	for (const gateway of gateways) {
		const verdict = await examineSynthetic(gateway);
		expect(verdict.wrong, JSON.stringify({ gateway, diagnosis: verdict.diagnosis })).toEqual([]);
		kinds[verdict.kind] += 1;
		requests.push(verdict.requests);
	}
	requests.sort((left, right) => left - right);
	return { ...kinds, median: requests[requests.length >> 1] ?? 0, most: requests.at(-1) ?? 0 };
}

/** One in so many, whichever the combinations are that follow each other. */
function everyNth<Item>(items: readonly Item[], step: number): Item[] {
	return items.filter((_, at) => at % step === 0);
}

const FORMS = combine(FORM_CHOICES);
const MANNERS = combine(MANNER_CHOICES);

test("gateways that differ in one thing from what the package assumes", async () => {
	const choices = Object.entries({ ...FORM_CHOICES, ...MANNER_CHOICES });
	const gateways = choices.flatMap(([name, values]) => values.map((value) => ({ ...PLAIN, [name]: value })));
	expect(await count(gateways)).toEqual({ certain: 44, reads: 5, open: 3, median: 11, most: 34 });
});

test("gateways of every form: two of eleven write bodies in a way that has no name", async () => {
	const gateways = everyNth(FORMS, 13).map((form) => ({ ...PLAIN, ...form }));
	expect(await count(gateways)).toEqual({ certain: 134, reads: 29, open: 0, median: 25, most: 53 });
}, 120_000);

test("gateways of all manners: half of them check no signature of a read", async () => {
	const gateways = MANNERS.map((manners, at) => ({
		...PLAIN,
		...FORMS[(at * 131) % FORMS.length],
		...manners,
	}));
	expect(await count(everyNth(gateways, 29))).toEqual({
		certain: 19,
		reads: 90,
		open: 160,
		median: 21,
		most: 60,
	});
}, 120_000);
