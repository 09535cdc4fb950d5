import type { RESOURCES, Share } from "./resources.ts";

/** Where a run of the tests serves what its workers share. */
export const VARIABLE = "TEST_RESOURCES_URL";

/** A share of what is started once for the run. */
export async function share<Name extends keyof typeof RESOURCES>(name: Name): Promise<Share<Name>> {
	const url = process.env[VARIABLE];
	if (url === undefined) throw new Error(`nothing is shared here: call serveResources() first`);
	const response = await fetch(`${url}/${name}`);
	if (!response.ok) throw new Error(await response.text());
	return response.json();
}
