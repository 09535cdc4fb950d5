/** Prints contacts and agents as tables, from as many pages as there are. */
import { MessagingGateway } from "messaging-gateway";

const gateway = new MessagingGateway();

const contacts = [];
for await (const contact of gateway.analytics.listContacts()) {
	const { userNumber, agentNumber, outbound, inbound, lastMessageAt } = contact;
	contacts.push({
		contact: mask(userNumber),
		agent: mask(agentNumber),
		sent: outbound,
		received: inbound,
		"last message": lastMessageAt === null ? "never" : new Date(lastMessageAt).toLocaleString("en-GB"),
	});
}
console.table(contacts);

const agents = [];
for await (const { agentNumber, status } of gateway.agents.list()) {
	const stats = await gateway.analytics.getNumberStats(agentNumber);
	agents.push({
		agent: mask(agentNumber),
		status,
		contacts: stats.contacts,
		sent: stats.outbound,
		read: stats.byStatus["read"] ?? 0,
		failed: stats.byStatus["failed"] ?? 0,
		"contacts that answered": `${Math.round(stats.responseRate * 100)} %`,
	});
}
console.table(agents);

/** The last digits only, since others may see the terminal. */
function mask(number: string): string {
	return `…${number.slice(-4)}`;
}
