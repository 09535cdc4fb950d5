import { MessagingGateway, NotFoundError } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { areaOf, createCalledGateway, METHODS } from "../support/operation-calls.ts";

const ALICE = "+15551234567";

test.each(METHODS)(
	"$name: sends that method and path, and its data has the declared shape",
	async (given) => {
		const { operation, method } = given;
		const { local, warnings, callMethod } = await createCalledGateway();
		await using _ = local;
		const before = local.requests.length;

		const data = await callMethod(operation.id, method);

		const [request] = local.requests.slice(before);
		expect(request?.method).toBe(operation.method);
		expect(decodeURIComponent(request?.path ?? "")).toMatch(patternOf(operation.path));
		expect(request?.operationId).toBe(operation.id);
		expect(request?.status).toBe(operation.successStatus);
		expect(request?.headers["authorization"] !== undefined).toBe(operation.isSigned);
		expect((await operation.data["~standard"].validate(data)).issues).toBeUndefined();
		expect(warnings).toEqual([]);
	},
);

test("every operation has arguments here, and every method of the client belongs to an operation", () => {
	const gateway = new MessagingGateway();
	const declared = METHODS.map(({ operation, method }) => `${areaOf(operation.id)}.${method}`).sort();
	const existing = [...new Set(OPERATIONS.map(({ id }) => areaOf(id)))]
		.flatMap((area) => {
			const resource: object = gateway[area as keyof MessagingGateway] as object;
			const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
			return names.filter((name) => name !== "constructor").map((name) => `${area}.${name}`);
		})
		.sort();
	expect(existing).toEqual(declared);
});

test("an unknown path is reported as assumed", async () => {
	await using local = createLocalGateway();
	const response = async (): Promise<Response> => new Response("<h1>Not Found</h1>", { status: 404 });
	const gateway = new MessagingGateway({ ...local.clientOptions, fetch: response });
	await expect(gateway.queue.getStatus()).rejects.toThrow(
		/is assumed.*operations\["queue\.getStatus"\]\.path/,
	);
	await expect(gateway.queue.getStatus()).rejects.toBeInstanceOf(NotFoundError);
	await expect(gateway.mappings.get(ALICE)).rejects.not.toThrow(/is assumed/);
});

function patternOf(path: string): RegExp {
	return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
