import type { Conversation } from "../../local-gateway/records.ts";
import { resolveRules } from "../../local-gateway/settings.ts";
import type { World } from "../../local-gateway/world.ts";
import { ControlRejection } from "../control-rejection.ts";
import { ConversationRehearsal } from "./conversation-rehearsal.ts";
import { agentsOf, collectStory, firstLimit } from "./story.ts";

const NO_RULES = resolveRules("off");

/**
 * Writes a conversation as a vitest test of the application: what its contacts do, at their times, and the replies that
 * are expected. It passes with an application that replies as before; without contacts, it makes the sends itself. The
 * test needs only `messaging-gateway` and `vitest`. An earlier run may have had other rules, and its beginning may
 * be dropped: if an accepted send would now be rejected, the test has no rules and no rejections. A rejected send that
 * would now be accepted is left out.
 *
 * @throws ControlRejection when the conversation is unknown or empty.
 */
export async function writeTestSource(world: World, key: string): Promise<string> {
	const conversation = findConversation(world, key);
	let story = collectStory(world, conversation);
	let rules = { ...world.settings.rules, maxConsecutiveMessages: firstLimit(story, conversation) };
	for (;;) {
		const setUp = { agents: agentsOf(story), rules, delays: world.settings.delays };
		await using rehearsal = new ConversationRehearsal(conversation, setUp);
		const misfit = await rehearsal.play(story);
		if (misfit === undefined) return rehearsal.write();
		if ("message" in misfit && rules !== NO_RULES) {
			rules = NO_RULES;
			story = story.filter((event) => "message" in event || event.type !== "rejected");
		} else story = story.filter((event) => event !== misfit);
	}
}

function findConversation({ conversations }: World, key: string): Conversation {
	const found = conversations.find({ key, groupId: null }) ?? conversations.find({ key, groupId: key });
	if (found !== undefined) return found;
	throw new ControlRejection(
		"not_found",
		"No conversation has this key: name a contact's number, or a group's id.",
	);
}
