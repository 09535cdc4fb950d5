import { MessagingGateway } from "messaging-gateway";
import { describeMessages } from "../support/message-table.ts";

const credentials = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret-1" };

/** A client of which a user in plain JavaScript got an option wrong. */
function create(options: object): MessagingGateway {
	return new MessagingGateway({ ...credentials, ...options });
}

describeMessages("secrets, as people paste them", [
	[
		"a line break",
		() => create({ appSecret: "secret-1\n" }),
		"appSecret starts or ends with a line break: trim it",
	],
	["quotes", () => create({ appSecret: '"secret-1"' }), "appSecret has quotes around it: remove them"],
]);
