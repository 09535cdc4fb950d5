/** Everything that one fills in on the page. */
export interface ExplainInput {
	/** The headers as they were pasted. */
	readonly headers: string;
	readonly body: BodyInput;
	/** The webhook secrets: several during a rotation. */
	readonly secrets: readonly string[];
	readonly appSecret: string;
	/** Further secrets by a name. */
	readonly otherSecrets: readonly NamedSecret[];
	/** The vendor's word in the header names. */
	readonly vendor: string;
	readonly toleranceSeconds: string;
	/** The receiver's time; empty for the time of this machine. */
	readonly now: string;
}

/** A body, and how it was given. What was given in another way stays, so that one can go back to it. */
export interface BodyInput {
	readonly mode: "text" | "base64" | "file";
	readonly text: string;
	readonly base64: string;
	readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

/** A secret and what it is of. */
export interface NamedSecret {
	readonly name: string;
	readonly secret: string;
}

/** A page on which nothing was filled in. */
export const EMPTY_INPUT: ExplainInput = {
	headers: "",
	body: { mode: "text", text: "", base64: "", file: undefined },
	secrets: [""],
	appSecret: "",
	otherSecrets: [],
	vendor: "SVC",
	toleranceSeconds: "300",
	now: "",
};
