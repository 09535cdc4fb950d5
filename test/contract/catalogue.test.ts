import { describe, expect, test } from "vitest";
import { checkShape } from "../../src/library/catalogue/check.ts";
import { GATEWAY_ERRORS } from "../../src/library/catalogue/gateway-errors.ts";
import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import { type Operation, pathParameters } from "../../src/library/catalogue/operation.ts";
import { docsOf, sourceOf } from "../../src/library/catalogue/operation-docs.ts";
import { BASE_ERRORS } from "../../src/tools/openapi/responses.ts";
import { operationSamples } from "../support/operation-samples.ts";

const operations: readonly Operation<unknown, unknown, OperationId>[] = OPERATIONS;

/** The contract, written out: a slip in the catalogue turns red here. */
const TABLE = [
	"messages.sendText        | POST   | /message/text                      | never      | 202",
	"messages.sendAttachments | POST   | /message/attachment                | never      | 202",
	"messages.sendVoiceNote   | POST   | /message/voice                     | never      | 202",
	"messages.tapback         | POST   | /message/tapback                   | idempotent | 200",
	"messages.typing          | POST   | /message/typing                    | idempotent | 200",
	"messages.markRead        | POST   | /message/read                      | idempotent | 200",
	"messages.checkCapability | GET    | /capability/{toNumber}             | safe       | 200",
	"messages.get             | GET    | /message/{messageId}               | safe       | 200",
	"agents.register          | POST   | /agent                             | never      | 201",
	"agents.list              | GET    | /agent                             | safe       | 200",
	"agents.get               | GET    | /agent/{agentNumber}               | safe       | 200",
	"agents.assign            | POST   | /agent/assign                      | idempotent | 200",
	"agents.reassign          | POST   | /agent/reassign                    | idempotent | 200",
	"agents.block             | POST   | /agent/{agentNumber}/block         | idempotent | 200",
	"agents.unblock           | POST   | /agent/{agentNumber}/unblock       | idempotent | 200",
	"mappings.get             | GET    | /mapping/{toNumber}                | safe       | 200",
	"mappings.list            | GET    | /mapping                           | safe       | 200",
	"mappings.create          | POST   | /mapping                           | never      | 201",
	"mappings.update          | PATCH  | /mapping/{toNumber}                | idempotent | 200",
	"mappings.reset           | POST   | /mapping/{toNumber}/reset          | idempotent | 200",
	"mappings.delete          | DELETE | /mapping/{toNumber}                | idempotent | 200",
	"settings.setWebhooks     | POST   | /settings/webhooks                 | idempotent | 200",
	"settings.getWebhooks     | GET    | /settings/webhooks                 | safe       | 200",
	"analytics.listMessages   | GET    | /analytics/conversation/{toNumber} | safe       | 200",
	"analytics.listContacts   | GET    | /analytics/contacts                | safe       | 200",
	"analytics.getNumberStats | GET    | /analytics/number/{number}         | safe       | 200",
	"queue.getStatus          | GET    | /queue/status                      | safe       | 200",
	"health.check             | GET    | /health                            | safe       | 200",
].map((row) => row.split("|").map((cell) => cell.trim()));

/** The ids of the operations that fit. */
function idsWhere(fits: (operation: Operation<unknown, unknown>) => unknown): string[] {
	return operations.filter(fits).map(({ id }) => id);
}

describe("the table of operations", () => {
	test("its schemas are made with the subset of zod that the bundles have", () => {
		const vendors = operations.flatMap(({ input, data }) =>
			[input, data].map((schema) => schema["~standard"].vendor),
		);
		expect(new Set(vendors)).toEqual(new Set(["messaging-gateway"]));
	});

	test("ids, methods, paths, retry classes and success statuses are as designed", () => {
		const rows = operations.map(({ id, method, path, retry, successStatus }) => [
			id,
			method,
			path,
			retry,
			String(successStatus),
		]);
		expect(rows).toEqual(TABLE);
	});

	test("ids are unique, and so are pairs of method and path, whatever the parameters are called", () => {
		const routes = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
		expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
		expect(new Set(routes).size).toBe(operations.length);
	});

	test("a read is a GET and safe, and only that", () => {
		for (const { id, method, retry } of operations)
			expect([id, retry === "safe"]).toEqual([id, method === "GET"]);
	});

	test.each(operations.map((operation) => [operation.id, operation] as const))(
		"%s cannot be changed",
		(_id, operation) => {
			expect(Object.isFrozen(operation)).toBe(true);
			expect(docsOf(operation.id).summary).toMatch(/^[A-Z].*\.$/);
		},
	);
});

