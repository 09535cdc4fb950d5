import type { OperationId } from "../../../library/catalogue/index.ts";
import type { HttpMethod } from "../../../library/catalogue/operation.ts";

/** What a route is called that does what an operation does. */
export interface OperationWords {
	readonly methods: readonly HttpMethod[];
	/** Of each of these, a word stands in the route's path, name or summary. */
	readonly needs: readonly RegExp[];
	/** Words of other operations. */
	readonly not?: RegExp;
	/** Fields without which the route cannot be this operation; of a list, one is enough. */
	readonly fields: readonly (string | readonly string[])[];
}

const any = (words: string): RegExp => new RegExp(`^(${words})$`);

const SEND = "send|message|text|sms|chat|imessage|msg";
const AGENT = any("agent|device|line|sender");
const MAPPING = any("mapping|assignment|contact|conversation");
const OTHER_SENDS =
	"bulk|batch|broadcast|schedule|scheduled|template|carousel|poll|location|sticker|search|export|otp|draft|preview|test|estimate|forward|archive|retry|resend|campaign|edit|unsend|delete|cancel|recall|validate|lookup|capability|availability|webhook|queue|rcs|email|whatsapp|verify|check|stat|analytic|pin|survey|list|get|history|read|receipt|typing|reaction|react|tapback|upload|block|status|report|card|vcard|flush|purge|mute";
const WRITES = "block|unblock|create|register|delete|remove|update|assign|reassign|transfer|reset";
const ONE_MESSAGE = any(
	"attachment|media|file|reaction|react|tapback|typing|read|receipt|thread|event|stat|analytic|search|export|schedule|scheduled|list|history|conversation|contact|cancel",
);

