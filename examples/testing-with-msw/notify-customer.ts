import { DuplicateMessageError, isMessagingGatewayError, MessagingGateway } from "messaging-gateway";

const gateway = new MessagingGateway();

/** Tells a customer that a parcel is ready: "unclear" where it may or may not have been sent, now or by an earlier call. */
export async function notifyCustomer(
	phone: string,
	parcel: string,
): Promise<"sent" | "not sent" | "unclear"> {
	try {
		await gateway.messages.sendText({ to: phone, text: `Parcel ${parcel} is ready for you.` });
		return "sent";
	} catch (error) {
		if (error instanceof DuplicateMessageError) return "unclear"; // An equal text was accepted: for this customer, or for another one.
		if (!isMessagingGatewayError(error) || !("outcome" in error)) throw error;
		if (error.outcome === "accepted") return "sent";
		return error.outcome === "unknown" ? "unclear" : "not sent";
	}
}
