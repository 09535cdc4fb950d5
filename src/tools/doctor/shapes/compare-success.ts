import type { Operation } from "../../../library/catalogue/operation.ts";
import { describeProblem, type ReadResponse, unwrapData } from "../../../library/client/response.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { compareFields } from "./compare-fields.ts";
import { compareRepeatedSuccess } from "./compare-repeated.ts";
import { breaking, type Findings, type ObservedCall, remark, type ShapeDifference } from "./comparison.ts";
import { type ExpectedField, expectedFields } from "./expected-shape.ts";

/** Compares a success with the shape that the catalogue has for it. */
export async function compareSuccess(
	{ operation: given, override, profile, input = {}, isRepeated }: ObservedCall,
	read: ReadResponse,
): Promise<Findings> {
	const operation: Operation<unknown, unknown> = given;
	const remarks = describeStatus(operation, read);
	if (isRepeated) return compareRepeatedSuccess(read, remarks);
	const problem = describeProblem(operation, read, override, profile);
	if (problem !== undefined && read.text?.trim() === "") {
		const isAllowed = profile.emptyResponses === true && canAllowEmpty(operation);
		return isAllowed ? { verdict: "fits", differences: remarks } : compareEmpty(operation, read, remarks);
	}
	if (problem !== undefined) {
		const what = `${problem.path} ${problem.message}`.trim();
		return {
			verdict: "differs",
			differences: [
				...remarks,
				breaking(
					"other_envelope",
					`the body is not the success envelope of section 2.1: ${what}. A profile cannot describe that: convert the body in a custom fetch`,
				),
			],
		};
	}
	remarks.push(...describeMeta(operation, read));
	const present = await unwrapData(operation, read, override, input, profile);
	// Health has no expected shape, and an empty success may be allowed.
	const expected = expectedFields(operation.data);
	if (present.issues.length === 0 && (expected.length === 0 || present.value === undefined))
		return { verdict: "fits", differences: remarks, data: present.value };

	// What the profile's decoder returns is compared, so that its work is not reported again.
	const mapped = profile.mapper?.decoderOf(operation, override);
	const decode = mapped ?? override?.response?.decode ?? ((data: unknown): unknown => data);
	const context = { input, meta: read.success?.meta, status: read.status };
	const decoded = attempt(() => decode(read.success?.data, context));
	if (decoded === undefined) {
		const message = "response.decode of the profile throws for this response: fix it";
		return { verdict: "differs", differences: [...remarks, breaking("other_field", message)] };
	}
	const { differences, found } = compareFields(expected, decoded.value);
	const problems = differences.map(({ path, message, isMissing }) =>
		breaking(isMissing ? "missing_field" : "other_field", `${path} ${message}`),
	);
	if (problems.length > 0 && override?.response !== undefined)
		remarks.push(remark("other_field", "compared is what response.decode of the profile returns"));
	// The comparison looks at the first item of a list, the schema at all.
	if (problems.length === 0)
		problems.push(
			...present.issues.map(({ path, message }) => breaking("other_field", `${path} ${message}`)),
		);
	if (problems.length === 0) return concludeFit(expected, present.value, remarks);
	return { verdict: "differs", differences: [...remarks, ...problems], data: found };
}

/** What a function of the user returns, or `undefined` if it throws. */
function attempt(call: () => unknown): { readonly value: unknown } | undefined {
	try {
		return { value: call() };
	} catch {
		return undefined;
	}
}

/** A success in the assumed shape, as far as it shows one. */
function concludeFit(
	expected: readonly ExpectedField[],
	data: unknown,
	remarks: readonly ShapeDifference[],
): Findings {
	const empty = expected.find(
		({ name, type, fields }) => type === "array" && fields.length > 0 && isEmptyArray(Object(data)[name]),
	);
	if (empty === undefined) return { verdict: "fits", differences: remarks, data };
	const message = `${empty.name} is empty, so its items were not seen`;
	return { verdict: "unseen", differences: [...remarks, remark("empty_list", message)], data };
}

function isEmptyArray(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function compareEmpty(
	operation: Operation<unknown, unknown>,
	read: ReadResponse,
	remarks: readonly ShapeDifference[],
): Findings {
	const isDeletion = isJsonObject(operation.dataWhenGone);
	const difference = breaking(
		"empty_body",
		isDeletion
			? `${read.status} with an empty body`
			: `${read.status} with an empty body: with the profile the call resolves to {}, without any field of its type`,
	);
	return {
		verdict: "differs",
		differences: [...remarks, difference],
		remedy: canAllowEmpty(operation) ? { profile: { emptyResponses: true } } : { whenEmpty: {} },
		isFixedByProfile: isDeletion,
	};
}

/** Whether `emptyResponses` of the profile applies. */
function canAllowEmpty({ provenance, method }: Operation<unknown, unknown>): boolean {
	return provenance === "provisional" && method !== "GET";
}

function describeStatus(
	{ successStatus, provenance }: Operation<unknown, unknown>,
	{ status }: ReadResponse,
): ShapeDifference[] {
	if (provenance === "documented" || status === successStatus) return [];
	return [remark("other_status", `${status} instead of ${successStatus}, which the client accepts too`)];
}

function describeMeta({ hasEnvelope: hasMeta }: Operation<unknown, unknown>, { success }: ReadResponse) {
	if (!hasMeta || success === undefined || success.meta !== undefined) return [];
	return [remark("other_envelope", "meta has no requestId or no timestamp (section 2.1)")];
}
