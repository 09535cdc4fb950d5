import type { LocalGatewayOptions } from "../options.ts";
import type { ReadingDescription } from "./reading-description.ts";
import type { ReadingName } from "./reading-name.ts";

/** One reading of the specification in which a real gateway may differ from the local one. */
export interface Reading extends ReadingDescription {
	/** A short sentence, for the title of a test, and for `readings` of `createLocalGateway`. */
	readonly name: ReadingName;
	/**
	 * The options of a local gateway that behaves so: its name, and the profile and the base URL if they differ. Give
	 * the client and the webhook handler the same profile.
	 */
	readonly options: Readonly<Pick<LocalGatewayOptions, "readings" | "baseUrl" | "profile">>;
}
