import { expect, test } from "vitest";
import { bundleForUser } from "../support/bundle.ts";

/** Nothing but the doctor has it. */
const OWN_WORD = "credentials_or_dialect";

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