describe("provenance", () => {
	test("exactly three operations are documented, with their sections", () => {
		const found = operations.flatMap(({ id, provenance }) =>
			provenance === "documented" ? [[id, docsOf(id).section]] : [],
		);
		expect(found).toEqual([
			["mappings.get", "4.1"],
			["settings.setWebhooks", "4.2"],
			["health.check", "4.3"],
		]);
	});

	test("every other one is provisional, with a reason", () => {
		const others = operations.filter(({ provenance }) => provenance !== "documented");
		expect(others).toHaveLength(25);
		for (const { id, provenance } of others) {
			expect([id, provenance, docsOf(id).section]).toEqual([id, "provisional", undefined]);
			expect(sourceOf(docsOf(id))).toMatch(/section 4\.4.*not shown/);
		}
	});

	test("only the mapping's data is documented: the specification shows no other response", () => {
		expect(idsWhere(({ isDataDocumented }) => isDataDocumented)).toEqual(["mappings.get"]);
	});
});

describe("exceptions to the rule", () => {
	test("health alone is unsigned and without an envelope (section 4.3)", () => {
		expect(idsWhere(({ isSigned }) => !isSigned)).toEqual(["health.check"]);
		expect(idsWhere(({ hasEnvelope }) => !hasEnvelope)).toEqual(["health.check"]);
	});

	test("the sends alone have a field of another name on the wire: status_callback (section 4.2)", () => {
		const sends = ["messages.sendText", "messages.sendAttachments", "messages.sendVoiceNote"];
		expect(idsWhere(({ wireNames }) => Object.keys(wireNames).length > 0)).toEqual(sends);
		for (const id of sends) {
			expect(operations.find((operation) => operation.id === id)?.wireNames).toEqual({
				statusCallback: "status_callback",
			});
		}
	});

	test("reassigning from a named agent is never retried, and a deleted mapping may be gone already", () => {
		expect(idsWhere(({ neverRetryWith }) => neverRetryWith)).toEqual(["agents.reassign"]);
		expect(operations.find(({ id }) => id === "agents.reassign")?.neverRetryWith).toBe("fromAgentNumber");
		const gone = operations.flatMap(({ id, dataWhenGone }) =>
			dataWhenGone === undefined ? [] : [[id, dataWhenGone]],
		);
		expect(gone).toEqual([["mappings.delete", { deleted: true }]]);
	});

	test("lists name the array that their pages hold", () => {
		const pages = operations.flatMap(({ id, pageItems }) =>
			pageItems === undefined ? [] : [[id, pageItems]],
		);
		expect(pages).toEqual([
			["agents.list", "agents"],
			["mappings.list", "mappings"],
			["analytics.listMessages", "messages"],
			["analytics.listContacts", "contacts"],
		]);
		for (const [id, items] of pages)
			expect(operationSamples[id as never]["data"][items as never]).toBeInstanceOf(Array);
	});

	test("methods are named like their operation, but for tapbacks and typing", () => {
		const methods = operations.map(({ id }) => [id, docsOf(id).methods] as const);
		expect(methods.filter(([id, names]) => names.join() !== id.split(".")[1])).toEqual([
			["messages.tapback", ["addTapback", "removeTapback"]],
			["messages.typing", ["startTyping", "stopTyping"]],
		]);
	});
});

