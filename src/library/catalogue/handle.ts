import { type HandleProfile, matchesHandlePattern } from "./handle-pattern.ts";

/** E.164: + and 7 to 15 digits, the first of them no 0. Some countries have seven, such as +683 and +690. */
export const PHONE_NUMBER_PATTERN = "^\\+[1-9][0-9]{6,14}$";

/** No whitespace, no control character, and none of the characters that an address only has in quotes or around it. */
const EMAIL_CHARACTER = '[^\\s\\x00-\\x20\\x7f-\\xa0<>()\\[\\],;:\\\\"@]';
const EMAIL_DOMAIN_CHARACTER = EMAIL_CHARACTER.replace("@", "@.");

/** A contact's handle: a number in E.164, an e-mail address, or a short code. JSON Schema has no flags. */
export const HANDLE_PATTERN = `^(\\+[1-9][0-9]{6,14}|[0-9]{3,6}|${EMAIL_CHARACTER}+@${EMAIL_DOMAIN_CHARACTER}+(\\.${EMAIL_DOMAIN_CHARACTER}+)+)$`;

/** As long as an e-mail address may be (RFC 3696, erratum 1690). */
export const MAX_HANDLE_LENGTH = 254;

/** The message for a number of an agent that is not E.164. */
export const PHONE_NUMBER_MESSAGE = "must be an E.164 number: + and 7 to 15 digits, such as +15551234567";

const WHAT_TO_GIVE =
	"an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567";

/** The message for what is no handle. */
export const HANDLE_MESSAGE = `must be ${WHAT_TO_GIVE}`;

/** The message for the name of a sender, whom nobody can write to. */
export const ONE_WAY_MESSAGE = `must not be a sender's name, which is one-way; give ${WHAT_TO_GIVE}`;

const phoneNumber = new RegExp(PHONE_NUMBER_PATTERN);
const handle = new RegExp(HANDLE_PATTERN);

/** An alphanumeric sender: 1 to 11 letters, digits and a few marks, at least one of them a letter. */
const SENDER_NAME = /^(?=.{1,11}$)[0-9 ._&-]*[A-Za-z][A-Za-z0-9 ._&-]*$/;

/** Whether a string is a number in E.164. */
export function isPhoneNumber(value: string): boolean {
	return phoneNumber.test(value);
}

/** What is wrong with a contact's handle; `undefined` if nothing is, or if the profile's pattern matches it. */
export function describeHandleProblem(value: unknown, profile?: HandleProfile): string | undefined {
	if (typeof value !== "string" || !isShort(value)) return HANDLE_MESSAGE;
	if (handle.test(value) || matchesHandlePattern(value, profile)) return undefined;
	return SENDER_NAME.test(value) ? ONE_WAY_MESSAGE : HANDLE_MESSAGE;
}

/** Whether a message is one of {@link describeHandleProblem}. */
export function isHandleMessage(message: string): boolean {
	return message === HANDLE_MESSAGE || message === ONE_WAY_MESSAGE;
}

function isShort(value: string): boolean {
	return value !== "" && value.length <= MAX_HANDLE_LENGTH && value.isWellFormed();
}