/** What tells the routes of the operations apart. */
export const OPERATION_WORDS: Readonly<Record<OperationId, OperationWords>> = {
	"messages.sendText": {
		methods: ["POST"],
		needs: [any(SEND)],
		not: any(`attachment|media|file|image|voice|audio|video|mms|${OTHER_SENDS}`),
		fields: [["to", "groupId"], "text"],
	},
	"messages.sendAttachments": {
		methods: ["POST"],
		needs: [any(`attachment|media|file|image|mms|${SEND}`)],
		not: any(`voice|audio|${OTHER_SENDS}`),
		fields: [["to", "groupId"], "attachments"],
	},
	"messages.sendVoiceNote": {
		methods: ["POST"],
		needs: [any("voice|audio|ptt|voicenote")],
		not: any(`call|mail|${OTHER_SENDS}`),
		fields: [["to", "groupId"], "attachment"],
	},
	"messages.tapback": {
		methods: ["POST", "PUT"],
		needs: [any("tapback|reaction|react")],
		not: any("list|get|remove|delete|unreact|webhook|history"),
		fields: ["messageGuid", "reaction"],
	},
	"messages.typing": {
		methods: ["POST", "PUT"],
		needs: [any("typing|compose|composing|presence")],
		not: any("webhook|stop|end|get"),
		fields: [["to", "groupId"]],
	},
	"messages.markRead": {
		methods: ["POST", "PUT", "PATCH"],
		needs: [any("read|receipt|seen")],
		not: any("unread|webhook|list|get|typing|reaction"),
		fields: [["to", "groupId"]],
	},
	"messages.checkCapability": {
		methods: ["GET", "POST"],
		needs: [
			any("capability|capable|lookup|availability|available|check|reachability|supports|imessage|native"),
		],
		not: any("health|webhook|agent|queue|balance|status|otp|verify"),
		fields: ["toNumber"],
	},
	"messages.get": {
		methods: ["GET"],
		needs: [any("message|msg|sms|text")],
		not: ONE_MESSAGE,
		fields: ["messageId"],
	},
	"agents.register": {
		methods: ["POST"],
		needs: [AGENT],
		not: any(
			"block|unblock|assign|reassign|transfer|message|send|restart|webhook|list|get|search|mapping|delete|update|disable|enable",
		),
		fields: ["agentNumber"],
	},
	"agents.list": {
		methods: ["GET"],
		needs: [AGENT],
		not: any(`message|mapping|queue|stat|analytic|health|log|${WRITES}`),
		fields: [],
	},
	"agents.get": {
		methods: ["GET"],
		needs: [AGENT],
		not: any(`message|mapping|queue|stat|analytic|health|log|list|contact|${WRITES}`),
		fields: ["agentNumber"],
	},
	"agents.assign": {
		methods: ["POST", "PUT"],
		needs: [any("assign|assignment"), any("agent|device|line|assign|sender")],
		not: any("reassign|unassign|transfer|bulk|batch|list|get|delete"),
		fields: ["agentNumber", "userNumber"],
	},
	"agents.reassign": {
		methods: ["POST", "PUT", "PATCH"],
		needs: [any("reassign|transfer|handover|handoff|reassignment")],
		not: any("bulk|batch|list|get"),
		fields: ["userNumber", "toAgentNumber"],
	},
	"agents.block": {
		methods: ["POST", "PUT"],
		needs: [any("block|suspend|disable"), AGENT],
		not: any("unblock|list|get|contact"),
		fields: ["agentNumber"],
	},
	"agents.unblock": {
		methods: ["POST", "PUT", "DELETE"],
		needs: [any("unblock|unsuspend|enable"), AGENT],
		not: any("list|get|contact"),
		fields: ["agentNumber"],
	},
	"mappings.get": { methods: ["GET"], needs: [any("mapping")], fields: ["toNumber"] },
	"mappings.list": {
		methods: ["GET"],
		needs: [any("mapping|assignment")],
		not: any(`message|stat|count|export|${WRITES}`),
		fields: [],
	},
	"mappings.create": {
		methods: ["POST"],
		needs: [any("mapping|assignment")],
		not: any("reset|clear|delete|list|get|search|update|reassign|bulk|batch|transfer|agent|device|line"),
		fields: ["userNumber"],
	},
	"mappings.update": {
		methods: ["PATCH", "PUT", "POST"],
		needs: [MAPPING],
		not: any(
			"reset|clear|delete|list|get|create|reassign|assign|typing|message|read|seen|block|agent|device",
		),
		fields: ["toNumber", "maxConsecutiveMessages"],
	},
	"mappings.reset": {
		methods: ["POST", "PUT"],
		needs: [any("reset|clear"), MAPPING],
		not: any("list|get|agent|password|queue|all"),
		fields: ["toNumber"],
	},
	"mappings.delete": {
		methods: ["DELETE", "POST"],
		needs: [any("mapping|assignment")],
		not: any("list|get|reset|create|update|all|message|reassign|assign"),
		fields: ["toNumber"],
	},
	"settings.setWebhooks": {
		methods: ["POST"],
		needs: [any("webhook")],
		fields: [["inboundWebhookUrl", "statusWebhookUrl"]],
	},
	"settings.getWebhooks": {
		methods: ["GET"],
		needs: [any("webhook|callback"), any("setting|webhook|config")],
		not: any("delivery|log|test|event|history|attempt|failed"),
		fields: [],
	},
	"analytics.listMessages": {
		methods: ["GET"],
		needs: [any("conversation|message|history|chat|thread")],
		not: any(
			"send|attachment|reaction|typing|read|search|export|stat|count|scheduled|schedule|queue|webhook",
		),
		fields: ["toNumber"],
	},
	"analytics.listContacts": {
		methods: ["GET"],
		needs: [any("contact")],
		not: any("block|export|search|message|card|stat|create|import|mapping"),
		fields: [],
	},
	"analytics.getNumberStats": {
		methods: ["GET"],
		needs: [any("stat|statistic|analytic|metric|usage"), any("number|agent|line|phone|sender|device")],
		not: any("contact|conversation|queue|global|export|webhook|message"),
		fields: ["number"],
	},
	"queue.getStatus": {
		methods: ["GET"],
		needs: [any("queue|job|backlog|outbox")],
		not: any("flush|purge|pause|resume|clear|drain|dead|retry|cancel|item|job_id"),
		fields: [],
	},
	"health.check": { methods: ["GET"], needs: [any("health")], fields: [] },
};
