import { expect, test } from "vitest";
import { Play } from "./play.ts";
import { until } from "./until.ts";

test("there are more events than planned while a fault waits for them", async () => {
	const acknowledged = new Set<string>();
	const busy = { eventsWanted: 0 };
	const struck = Promise.withResolvers<void>();
	let hasBegun = false;
	const strike = (): Promise<void> => {
		hasBegun = true;
		return struck.promise;
	};
	const play = new Play([{ kind: "latePause", mark: 8 }], {
		faults: { strike },
		courier: { acknowledged },
		busy,
		over: new AbortController(),
		events: 10,
	});
	const run = play.run();
	expect(play.limit).toBe(10);
	for (let event = 0; event < 10; event++) acknowledged.add(`evt_${event}`);
	expect(await until(() => hasBegun)).toBe(true);
	expect(play).toMatchObject({ limit: 10, isOver: false });
	busy.eventsWanted = 26;
	expect(play).toMatchObject({ limit: 26, isOver: false });
	struck.resolve();
	await run;
	expect(play).toMatchObject({ limit: 10, isOver: true });
});
