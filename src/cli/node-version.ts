/** The oldest release that the package is for, as `engines` of the manifest has it. */
const OLDEST = { major: 22, minor: 13 };

/** What to tell the user of a release of Node that is too old for the command; `undefined` for one that is not. */
export function describeOldNode(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
	return `messaging-gateway needs Node ${OLDEST.major}.${OLDEST.minor} or newer; this is ${version}`;
}
