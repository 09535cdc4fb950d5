/** Registers two agents, hands a contact from one to the other, and limits how many texts it gets without a reply. */
import { ConflictError, type Mapping, MessagingGateway, PermissionDeniedError } from "messaging-gateway";

const CONTACT = "+15557654321";
const DAY = "+15550000011";
const NIGHT = "+15550000012";

/** The fields of a mapping that this example changes. */
const WATCHED = ["agentNumber", "outbound", "consecutiveCount", "maxConsecutiveMessages"] as const;

const gateway = new MessagingGateway();
let known: Partial<Mapping> = {};

await register(DAY, "Day desk");
await register(NIGHT, "Night desk");

const assigned = await gateway.agents.assign({ agentNumber: DAY, userNumber: CONTACT });
showChanges("assign", assigned.mapping);
await send("We are open until six.");

// `fromAgentNumber` makes this fail if somebody else has reassigned the contact in between.
const reassigned = await gateway.agents.reassign({
	userNumber: CONTACT,
	fromAgentNumber: DAY,
	toAgentNumber: NIGHT,
});
showChanges("reassign", reassigned.mapping);

const { agent } = await gateway.agents.block(NIGHT, { reason: "on holiday" });
show("block", `${agent.name} is ${agent.status}: ${agent.blockedReason}`);
await send("Anything else?");
await gateway.agents.unblock(NIGHT);

showChanges("update", (await gateway.mappings.update(CONTACT, { maxConsecutiveMessages: 2 })).mapping);
await send("Anything else?");
await send("Good night!");
showChanges("reset", (await gateway.mappings.reset(CONTACT)).mapping);

for await (const mapping of gateway.mappings.list({ agentNumber: NIGHT })) {
	show("list", `${mapping.userNumber} is handled by ${mapping.agentNumber}`);
}
await gateway.mappings.delete(CONTACT);
show("delete", `${CONTACT} is free again`);

async function register(agentNumber: string, name: string): Promise<void> {
	try {
		await gateway.agents.register({ agentNumber, name });
		show("register", `${name}, ${agentNumber}`);
	} catch (error) {
		if (!(error instanceof ConflictError)) throw error;
		show("register", `${name} is registered already`);
	}
}

async function send(text: string): Promise<void> {
	try {
		await gateway.messages.sendText({ to: CONTACT, text });
		showChanges("send", (await gateway.mappings.get(CONTACT)).mapping);
	} catch (error) {
		if (!(error instanceof PermissionDeniedError)) throw error;
		show("send", `rejected: ${error.gatewayCode}`);
	}
}

function showChanges(step: string, mapping: Mapping): void {
	const changes = WATCHED.filter((field) => mapping[field] !== known[field]).map((field) =>
		field in known ? `${field} ${known[field]} → ${mapping[field]}` : `${field} ${mapping[field]}`,
	);
	show(step, changes.join(", "));
	known = mapping;
}

function show(step: string, what: string): void {
	console.log(`${step.padEnd(10)} ${what}`);
}
