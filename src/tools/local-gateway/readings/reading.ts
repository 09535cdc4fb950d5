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
	/** Whether the quotation leaves the point open. `false` if the reading contradicts it, as a real gateway may. */
	readonly isOpen: boolean;
	/** What such a gateway does. */
	readonly summary: string;
	/** What an application should do to work with it. */
	readonly advice: string;
	/** The options of a local gateway that behaves so. */
	readonly options: Readonly<ReadingOptions>;
}
