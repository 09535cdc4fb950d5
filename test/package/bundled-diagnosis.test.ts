import { expect, test } from "vitest";
import { bundleForUser } from "../../bench/sizes/bundle.ts";

/** Nothing but the doctor has it. */
const OWN_WORD = "credentials_or_dialect";

test("the bundle of a client in one file carries no doctor", async () => {
	const { outputFiles } = await bundleForUser(`export { MessagingGateway } from "messaging-gateway";`);
	expect(outputFiles).toHaveLength(1);
	expect(outputFiles[0]?.text).toContain("ECONNREFUSED");
	expect(outputFiles[0]?.text).not.toContain(OWN_WORD);
});

test("a bundle of client and doctor in one file diagnoses", async () => {
	const { outputFiles } = await bundleForUser(`
		export { MessagingGateway } from "messaging-gateway";
		export { diagnose } from "messaging-gateway/doctor";`);
	expect(outputFiles).toHaveLength(1);
	const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.text ?? "").toString("base64")}`;
	const {
		MessagingGateway,
		diagnose,
	}: typeof import("messaging-gateway") & typeof import("messaging-gateway/doctor") = await import(url);
	const gateway = new MessagingGateway({
		baseUrl: "https://gateway.example",
		appId: "app-1",
		appSecret: "s",
		fetch: async () => new Response("{}", { status: 401 }),
	});
	const { findings, checks } = await diagnose(gateway);
	expect(findings).toMatchObject([{ cause: OWN_WORD }, { cause: "health_unavailable" }]);
	expect(checks.length).toBeGreaterThan(3);
});
