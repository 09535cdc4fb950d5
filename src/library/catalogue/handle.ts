import type { AllowsValue } from "./check.ts";

/** The part of a profile that allows other handles. */
export interface HandleProfile {
	readonly handlePattern?: string | undefined;
}

/** E.164: + and 7 to 15 digits, the first of them no 0. Some countries have seven, such as +683 and +690. */
export const PHONE_NUMBER_PATTERN = "^\\+[1-9][0-9]{6,14}$";

/** A contact's handle: a number in E.164, an e-mail address, or a short code. JSON Schema has no flags. */
export const HANDLE_PATTERN = /* @__PURE__ */ writePattern();

function writePattern(): string {
	// No whitespace, no control character, and none of the characters that an address only has in quotes or around it.
	const excluded = '\\s\\x00-\\x20\\x7f-\\xa0<>()\\[\\],;:\\\\"@';
	const label = `[^${excluded}.]+`;
	return `^(\\+[1-9][0-9]{6,14}|[0-9]{3,6}|[^${excluded}]+@${label}(\\.${label})+)$`;
}

/** As long as an e-mail address may be (RFC 3696, erratum 1690). */
export const MAX_HANDLE_LENGTH = 254;

/** The message for a number of an agent that is not E.164. */
export const PHONE_NUMBER_MESSAGE = "must be an E.164 number: + and 7 to 15 digits, such as +15551234567";

/** The message for what is no handle. */
export const HANDLE_MESSAGE = /* @__PURE__ */ withWhatToGive("must be");

/** The message for the name of a sender, whom nobody can write to. */
export const ONE_WAY_MESSAGE = /* @__PURE__ */ withWhatToGive(
	"must not be a sender's name, which is one-way; give",
);

function withWhatToGive(start: string): string {
	return `${start} an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567`;
}

const phoneNumber = /* @__PURE__ */ new RegExp(PHONE_NUMBER_PATTERN);
const handle = /* @__PURE__ */ new RegExp(HANDLE_PATTERN);

/** An alphanumeric sender: 1 to 11 letters, digits and a few marks, at least one of them a letter. */
const SENDER_NAME = /^(?=.{1,11}$)[0-9 ._&-]*[A-Za-z][A-Za-z0-9 ._&-]*$/;

/** Whether a string is a number in E.164. */
export function isPhoneNumber(value: string): boolean {
	return phoneNumber.test(value);
}

/** Whether a value is a contact's handle, or the profile's pattern matches it. */
export function isHandle(value: unknown, profile?: HandleProfile): boolean {
	return isShort(value) && (handle.test(value) || matches(value, profile));
}

/** What is wrong with a contact's handle; `undefined` if nothing is, or if the profile's pattern matches it. */
export function describeHandleProblem(value: unknown, profile?: HandleProfile): string | undefined {
	if (isHandle(value, profile)) return undefined;
	return isShort(value) && SENDER_NAME.test(value) ? ONE_WAY_MESSAGE : HANDLE_MESSAGE;
}

/** Whether a problem of a value is only that its handle is one that the profile allows. */
export function allowsHandles(profile: HandleProfile | undefined): AllowsValue | undefined {
	if (profile?.handlePattern === undefined) return undefined;
	return (value, problem) =>
		problem === describeHandleProblem(value) && describeHandleProblem(value, profile) === undefined;
}

/** A pattern of JSON Schema, with the profile's if it is that of handles. */
export function withHandlePattern(pattern: string, { handlePattern }: HandleProfile): string {
	return pattern === HANDLE_PATTERN && handlePattern !== undefined
		? `${pattern}|${wholePattern(handlePattern)}`
		: pattern;
}

function isShort(value: unknown): value is string {
	return (
		typeof value === "string" && value !== "" && value.length <= MAX_HANDLE_LENGTH && value.isWellFormed()
	);
}

/** The last one: a program has one profile, mostly. */
let lastPattern: string | undefined;
let lastCompiled = /(?!)/;

function matches(value: string, { handlePattern: pattern }: HandleProfile = {}): boolean {
	if (pattern === undefined) return false;
	if (pattern !== lastPattern) {
		lastCompiled = new RegExp(wholePattern(pattern), "u");
		lastPattern = pattern;
	}
	return lastCompiled.test(value);
}

function wholePattern(pattern: string): string {
	return `^(?:${pattern})$`;
}
