import { DuplicateMessageError, isMessagingGatewayError, MessagingGateway } from "messaging-gateway";

const gateway = new MessagingGateway();

/** Notifies a customer that a parcel is ready. @returns "unclear" if it may have been sent, now or by an earlier call. */
export async function notifyCustomer(
	phone: string,
	parcel: string,
): Promise<"sent" | "not sent" | "unclear"> {
	try {
		await gateway.messages.sendText({ to: phone, text: `Parcel ${parcel} is ready for you.` });
		return "sent";
	} catch (error) {
		if (error instanceof DuplicateMessageError) return "unclear"; // The window may be that of a text to another customer.
		if (!isMessagingGatewayError(error) || !("outcome" in error)) throw error;
		if (error.outcome === "accepted") return "sent";
		return error.outcome === "unknown" ? "unclear" : "not sent";
	}
}
