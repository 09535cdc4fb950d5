import { signedFetch } from "./signed-fetch";

/** Sends a request of a generated function. */
export async function orvalFetch<Result>(path: string, init: RequestInit): Promise<Result> {
	const response = await signedFetch(new Request(`${process.env.MESSAGING_GATEWAY_BASE_URL}${path}`, init));
	return { data: await response.json(), status: response.status, headers: response.headers } as Result;
}