describe("path parameters", () => {
	const pairs = operations.flatMap((operation) =>
		pathParameters(operation.path).map((name) => [operation.id, name, operation] as const),
	);

	test("there are 11", () => {
		expect(pairs).toHaveLength(11);
	});

	test.each(pairs)("%s demands {%s} in its input", async (id, name, operation) => {
		const { [name]: value, ...without } = operationSamples[id as never]["input"] as Record<string, unknown>;
		expect(value).toBeDefined();
		expect(await checkShape(operation.input, without)).toMatchObject({ ok: false, issues: [{ path: name }] });
		expect(await checkShape(operation.input, { ...without, [name]: "" })).toMatchObject({
			ok: false,
			issues: [{ path: name }],
		});
	});
});

describe("errors", () => {
	test("every code has the status that the design gives it", () => {
		const byStatus = Object.entries(GATEWAY_ERRORS).map(([code, { status }]) => `${status} ${code}`);
		expect(byStatus).toEqual([
			"400 VALIDATION_ERROR",
			"401 UNAUTHORIZED",
			"403 AGENT_BLOCKED",
			"403 MAX_CONSECUTIVE_EXCEEDED",
			"404 NOT_FOUND",
			"404 AGENT_NOT_FOUND",
			"404 GROUP_NOT_FOUND",
			"404 MAPPING_NOT_FOUND",
			"404 MESSAGE_NOT_FOUND",
			"405 METHOD_NOT_ALLOWED",
			"409 AGENT_EXISTS",
			"409 ASSIGNMENT_CONFLICT",
			"409 DUPLICATE_MESSAGE",
			"409 MAPPING_EXISTS",
			"413 ATTACHMENT_TOO_LARGE",
			"415 UNSUPPORTED_MEDIA_TYPE",
			"422 NATIVE_UNSUPPORTED",
			"429 RATE_LIMITED",
			"500 INTERNAL_ERROR",
			"503 NO_AGENT_AVAILABLE",
			"503 SERVICE_UNAVAILABLE",
		]);
	});

	const send =
		"AGENT_NOT_FOUND GROUP_NOT_FOUND AGENT_BLOCKED MAX_CONSECUTIVE_EXCEEDED DUPLICATE_MESSAGE NO_AGENT_AVAILABLE";
	const designed: Record<string, string> = {
		"messages.sendText": send,
		"messages.sendAttachments": `${send} ATTACHMENT_TOO_LARGE UNSUPPORTED_MEDIA_TYPE`,
		"messages.sendVoiceNote": `${send} ATTACHMENT_TOO_LARGE UNSUPPORTED_MEDIA_TYPE`,
		"messages.tapback": "MESSAGE_NOT_FOUND NATIVE_UNSUPPORTED",
		"messages.typing": "MAPPING_NOT_FOUND GROUP_NOT_FOUND",
		"messages.markRead": "MAPPING_NOT_FOUND GROUP_NOT_FOUND",
		"messages.get": "MESSAGE_NOT_FOUND",
		"agents.register": "AGENT_EXISTS",
		"agents.get": "AGENT_NOT_FOUND",
		"agents.assign": "AGENT_NOT_FOUND MAPPING_EXISTS AGENT_BLOCKED",
		"agents.reassign": "MAPPING_NOT_FOUND AGENT_NOT_FOUND ASSIGNMENT_CONFLICT",
		"agents.block": "AGENT_NOT_FOUND",
		"agents.unblock": "AGENT_NOT_FOUND",
		"mappings.get": "MAPPING_NOT_FOUND",
		"mappings.create": "MAPPING_EXISTS NO_AGENT_AVAILABLE",
		"mappings.update": "MAPPING_NOT_FOUND",
		"mappings.reset": "MAPPING_NOT_FOUND",
		"mappings.delete": "MAPPING_NOT_FOUND",
		"analytics.listMessages": "MAPPING_NOT_FOUND",
		"analytics.getNumberStats": "AGENT_NOT_FOUND",
	};

	test.each(operations.map(({ id }) => [id, docsOf(id).errors] as const))(
		"%s declares at least the designed codes",
		(id, errors) => {
			const expected = designed[id]?.split(" ") ?? [];
			expect([...errors]).toEqual(expect.arrayContaining(expected));
			if (expected.length === 0) expect(errors).toEqual([]);
			expect(new Set([...errors, ...BASE_ERRORS]).size).toBe(errors.length + BASE_ERRORS.length);
		},
	);
});
