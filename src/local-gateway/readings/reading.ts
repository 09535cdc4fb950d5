import type { LocalGatewayOptions, RuleOptions } from "../options.ts";

/** The options of a local gateway that readings set; spread them into yours. */
export interface ReadingOptions
	extends Pick<
		LocalGatewayOptions,
		| "baseUrl"
		| "webhooks"
		| "unknownFields"
		| "mappingTimestamps"
		| "encodeResponse"
		| "keptConnections"
		| "profile"
	> {
	/** The rules on what may be sent. */
	rules?: RuleOptions | undefined;
}

/** One way to understand the specification in which a real gateway may differ from the local one. */
export interface Reading {
	/** A short sentence, for the title of a test. */
	readonly name: string;
	/** The section of the specification. */
	readonly section: string;
	/** The words of the specification, literally. */
	readonly quotation: string;
	/** Whether the quotation leaves it open. `false` if the reading differs from it, as gateways may do. */
	readonly isOpen: boolean;
	/** What the gateway does. */
	readonly summary: string;
	/** What an application must do. */
	readonly advice: string;
	/** The options of a local gateway that does it. */
	readonly options: Readonly<ReadingOptions>;
}
