import { describeStoreFailure, StoreError } from "../../../../src/library/store-calls/store-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const coded = (code: unknown) => Object.assign(new Error("private"), { code });
/** An error in so many others, as libraries wrap them. */
const wrapped = (times: number, error: unknown): unknown =>
	times === 0 ? error : new Error("private", { cause: wrapped(times - 1, error) });
/** The error of a copy of this package. */
const branded = (brand: string) =>
	Object.assign(Object.create({ "~brand": brand }), { message: "its claim failed" });
const unreadable = (field: "code" | "cause", error: object = {}) =>
	Object.defineProperty(error, field, {
		get() {
			throw new Error("private");
		},
	});

const circle = new Error("private");
circle.cause = circle;

const FAILURES: Outcomes<unknown> = {
	"its claim failed": {
		"a StoreError": new StoreError("its claim failed"),
		"a StoreError of another copy of this version": branded("messaging-gateway@0.1 StoreError"),
	},
	"ECONNREFUSED. Start its server, or correct its address": {
		"no server": coded("ECONNREFUSED"),
		"no server, in the error of a library": wrapped(1, coded("ECONNREFUSED")),
		"no server, in five errors": wrapped(5, coded("ECONNREFUSED")),
		"a code in front of another": Object.assign(coded("ECONNREFUSED"), { cause: coded("ECONNRESET") }),
		"a code in front of a cause that can't be read": unreadable("cause", coded("ECONNREFUSED")),
	},
	"ECONNRESET. The connection broke: check its server": { "a lost connection": coded("ECONNRESET") },
	"40001; its error says why": {
		"a code without a remedy": coded("40001"),
		"a code that may be shown, in an error whose own may not": Object.assign(coded("private"), {
			cause: coded("40001"),
		}),
		"a cause that is no Error": wrapped(1, { code: "40001" }),
	},
	"its error says why": {
		"no code": new Error("private"),
		"a code that may not be shown": coded("+15551234567"),
		"a code that is no string": coded(40001),
		"a code in six errors": wrapped(6, coded("ECONNREFUSED")),
		"an error that is its own cause": circle,
		"a code that can't be read": unreadable("code"),
		"a cause that can't be read": unreadable("cause"),
		"a StoreError of another version": branded("messaging-gateway@0.2 StoreError"),
		"another error with a brand": branded("messaging-gateway@0.1 InputError"),
		"an error with an empty brand": branded(""),
		"nothing at all": undefined,
		"a string": "ECONNREFUSED",
	},
};

testOutcomes(FAILURES, describeStoreFailure);
