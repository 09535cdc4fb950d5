import { expect, test } from "vitest";
import { bundleForUser } from "../../bench/sizes/bundle.ts";

const CLIENT = `export { MessagingGateway } from "messaging-gateway";`;

/** Nothing else of the client has it. */
const OWN_WORD = "credentials_or_dialect";

test("a bundler that splits puts the diagnosis into its own file, which is loaded only when it is used", async () => {
	const { metafile, outputFiles } = await bundleForUser(CLIENT, { splitting: true });
	const holders = outputFiles.filter(({ text }) => text.includes(OWN_WORD));
	expect(holders).toHaveLength(1);
	const name = holders[0]?.path.split("/").at(-1) ?? "none";
	const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
	const uses = imports.filter(({ path }) => path.endsWith(`/${name}`));
	expect(uses.map(({ kind }) => kind)).toEqual(["dynamic-import"]);
});

test("it works in a bundle of one file", async () => {
	const { outputFiles } = await bundleForUser(CLIENT);
	expect(outputFiles).toHaveLength(1);
	const code = outputFiles[0]?.text ?? "";
	expect(code).toContain(OWN_WORD);
	const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
	const { MessagingGateway }: typeof import("messaging-gateway") = await import(url);
	const gateway = new MessagingGateway({
		baseUrl: "https://gateway.example",
		appId: "app-1",
		appSecret: "s",
		fetch: async () => new Response("{}", { status: 401 }),
	});
	const { findings, checks } = await gateway.diagnose();
	expect(findings).toMatchObject([{ cause: OWN_WORD }, { cause: "health_unavailable" }]);
	expect(checks.length).toBeGreaterThan(3);
});
