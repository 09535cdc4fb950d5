import { describe, expect, test } from "vitest";
import {
	describeKind,
	describeLastResponse,
	filterDeliveries,
	isAcknowledged,
	prettyBody,
} from "../../../../src/console/conversations/state/delivery-facts.ts";
import { fromSnapshot } from "../../../../src/console/conversations/state/gateway-state.ts";
import type { AttemptView } from "../../../../src/control/contract.ts";
import { CONTACT, deliveryView, snapshotOf } from "./views.ts";

const attempt = (fields: Partial<AttemptView>): AttemptView => ({
	at: 0,
	timestamp: 0,
	headers: {},
	...fields,
});

describe("the log", () => {
	const { deliveries } = fromSnapshot(
		snapshotOf({
			deliveries: [
				deliveryView({ sequence: 1, kind: "inbound_message" }),
				deliveryView({ sequence: 2, conversationKey: "grp" }),
				deliveryView({ sequence: 3 }),
			],
		}),
		0,
	);
	const ids = (filter: Parameters<typeof filterDeliveries>[1]) =>
		filterDeliveries(deliveries, filter).map(({ sequence }) => sequence);

	test("is filtered, newest first", () => {
		expect(ids({ kind: "all", conversationKey: null })).toEqual([3, 2, 1]);
		expect(ids({ kind: "status", conversationKey: null })).toEqual([3, 2]);
		expect(ids({ kind: "all", conversationKey: CONTACT })).toEqual([3, 1]);
	});
});

describe("a delivery", () => {
	test("shows the last response", () => {
		expect(describeLastResponse(deliveryView())).toBe("not tried yet");
		expect(
			describeLastResponse(deliveryView({ attempts: [attempt({ status: 500 }), attempt({ status: 204 })] })),
		).toBe("204");
		expect(describeLastResponse(deliveryView({ attempts: [attempt({ error: "refused" })] }))).toBe("refused");
		expect(describeLastResponse(deliveryView({ attempts: [attempt({})] }))).toBe("no response");
	});

	test("is acknowledged with any 2xx", () => {
		const acknowledged = [199, 200, 204, 299, 300, 500].filter((status) =>
			isAcknowledged(attempt({ status })),
		);
		expect(acknowledged).toEqual([200, 204, 299]);
		expect(isAcknowledged(attempt({ error: "refused" }))).toBe(false);
	});

	test("of a status names the status", () => {
		expect(describeKind(deliveryView())).toBe("status: delivered");
		expect(describeKind(deliveryView({ body: "{}" }))).toBe("status");
		expect(describeKind(deliveryView({ kind: "inbound_message" }))).toBe("inbound_message");
	});

	test("has an indented body, or an unchanged one if it is not JSON", () => {
		expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
		expect(prettyBody("<html>")).toBe("<html>");
	});
});
