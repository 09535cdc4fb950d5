import { expect } from "vitest";
import { CommandFailure } from "../../../../src/tools/cli/failure.ts";
import { readDuration } from "../../../../src/tools/cli/gateway-options.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const DURATIONS: Outcomes<string> = {
	"500 ms": { milliseconds: "500ms", "a fraction that is rounded": "499.5 ms" },
	"0 ms": { none: "0s", "a fraction that is rounded down": "0.4 ms" },
	"90000 ms": {
		seconds: "90s",
		"a space before the unit": "90 s",
		"several digits after the point": "90.0004s",
	},
	"300000 ms": { "minutes as m": "5m" },
	"600000 ms": { "minutes as min": "10min", "minutes as min, after a space": "10 min" },
	"5400000 ms": { "a fraction": "1.5h", "a fraction, after a space": "1.5 h" },
	"172800000 ms": { days: "2d" },
	"rejected: Write 500 ms, 90 s, 10 min, 1 h or 2 d.": {
		"an empty string": "",
		"no unit": "5",
		"no number": "m",
		"a negative number": "-5m",
		"an exponent": "1e3s",
		"no digit before the point": ".5s",
		"no digit after the point": "1.s",
		"two spaces": "5  m",
		"a space before the number": " 5 m",
		"a newline at the end": "5 m\n",
		"a unit in words": "5 minutes",
		"a unit in upper case": "5 M",
		"two units": "1h 30m",
		"a unit that every object has": "5 constructor",
	},
};

testOutcomes(DURATIONS, (duration) => {
	try {
		return `${readDuration(duration)} ms`;
	} catch (error) {
		if (!(error instanceof CommandFailure)) throw error;
		expect(error.message).toBe(`${duration} isn't a duration`);
		return `rejected: ${error.hint}`;
	}
});
