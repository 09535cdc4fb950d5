/** The words of the library in its errors and findings, and what they are in the command. */
export const WORDS: readonly (readonly [RegExp, string])[] = [
	[/\. error\.gatewayMessage has the gateway's reason(: fix that, or ask the gateway's operator)?/g, ""],
	[/ \(retryAfterMs\)/g, ""],
	[/ Its message is gatewayMessage of the error of any signed call\./g, ""],
	[/\. error\.readBody\(\) returns the raw body/g, ""],
	[/Set probeBody \(the command: --probe-body\) to post/g, "--probe-body posts"],
	[/\b(within|than) (attemptT|t)imeoutMs, (?=\d)/g, "$1 "],
	[/\btimeoutMs, (\d+ ms), ended/g, "The time, $1, ended"],
	[/Raise timeoutMs, or check whether .*/g, "Try again: the gateway may only be slow at present."],
	[/Raise (attemptT|t)imeoutMs, or check the network/g, "Check the network"],
	[/; if it is only slow, raise (attemptT|t)imeoutMs/g, ""],
	[/ larger than maxResponseBytes/g, " larger than any that the gateway has"],
	[/requires a 401, correctClockSkew, https/g, "requires a 401, https"],
	[/ see explainWebhookFailure/g, " `npx messaging-gateway verify webhook FILE --explain` checks one"],
	[
		/Use the profile of profileSource for the client,/g,
		"Save the profile below, and give it with --profile,",
	],
	[/with stringToSign of signRequest/g, "with that of `npx messaging-gateway sign request`"],
	[/Start the gateway, or check/g, "Start one with `npx messaging-gateway dev`, or check"],
	[
		/The option rules\.\S+ changes it; 0 turns it off\. For `messaging-gateway dev`, (\w+) does the same\./g,
		"For `messaging-gateway dev`, $1 changes it; 0 turns it off.",
	],
	[/ The option rules\.\S+ changes it; 0 turns it off\./g, ""],
	[/the option rules\.maxConsecutiveMessages and mappings\.update change/g, "`call mappings.update` changes"],
	[/^(from|to|limit|text) must/, "--$1 must"],
	[/^groupId must/, "--group must"],
	[/^messageGuid must/, "--message-guid must"],
	[/Pass (it|them) to the client, or set/g, "Set"],
	[/\bbaseUrl\b/g, "--base-url"],
	[/\bappId\b/g, "--app-id"],
	[/\bappSecret\b/g, "the App Secret"],
	[/^deliverTo must be (.*), or a function$/, "--forward-to must be $1"],
	[/\bprobeNumber\b/g, "--probe-number"],
];

/** Says what the library says in the words of the command. */
export function inOurWords(text: string): string {
	return WORDS.reduce((words, [pattern, ours]) => words.replace(pattern, ours), text);
}
