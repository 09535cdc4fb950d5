import fc from "fast-check";
import { memoryStore } from "messaging-gateway/webhooks";
import { test } from "vitest";
import { cases } from "../../../support/cases.ts";
import { LEASE_MS, RETENTION_MS } from "../../../support/claims.ts";
import { walkBesideModel, walks, walkWithTokens } from "../../../support/event-store-walks.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";

const steps = walks(1, LEASE_MS / 2, LEASE_MS - 1, LEASE_MS, LEASE_MS * 3, RETENTION_MS - 1, RETENTION_MS);

function createStore(maxEntries?: number) {
	const clock = fixedClock(1_767_225_600_000);
	const advance = async (ms: number) => {
		clock.nowMs += ms;
	};
	return { store: memoryStore({ clock, maxEntries }), advance };
}

test("over any claims, extensions, ends, crashes and pauses it returns what the plain model does", async () => {
	await fc.assert(
		fc.asyncProperty(steps, (drawn) => walkBesideModel(createStore(), drawn)),
		{ numRuns: cases(500) },
	);
});

test.each([undefined, 1])(
	"only the last token given for an event does anything, and tokens only grow; with maxEntries %s",
	async (maxEntries) => {
		const canBeFull = maxEntries !== undefined;
		await fc.assert(
			fc.asyncProperty(steps, (drawn) => walkWithTokens(createStore(maxEntries), drawn, { canBeFull })),
			{ numRuns: cases(500) },
		);
	},
);
