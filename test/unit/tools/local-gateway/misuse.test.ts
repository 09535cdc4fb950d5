import { ConfigurationError, createLocalGateway, type LocalGatewayOptions } from "messaging-gateway/testing";
import { expect, test } from "vitest";

test.each<[title: string, options: object]>([
	["an option", { agent: ["+15550000001"] }],
	["the rules", { rules: "of" }],
	["a rule", { rules: { duplicateWindowsSeconds: { contact: 0 } } }],
	["a scope", { rules: { duplicateWindowSeconds: { contacts: 0 } } }],
	["a mode", { rules: { consecutive: "warning" } }],
	["a delay", { delays: { sendMs: 1 } }],
])("a misspelling of %s is reported when the gateway is created", (_title, options) => {
	expect(() => createLocalGateway(options as LocalGatewayOptions)).toThrow(ConfigurationError);
});

test("an option that is undefined has its default", async () => {
	await using local = createLocalGateway({
		agents: undefined,
		rules: { duplicateWindowSeconds: { contact: undefined }, consecutive: undefined },
		delays: { sentMs: undefined },
	});
	await local.contact("+15551234567").reply("Hello");
	await local.settled();
	expect(local.deliveries).toEqual([]);
});

test("a misspelling of a fault is reported when it is added", async () => {
	await using local = createLocalGateway();
	expect(() => local.faults.corrupt({ as: "htm" as never })).toThrow(ConfigurationError);
	expect(() => local.faults.dropConnection({ when: "now" as never })).toThrow(ConfigurationError);
});
