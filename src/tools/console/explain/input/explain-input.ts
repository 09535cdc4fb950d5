/** The content of the page's form. */
export interface ExplainInput {
	/** The headers as pasted. */
	readonly headers: string;
	readonly body: BodyInput;
	/** The webhook secrets; several during a rotation. */
	readonly secrets: readonly string[];
	readonly appSecret: string;
	/** Other secrets by name. */
	readonly otherSecrets: readonly NamedSecret[];
	/** The vendor's prefix of the header names. */
	readonly vendor: string;
	readonly toleranceSeconds: string;
	/** The receiver's time; empty for this machine's time. */
	readonly now: string;
}

/** A body and its input mode. The input of the other modes is kept. */
export interface BodyInput {
	readonly mode: "text" | "base64" | "file";
	readonly text: string;
	readonly base64: string;
	readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

export interface NamedSecret {
	readonly name: string;
	readonly secret: string;
}

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
