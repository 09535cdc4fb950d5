import { expect, test } from "vitest";
import { writeSendCommand } from "../../../../../src/tools/console/conversations/state/send-command.ts";

const START = "npx messaging-gateway send --to +15551234567 --text Hello";

test.each([
	["http://localhost:8080", START],
	["http://localhost:9000", `${START} --base-url http://localhost:9000`],
	["http://192.0.2.7:8080", `${START} --base-url http://192.0.2.7:8080`],
])("for %s the command has the options it needs", (baseUrl, command) => {
	expect(writeSendCommand(baseUrl)).toBe(command);
});
