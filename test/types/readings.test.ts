import { createLocalGateway, type LocalGateway, type ReadingName, readings } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { expectTypeOf, test } from "vitest";

/** Never called: what matters is which of it compiles. */
function createEach(): unknown[] {
	const names: ReadingName[] = ["webhooks are not retried"];
	names.push("the query is signed");
	return [
		createLocalGateway({ readings: ["webhooks are not retried", "each retry has a new event id"] }),
		createLocalGateway({ readings: names }),
		createLocalGateway({ readings: readings.map(({ name }) => name) }),
		readings.map(({ name, options }) =>
			createLocalGateway({ ...options, readings: [name, "the query is signed"] }),
		),
		listen({ readings: ["kept connections are cut"] }),
		// @ts-expect-error a misspelt name
		createLocalGateway({ readings: ["webhooks are not retryed"] }),
		// @ts-expect-error any string
		createLocalGateway({ readings: ["webhooks are not retried" as string] }),
		// @ts-expect-error the readings themselves have a name each
		createLocalGateway({ readings }),
		// @ts-expect-error only readings choose it
		createLocalGateway({ rules: { compareText: "exact" } }),
		// @ts-expect-error only readings choose it
		createLocalGateway({ webhooks: { retryAfter: "honoured" } }),
		// @ts-expect-error only readings choose it
		createLocalGateway({ unknownFields: "ignored" }),
		// @ts-expect-error no reading has this name
		readings.find(({ name }) => name === "webhooks are never retried"),
	];
}

test("names are known to the compiler", () => {
	expectTypeOf(createEach).returns.toEqualTypeOf<unknown[]>();
	expectTypeOf<(typeof readings)[number]["name"]>().toEqualTypeOf<ReadingName>();
	expectTypeOf<string>().not.toExtend<ReadingName>();
	expectTypeOf(createLocalGateway).returns.toEqualTypeOf<LocalGateway>();
});
