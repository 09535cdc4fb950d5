import { assert, assertEqual } from "../check.ts";
import type { PortableCase } from "../portable-case.ts";
import { createWorld, USER } from "../world.ts";

const TEN_MINUTES_MS = 600_000;

/** Specification, section 5.1: a timestamp more than five minutes off is rejected. */
export const clockSkewCases: readonly PortableCase[] = [
	...([TEN_MINUTES_MS, -TEN_MINUTES_MS].map((skewMs) => ({
		name: `a gateway ten minutes ${skewMs > 0 ? "ahead" : "behind"}`,
		run: (library) => correctOnce(library, skewMs),
	})) satisfies PortableCase[]),
	{
		name: "diagnose finds the clock",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.skewClock(TEN_MINUTES_MS);
			const { findings } = await settle(library.doctor.diagnose(gateway));
			assertEqual(
				findings.map(({ cause }) => cause),
				["clock_off"],
				"findings",
			);
		},
	},
];

/** One correction, which then serves the calls after it. */
async function correctOnce(library: Parameters<PortableCase["run"]>[0], skewMs: number): Promise<void> {
	const warnings: string[] = [];
	const ignore = () => undefined;
	const logger = { debug: ignore, info: ignore, error: ignore, warn: (line: string) => warnings.push(line) };
	const { local, gateway, settle } = createWorld(library, { client: { logger } });
	local.faults.skewClock(skewMs);
	const first = await settle(gateway.messages.sendText({ to: USER, text: "Hello" }).withResponse());
	assertEqual(first.attempts, 2, "attempts of the first call");
	assert(Math.abs((first.clockOffsetMs ?? 0) - skewMs) < 2_000, `an offset of ${first.clockOffsetMs} ms`);
	const second = await settle(gateway.mappings.get(USER).withResponse());
	assertEqual(second.attempts, 1, "attempts of the second call");
	assertEqual(
		local.requests.map(({ status }) => status),
		[401, 202, 200],
		"statuses",
	);
	assertEqual(warnings.length, 1, "warnings");
}
