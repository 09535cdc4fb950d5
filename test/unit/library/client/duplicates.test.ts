import { DuplicateMessageError, MessagingGateway, type Profile } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { USER } from "../../../support/wire.ts";

test.each<[title: string, duplicates: NonNullable<Profile["duplicates"]>]>([
	["by default", {}],
	["a 429 with its code only", { status: 429, code: "E1042", infoPath: null }],
	["a 422 with the info in its details", { status: 422, infoPath: "error.details.duplicate" }],
	["a 400 with the info at the root of the error", { status: 400, code: "E1042", infoPath: "error" }],
	["a 409 with the info beside the error", { infoPath: "data.duplicate" }],
])("the client and the local gateway agree on a duplicate: %s", async (_title, duplicates) => {
	await using local = createLocalGateway({ profile: { duplicates } });
	const gateway = new MessagingGateway(local.clientOptions);
	const send = () => gateway.messages.sendText({ to: USER, text: "Hello" });
	await send();
	const error = await catchRejection(send());
	expect(error).toBeInstanceOf(DuplicateMessageError);
	const { status = 409, code = "DUPLICATE_MESSAGE", infoPath } = duplicates;
	const duplicate = infoPath === null ? undefined : expect.objectContaining({ isDuplicate: true });
	expect(error).toMatchObject({ status, gatewayCode: code, duplicate, attempts: 1 });
	expect(error).toHaveProperty("gatewayMessage", expect.stringMatching(/^Blocked by the duplicate rule/));
	expect(error).toHaveProperty("requestId", expect.any(String));
});
